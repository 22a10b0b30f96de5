package bot

import (
	"strings"
	"testing"

	"sluice/bot/draft"
	"sluice/bot/request"
)

// TestRollback: an earlier version comes back as a new one that is equal to it, and is approved as a change is: by a second person.
func TestRollback(t *testing.T) {
	t.Parallel()
	w := secondPerson(t)
	more := strings.Replace(pays, "order_id: A-1", "order_id: A-666", 1)
	if got := w.approve("fin", w.written("ana", more)); got != "" {
		t.Fatalf("the second version was refused: %q", got)
	}
	for text, want := range map[string]string{
		"rollback": "Which flow, and which version", "rollback pays": "which version", "rollback pays two": "which version", "rollback nothing 1": "no such flow", "rollback pays 7": "pays has no version 7",
		"rollback pays 2": "Version 2 is the one that pays runs now", "history": "Which flow?", "history nothing": "no such flow",
	} {
		if got := w.command("ana", text); !strings.Contains(got, want) {
			t.Errorf("%q is answered %q", text, got)
		}
	}
	if got := w.command("eve", "rollback pays 1") + w.command("eve", "history pays"); strings.Count(got, "no such flow") != 2 {
		t.Errorf("eve is told %q", got)
	}
	in := request.Incoming{Kind: request.KindMention, User: "ana", Text: "rollback pays 1", TS: "900.0"}
	w.hear(in)
	d := w.newest("900.0")
	if d.Base != 2 || d.Author != "ana" || d.Status != draft.Open {
		t.Fatalf("the draft is %+v", d)
	}
	if got := w.approve("ana", d); !strings.Contains(got, "Who may") {
		t.Errorf("ana approves it alone: %q", got)
	}
	if got := w.approve("fin", d); got != "" {
		t.Errorf("fin is refused: %q", got)
	}
	rows, err := w.store.Revisions(t.Context(), "pays")
	if err != nil || len(rows) != 3 || rows[0].Hash != rows[2].Hash || rows[0].Hash == rows[1].Hash || rows[0].By != "fin" {
		t.Fatalf("the versions are %+v (%v)", rows, err)
	}
	got := w.command("ana", "history pays")
	for _, part := range []string{"*version 3*, which runs now", "approved by <@fin>, written by <@ana>: the same as version 1", "*version 2*", "\n    *was* 2.", "\n    *now* 2.", "A-666", "*version 1*", "the first"} {
		if !strings.Contains(got, part) {
			t.Errorf("the history does not say %q:\n%s", part, got)
		}
	}
	if got := w.command("ana", "rollback pays 1"); !strings.Contains(got, "pays does now what version 1 did") {
		t.Errorf("once more: %q", got)
	}
}
