package bot

import (
	"slices"
	"strings"
	"testing"

	"sluice/bot/card"
	"sluice/bot/request"
)

// TestHelpNamesEveryCommand: the first screen is short and names every command; the topics have how each is written.
func TestHelpNamesEveryCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ask := func(text string) card.Card {
		cards := w.hear(request.Incoming{Kind: request.KindCommand, User: "ana", Text: text})
		if len(cards) != 1 {
			t.Fatalf("%s has %d messages", text, len(cards))
		}
		return cards[0]
	}
	help := ask("help")
	lines := strings.Count(help.Text.String(), "\n") + 1 + len(help.Context)
	var commands string
	for _, s := range help.Sections {
		lines += 1 + strings.Count(s.Text.Words(), "\n") + 1
		if s.Title == "Commands" {
			commands = s.Text.String()
		}
	}
	if lines > 20 {
		t.Errorf("help has %d lines", lines)
	}
	var all strings.Builder
	for _, topic := range w.bot.topics() {
		if !strings.Contains(commands, "`/flow help "+topic.name+"`") {
			t.Errorf("help does not name the topic %s", topic.name)
		}
		all.WriteString(ask("help "+topic.name).Text.String() + "\n")
	}
	for _, v := range w.bot.verbs() {
		if !strings.Contains(commands, v.name) {
			t.Errorf("help does not name %q", v.name)
		}
		if usage := card.Textf("`/flow %s`", v.usage).String(); strings.Count(all.String(), usage) != 1 || !strings.Contains(ask("help "+v.name).Text.String(), usage) && !slices.ContainsFunc(topics, func(t topic) bool { return t.name == v.name }) {
			t.Errorf("no topic says how %q is written", v.name)
		}
	}
	var tools strings.Builder
	for _, s := range ask("tools").Sections {
		tools.WriteString(s.Title + "\n" + s.Text.String() + "\n")
	}
	if got := tools.String(); !strings.Contains(got, "`shop.get_order`") || strings.Index(got, "`shop.refund`") < strings.Index(got, "What flows can do") {
		t.Errorf("the tools are listed as %s", got)
	}
	if got := said([]card.Card{ask("help shedule")}); !strings.Contains(got, "no help about “shedule”") || !strings.Contains(got, "Did you mean `schedule`?") {
		t.Errorf("help about a mistyped command: %q", got)
	}
	if got := ask("help stop"); !strings.Contains(got.Text.String(), "/flow cancel ") {
		t.Errorf("help about an everyday word: %q", got.Text.String())
	}
}
