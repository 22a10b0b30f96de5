package slack

import (
	"fmt"
	"strings"
	"testing"

	"sluice/bot/card"
)

// big is a card beyond every limit of Slack.
func big() card.Card {
	long := strings.Repeat("ä<&", 4000)
	c := card.Card{Title: long, Text: long, Warnings: []string{long, long}, Context: make([]string, 30)}
	for i := range 80 {
		c.Sections = append(c.Sections, card.Section{Title: long, Text: long, Fields: []card.Field{{Name: long, Value: long}}})
		c.Tasks = append(c.Tasks, card.Task{ID: fmt.Sprint(i), Title: long, Status: card.TaskWaiting, Note: long})
		c.Buttons = append(c.Buttons, card.Button{
			Action: fmt.Sprintf("a:%d", i), Label: long, Value: long, Style: card.Danger, Confirm: &card.Confirm{Title: long, Text: long, Yes: long, No: long},
		})
	}
	for i := range c.Context {
		c.Context[i] = long
	}
	return c
}

func TestASmallSlackTakesWhateverIsDrawn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, c := range map[string]card.Card{"empty": {}, "big": big(), "text": {Text: "hello"}, "tasks": {Tasks: []card.Task{{ID: "a", Title: "A"}}}} {
		for _, plain := range []bool{false, true} {
			blocks, text := draw(c, nil, plain)
			s := w.surface(name)
			if err := w.app.put(t.Context(), &s, blocks, text); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
