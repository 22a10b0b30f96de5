package slack

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	slackgo "github.com/slack-go/slack"

	"sluice/bot/card"
	"sluice/engine/growth"
)

// withoutUsers is an App for a Slack without users; calls counts the requests to it.
func withoutUsers(t *testing.T) (a *App, calls *atomic.Int64) {
	t.Helper()
	calls = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		fmt.Fprint(w, `{"ok":false,"error":"user_not_found"}`)
	}))
	t.Cleanup(server.Close)
	return &App{people: newDirectory(slackgo.New("xoxb-1", slackgo.OptionAPIURL(server.URL+"/")), "T1", "UBOT")}, calls
}

// The time of reading and of drawing a message grows with its text and no faster.
func TestTextGrowth(t *testing.T) {
	a, _ := withoutUsers(t)
	for _, c := range []struct {
		name string
		work func(string)
	}{
		{"read", func(s string) { a.people.plain(t.Context(), s) }},
		{"draw", func(s string) {
			c := card.Card{
				Title: s, Text: card.Textf("*Note* %s", s), Sections: []card.Section{{Title: s, Text: card.Quote(s), Fields: []card.Field{{Name: s, Value: s}}}},
				Tasks: []card.Task{{ID: "a", Title: s, Note: s}}, Warnings: []card.Text{card.Plain(s)}, Context: []card.Text{card.Plain(s)},
				Buttons: []card.Button{{Action: "a", Label: s, Value: s, Confirm: &card.Confirm{Title: s, Text: s}}},
			}
			draw(c, &picture{file: "F1", alt: s}, true)
			a.Fits(c)
		}},
	} {
		t.Run(c.name, func(t *testing.T) { growth.Texts(t, 1<<18, c.work) })
	}
}

// For a message that mentions thousands of unknown people, Slack is asked about the first few.
func TestAMessageOfThousandsOfMentionsAsksForAFew(t *testing.T) {
	t.Parallel()
	a, calls := withoutUsers(t)
	var text strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, "<@U%d> ", i%1500)
	}
	read := a.people.plain(t.Context(), text.String())
	if n := calls.Load(); n > 2*namesMost {
		t.Errorf("%d calls", n)
	}
	if !strings.Contains(read, "@U1499") || strings.Contains(read, "<") {
		t.Errorf("it is read as %.100q…", read)
	}
}
