package slack

import (
	"fmt"
	"strings"
	"testing"

	"sluice/bot/card"
)

// big is a card beyond every limit of Slack.
func big() card.Card {
	long := strings.Repeat("ä<&", 1100)
	c := card.Card{Title: long, Text: card.Plain(long), Warnings: []card.Text{card.Plain(long), card.Plain(long)}, Context: make([]card.Text, 30)}
	for i := range 80 {
		c.Sections = append(c.Sections, card.Section{Title: long, Text: card.Plain(long), Fields: []card.Field{{Name: long, Value: long}}})
		c.Tasks = append(c.Tasks, card.Task{ID: fmt.Sprint(i), Title: long, Status: card.TaskWaiting, Note: long})
		c.Buttons = append(c.Buttons, card.Button{
			Action: fmt.Sprintf("a:%d", i), Label: long, Value: long, Style: card.Danger, Confirm: &card.Confirm{Title: long, Text: long, Yes: long, No: long},
		})
	}
	for i := range c.Context {
		c.Context[i] = card.Plain(long)
	}
	return c
}

func TestASmallSlackTakesWhateverIsDrawn(t *testing.T) {
	t.Parallel()
	seed, channels := manyChannels(8) // Slack limits the messages of one
	w := newSeededWorld(t, seed)
	for name, c := range map[string]card.Card{"empty": {}, "big": big(), "text": {Text: card.Textf("hello")}, "tasks": {Tasks: []card.Task{{ID: "a", Title: "A"}}}} {
		for _, plain := range []bool{false, true} {
			blocks, text := draw(c, nil, plain)
			s := w.surface(name)
			s.Channel, channels = w.channel(channels[0]), channels[1:]
			if err := w.app.put(t.Context(), &s, blocks, text); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
