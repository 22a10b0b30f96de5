package slack

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	slackgo "github.com/slack-go/slack"

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

// A block and a quotation end their lines by themselves: the pieces around them have no empty lines because of that.
func TestBlocksOfRichTextEndTheirLines(t *testing.T) {
	t.Parallel()
	var said []string
	for _, part := range rich(card.Textf("a\n```b\n```\nc\n>q\n>r\nd\n```e```\n>s\n\nf")).(*slackgo.RichTextBlock).Elements {
		var all []slackgo.RichTextSectionElement
		switch part := part.(type) {
		case *slackgo.RichTextSection:
			all = part.Elements
		case *slackgo.RichTextPreformatted:
			all = part.Elements
		case *slackgo.RichTextQuote:
			all = part.Elements
		}
		var words strings.Builder
		for _, e := range all {
			words.WriteString(e.(*slackgo.RichTextSectionTextElement).Text)
		}
		said = append(said, words.String())
	}
	if want := []string{"a\n", "b\n", "c\n", "q\nr", "d\n", "e", "s", "\nf"}; !slices.Equal(said, want) {
		t.Errorf("the parts are %q, want %q", said, want)
	}
}
