package card

import (
	"encoding/json"
	"testing"

	"sluice/engine/growth"
)

// The time of everything that is done with somebody's words grows with the words and no faster.
func TestTextGrowth(t *testing.T) {
	for name, work := range map[string]func(string){
		"Visible": func(s string) { Visible(s) },
		"OneLine": func(s string) { OneLine(s) },
		"Quote":   func(s string) { Quote(s) },
		"Marked":  func(s string) { Marked(s) },
		"Runs":    func(s string) { Text{}.marks(s).Runs() },
		"Mrkdwn":  func(s string) { Textf("*Note* %s", s).Mrkdwn() },
		"Pages": func(s string) {
			for _, page := range Textf("*Note* %s", s).Pages(100) {
				page.Mrkdwn()
			}
		},
		"old cards": func(s string) {
			b, err := json.Marshal(s)
			if err != nil {
				t.Error(err)
			}
			var old Text
			if err := json.Unmarshal(b, &old); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			growth.Texts(t, 1<<18, work)
		})
	}
}

func FuzzTimeOfMarkup(f *testing.F) {
	growth.Fuzz(f, 1<<16, func(s string) {
		for _, page := range Textf("*Note* %s", s).Pages(100) {
			page.Mrkdwn()
		}
		Text{}.marks(s).Runs()
	})
}
