package bot

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sluice/bot/card"
	"sluice/bot/request"
)

// TestAuditSaysWhoDidWhat: approvals, schedules, starts and ends, without a value of a run, and only what the asker may see.
func TestAuditSaysWhoDidWhat(t *testing.T) {
	t.Parallel()
	w := operated(t)
	w.command("bob", `schedule refund "0 9 * * *" UTC order_id=A-1`)
	w.command("ana", "pause refund the shop is closed")
	w.command("ana", "resume refund")
	w.command("bob", "cancel refund-1")
	for text, parts := range map[string][]string{
		"audit":          {"<@ana>: approved a version of *refund* (version 1), with a button", "<@bob>: made a schedule of *refund*", "<@ana>: paused *refund*", "<@bob>: started *refund-1*", "<@bob>: ended *refund-1*: stopped, with a command"},
		"audit refund":   {"<@ana>: approved a version of", "<@bob>: started *refund-1*"},
		"audit refund-1": {"<@bob>: started *refund-1*", "<@bob>: ended *refund-1*"},
		"audit @bob":     {"<@bob>: made a schedule of *refund*", "<@bob>: started *refund-1*"},
		"audit 1":        {"<@ana>: approved"},
		"who did what?":  {"<@ana>: approved"},
		"audit nothing":  {"no such run, flow or schedule"},
		"audit @nobody":  {"I know no person called “@nobody”"},
		"audit refund x": {"I cannot read \"x\" as a page"},
	} {
		got := w.command("fin", text)
		for _, part := range parts {
			if !strings.Contains(got, part) {
				t.Errorf("%q does not say %q:\n%s", text, part, got)
			}
		}
		if strings.Contains(got, "A-1") || text == "audit @bob" && strings.Contains(got, "<@ana>") {
			t.Errorf("%q says too much:\n%s", text, got)
		}
	}
	for _, text := range []string{"audit", "audit refund", "audit refund-1", "audit @bob"} {
		if got := w.command("eve", text); strings.Contains(strings.ReplaceAll(got, "“refund", ""), "refund") || strings.Contains(got, "<@") {
			t.Errorf("eve says %q and is told:\n%s", text, got)
		}
	}
	w.command("boss", "pause all the shop burns")
	if got := w.command("boss", "audit"); !strings.Contains(got, "<@boss>: paused") {
		t.Errorf("an admin is told:\n%s", got)
	}
	if got := w.command("fin", "audit"); strings.Contains(got, "<@boss>") {
		t.Errorf("fin is told what is about no flow of theirs:\n%s", got)
	}
}

// TestAuditPagesHangOnEntries: what happens while somebody turns pages moves nothing, and every entry is reached once, in both directions.
func TestAuditPagesHangOnEntries(t *testing.T) {
	t.Parallel()
	w := operated(t)
	for i := range 25 {
		w.command("ana", fmt.Sprint("pause refund ", i))
		w.command("ana", "resume refund")
	}
	lines := func(c card.Card) (out []string) {
		var text strings.Builder
		text.WriteString(c.Text.String())
		for _, s := range c.Sections {
			text.WriteString("\n" + s.Text.String())
		}
		return strings.Split(text.String(), "\n")
	}
	turn := func(c card.Card, label string) (card.Card, bool) {
		i := slices.IndexFunc(c.Buttons, func(b card.Button) bool { return b.Label == label })
		if i < 0 {
			return c, false
		}
		return w.hear(request.Incoming{Kind: request.KindClick, User: "fin", Action: c.Buttons[i].Action, Value: c.Buttons[i].Value})[0], true
	}
	page := w.hear(request.Incoming{Kind: request.KindCommand, User: "fin", Text: "audit"})[0]
	var down, up []string
	for ok := true; ok; page, ok = turn(page, "Older") {
		down = append(down, lines(page)...)
		w.command("ana", "pause refund once more")
		w.command("ana", "resume refund")
	}
	if len(down) < 52 || !strings.Contains(down[len(down)-1], "approved a version of") {
		t.Errorf("%d entries are found, the last is %q", len(down), down[len(down)-1])
	}
	seen, bottom := len(down), down[len(down)-auditLast(len(down)):]
	for _, of := range []string{"*refund*", "*refund-1*"} { // is paused and resumed in turns
		var states []bool
		for _, line := range down {
			if paused := strings.Contains(line, ": paused "+of); paused || strings.Contains(line, ": resumed "+of) {
				states = append(states, paused)
			}
		}
		if len(states) != 50 || len(slices.Compact(states)) != 50 {
			t.Errorf("between pages something of %s is lost or repeated: %v", of, states)
		}
	}
	for ok := true; ok; page, ok = turn(page, "Newer") {
		up = append(lines(page), up...)
	}
	if len(up) < seen || !slices.Equal(up[len(up)-len(bottom):], bottom) {
		t.Errorf("%d entries are found on the way back, and %d before", len(up), seen)
	}
	if got := w.command("fin", "audit 2"); !strings.Contains(got, "paused *refund*") {
		t.Errorf("the second page by its number:\n%s", got)
	}
	if got := w.command("fin", "audit before=x"); !strings.Contains(got, "cannot read that place") {
		t.Errorf("a place that is none: %s", got)
	}
}

// auditLast is how many entries the last of full pages has.
func auditLast(all int) int { return (all-1)%20 + 1 }
