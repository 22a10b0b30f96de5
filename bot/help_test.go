package bot

import (
	"strings"
	"testing"

	"sluice/bot/card"
	"sluice/bot/request"
)

func TestHelpNamesEveryCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	help := w.hear(request.Incoming{Kind: request.KindCommand, User: "ana", Text: "help"})
	if len(help) != 1 {
		t.Fatalf("help has %d messages", len(help))
	}
	var commands string
	for _, s := range help[0].Sections {
		if s.Title == "Commands" {
			commands = s.Text.String()
		}
	}
	all := w.bot.verbs()
	if listed := strings.Count(commands, "\n") + 1; listed != len(all)+1 { // and the words that can be read
		t.Errorf("help lists %d commands of %d", listed-1, len(all))
	}
	for _, v := range all {
		if !strings.Contains(commands, card.Textf("`/flow %s`", v.usage).String()) {
			t.Errorf("help does not list %q", v.name)
		}
	}
}
