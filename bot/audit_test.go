package bot

import (
	"strings"
	"testing"
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
		"audit":          {"<@ana>: approved a version of *refund* (version 1), by button", "<@bob>: made a schedule of *refund*", "<@ana>: paused *refund*", "<@bob>: started *refund-1*", "<@bob>: ended *refund-1*: stopped, by command"},
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
