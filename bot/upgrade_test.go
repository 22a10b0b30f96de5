package bot

import (
	"strings"
	"testing"

	"sluice/bot/request"
	"sluice/engine/history"
)

// olderGraph has an input for an approval, a handle true and a node end.
const olderGraph = `{"name": "desk",
 "nodes": [{"id": "s", "type": "start", "data": {}}, {"id": "g", "type": "input", "data": {"prompt": "Go on?"}},
  {"id": "i", "type": "if", "data": {"condition": "yes"}}, {"id": "a", "type": "agent", "data": {}}, {"id": "e", "type": "end", "data": {}}],
 "connections": [{"source": "s", "target": "g"}, {"source": "g", "target": "i", "sourceHandle": "approve"},
  {"source": "i", "target": "a", "sourceHandle": "true"}, {"source": "a", "target": "e"}]}`

// A flow of an older form of its format is proposed in the present one. Once that is approved, the runs that wait are put on it.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	if got := w.approve("bob", w.written("ana", olderGraph)); got != "" {
		t.Fatalf("the approval is answered %q", got)
	}
	if got := w.command("ana", "start desk"); strings.Contains(got, "cannot") {
		t.Fatalf("the start is answered %q", got)
	}
	if got := w.status("desk-1"); got != history.Waiting {
		t.Fatalf("the run is %s", got)
	}
	w.hear(request.Incoming{Kind: request.KindMention, User: "ana", Text: "upgrade desk"})
	cards := w.surfaces("draft")
	d, err := w.store.Draft(t.Context(), strings.TrimPrefix(cards[len(cards)-1].Ref, "draft:"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(w.body(d).Flow)
	if d.Base != 1 || !strings.Contains(text, `condition-0`) || strings.Contains(text, `\"input\"`) || strings.Contains(text, `\"true\"`) {
		t.Errorf("draft of version %d: %s", d.Base, text)
	}
	if got := w.approve("bob", d); got != "" {
		t.Fatalf("the approval is answered %q", got)
	}
	if len(w.surfaces("moves")) == 0 {
		t.Fatal("nothing is said of the run that waits")
	}
	if got := w.click("ana", "moves.fit", d.ID); got != "" {
		t.Errorf("the move is answered %q", got)
	}
	if r, err := w.store.RunByName(t.Context(), "desk-1"); err != nil || r.Revision != 2 {
		t.Errorf("the run is on version %d, %v", r.Revision, err)
	}
	if got := w.command("ana", "upgrade desk"); !strings.Contains(got, "has the present form") {
		t.Errorf("a second upgrade is answered %q", got)
	}
}
