package draft

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"sluice/engine/planner/readback"
)

// outline is what drafts of earlier releases held instead of a tree: a name and numbered steps.
type outline struct {
	Name  string `json:"name"`
	Lines []struct {
		Number int    `json:"n"`
		Text   string `json:"text"`
	} `json:"lines"`
}

// Words writes an outline as a person would type it; "" = there is none.
func (o outline) Words() string {
	var lines []string
	for _, l := range o.Lines {
		lines = append(lines, fmt.Sprintf("%d. %s", l.Number, l.Text))
	}
	words := strings.Join(lines, "\n")
	if o.Name != "" && words != "" {
		words = o.Name + ":\n" + words
	}
	return words
}

// readOld fills in what drafts of earlier releases wrote under other names.
func (b *Body) readOld(body []byte) {
	var old struct {
		ReadBack []string         `json:"read_back"`
		Lines    map[int][]string `json:"lines"`
	}
	if json.Unmarshal(body, &old) != nil {
		return
	}
	for _, l := range old.ReadBack {
		b.Steps = append(b.Steps, readback.Line{Text: l})
	}
	for number, nodes := range old.Lines {
		for _, id := range nodes {
			if b.Numbers == nil {
				b.Numbers = map[string]string{}
			}
			b.Numbers[id] = strconv.Itoa(number)
		}
	}
}
