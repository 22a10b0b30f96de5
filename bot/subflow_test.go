package bot

import (
	"context"
	"strings"
	"testing"
	"time"

	"sluice/bot/draft"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/storage"
)

const asking = `
name: asking
inputs: {order: {type: string, required: true}}
flow:
  entry: gate
  nodes:
    - {id: gate, type: approval, message: "Pay {{inputs.order}}?", routes: [{to: tell}]}
    - {id: tell, type: emit, event: "paid/{{inputs.order}}", routes: [{to: end}]}
`

const caring = `
name: caring
run: {title: "Caring for {{inputs.order}}"}
inputs: {order: {type: string, required: true}}
flow:
  entry: both
  nodes:
    - {id: both, type: parallel, branches: [{to: ask}, {to: hear}], routes: [{to: end}]}
    - {id: ask, type: subflow, flow: asking, inputs: {order: "{{inputs.order}}"}, routes: [{to: end}]}
    - {id: hear, type: wait, event: "paid/{{inputs.order}}", routes: [{to: end}]}
`

// A flow that runs another one is approved after that one, runs in one thread, and asks there.
func TestAFlowThatRunsAnotherOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	d := w.written("ana", caring)
	if got := w.click("ana", "draft.approve", draft.Value(d)); !strings.Contains(got, "no such flow: “asking”") {
		t.Errorf("approving it before the other one was answered with %q", got)
	}
	for _, d := range []storage.Draft{w.written("ana", asking), d} {
		if got := w.click("ana", "draft.approve", draft.Value(d)); got != "" {
			t.Fatalf("approving %s was answered with %q", d.Flow, got)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- w.bot.Engine.Serve(ctx) }()
	defer func() {
		stop()
		<-served
	}()
	if got := said(w.hear(request.Incoming{Kind: request.KindCommand, User: "ana", Text: "run caring order=A-1"})); got != "" {
		t.Fatalf("the start was answered with %q", got)
	}
	gates := w.surfacesWhen(surface.KindGate)
	top, err := w.store.Runs(t.Context(), storage.RunQuery{Top: true})
	if err != nil || len(top) != 1 {
		t.Fatalf("listed are %v, %v", top, err)
	}
	if shown := w.surfaces(surface.KindStatus); len(shown) != 1 || shown[0].Ref != surface.RunRef(top[0].ID) {
		t.Errorf("status messages: %+v", shown)
	}
	g, err := w.store.Gate(t.Context(), strings.TrimPrefix(gates[0].Ref, "gate:"))
	if err != nil || g.Run == top[0].ID || gates[0].Channel != "C1" {
		t.Errorf("the gate is %+v, on %+v, %v", g, gates[0], err)
	}
	if root, err := surface.Root(t.Context(), w.store, g.Run); err != nil || root.ID != top[0].ID {
		t.Errorf("it is asked in the thread of %+v, %v", root, err)
	}
	if got := said(w.hear(request.Incoming{Kind: request.KindCommand, User: "ana", Text: "runs"})); strings.Contains(got, "asking-1") || !strings.Contains(got, "caring-1") {
		t.Errorf("the runs are listed as %q", got)
	}
	asked, err := gate.Decode(g)
	if err != nil {
		t.Fatal(err)
	}
	if got := w.click("bob", "gate.choose:"+g.ID+":0", surface.GateValue(g.ID, 0, asked.Opened.Shown())); got != "" {
		t.Errorf("the answer was answered with %q", got)
	}
	for late := time.Now().Add(20 * time.Second); ; {
		r, err := w.store.Run(t.Context(), top[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		if r.Status == string(history.Succeeded) {
			break
		}
		if time.Now().After(late) {
			t.Fatalf("the run is %s", r.Status)
		}
		time.Sleep(10 * time.Millisecond)
	}
	if shown := w.surfaces(surface.KindPicture); len(shown) != 1 {
		t.Errorf("final pictures: %+v", shown)
	}
}

// surfacesWhen waits until there is a surface of a kind.
func (w *world) surfacesWhen(kind string) []storage.Surface {
	w.Helper()
	for late := time.Now().Add(20 * time.Second); ; {
		if found := w.surfaces(kind); len(found) > 0 {
			return found
		}
		if time.Now().After(late) {
			w.Fatalf("there is no surface of kind %s", kind)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
