package bot

import (
	"strings"
	"testing"

	"sluice/bot/draft"
	"sluice/bot/request"
)

// TestAFlowIsChangedByACommand: in the thread of its draft, by a person who may propose it; other words that begin with "change" describe a flow.
func TestAFlowIsChangedByACommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	thread, d := w.draft("ana", refundWords)
	w.click("ana", "draft.approve", draft.Value(d))
	for text, want := range map[string]string{
		"change":               "Which flow, and what should be different?",
		"change refund":        "Which flow, and what should be different?",
		"change nothing: go":   "no such flow",
		"change refund: 12 kg": "I cannot read this as a change",
	} {
		if got := w.command("ana", text); !strings.Contains(got, want) {
			t.Errorf("%q is answered %q", text, got)
		}
	}
	if got := w.command("eve", "change refund: remove 1"); !strings.Contains(got, "no such flow") {
		t.Errorf("eve is told %q", got)
	}
	for i, text := range []string{"change refund: 2. ask @fin to approve", "change the refund flow 2. ask @bob to approve"} {
		if got := w.command("bob", text); !strings.Contains(got, "Your change of *refund* is in") {
			t.Errorf("%q is answered %q", text, got)
		}
		if next := w.newest(thread); next.Base != 1 || next.Number != i+1 || next.Author != "bob" {
			t.Errorf("%q makes draft %d of version %d by %s", text, next.Number, next.Base, next.Author)
		}
	}
	w.hear(request.Incoming{Kind: request.KindMention, User: "ana", Text: "change the address in the system: get the order", TS: "700.0"})
	if next := w.newest("700.0"); next.Base != 0 {
		t.Errorf("a description changes version %d", next.Base)
	}
}
