package bot

import (
	"slices"
	"strings"
	"testing"

	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/engine"
	"sluice/engine/history"
)

// TestPagesOfRunsStayWhenRunsCome: somebody who turns pages meets each run once, both ways, although runs start meanwhile.
func TestPagesOfRunsStayWhenRunsCome(t *testing.T) {
	t.Parallel()
	p := newDoors(t)
	start := func(n int) {
		for range n {
			if _, err := p.bot.Engine.Start(t.Context(), engine.StartRequest{Flow: "ask", Actor: history.Actor{User: "asker"}, Channel: "C1"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	names := func(c card.Card) (out []string) {
		for line := range strings.SplitSeq(c.Text.String(), "\n") {
			_, rest, _ := strings.Cut(line, "*")
			name, _, _ := strings.Cut(rest, "*")
			out = append(out, name)
		}
		return out
	}
	turn := func(c card.Card, label string) (card.Card, bool) {
		i := slices.IndexFunc(c.Buttons, func(b card.Button) bool { return b.Label == label })
		if i < 0 {
			return c, false
		}
		start(3)
		return p.hear(request.Incoming{Kind: request.KindClick, User: "member", Action: c.Buttons[i].Action, Value: c.Buttons[i].Value})[0], true
	}
	start(44) // beside the one that there is
	at := p.hear(request.Incoming{Kind: request.KindCommand, User: "member", Text: "runs ask"})[0]
	seen := names(at)
	for ok := true; ok; {
		if at, ok = turn(at, "Older"); ok {
			seen = append(seen, names(at)...)
		}
	}
	if n := len(seen); n != 45 || len(slices.Compact(slices.Sorted(slices.Values(seen)))) != n {
		t.Errorf("%d runs were shown: %v", n, seen)
	}
	back := names(at)
	for ok := true; ok; {
		if at, ok = turn(at, "Newer"); ok {
			back = append(names(at), back...)
		}
	}
	if n := len(back); n < 45+6 || len(slices.Compact(slices.Sorted(slices.Values(back)))) != n {
		t.Errorf("on the way back %d runs were shown: %v", n, back)
	}
	if got := p.click("member", "list.turn:older", "cancel ask-1"); !strings.Contains(got, "no such") {
		t.Errorf("another command behind the button is answered %q", got)
	}
}
