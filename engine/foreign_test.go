package engine_test

import (
	"errors"
	"strings"
	"testing"

	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/usererror"
)

// imported is a flow with two entries, a loop and a value that is made when it is read.
func imported() *flow.Flow {
	return &flow.Flow{
		Name: "imported", Entry: "begin", Profile: "s4", Inputs: []flow.Input{{Name: "to", Type: "number"}},
		Nodes: []flow.Node{
			{ID: "begin", Kind: flow.KindEntry, Spec: &flow.EntrySpec{}, Routes: []flow.Route{{To: "count"}}},
			{ID: "night", Kind: flow.KindEntry, Spec: &flow.EntrySpec{Start: flow.StartSchedule}, Routes: []flow.Route{{To: "last"}}},
			{ID: "count", Kind: flow.KindLoop, Spec: &flow.LoopSpec{Type: flow.LoopFor, To: "begin.to", Body: "act"}, Routes: []flow.Route{{To: "last"}}},
			{ID: "act", Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: "shop.act", Params: map[string]any{"text": "{{label.text}}"}}, Routes: []flow.Route{{To: "note"}}},
			{ID: "note", Kind: flow.KindSet, Spec: &flow.SetSpec{Vars: map[string]any{"done": "{{vars.done}}{{i}}"}}},
			{ID: "label", Kind: flow.KindCompute, Spec: &flow.ComputeSpec{Value: map[string]any{"text": "round {{count.number}} after {{vars.done}}"}, Pull: true}},
			{ID: "last", Kind: flow.KindTerminal, Spec: &flow.TerminalSpec{Output: "{{vars.done}} {{count.total}}", EndsRun: true}},
		},
	}
}

// TestImportedFlowsRun runs kinds that only imported flows have on the real store, from the canonical form.
func TestImportedFlowsRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.record("shop.act", flow.EffectsIdempotent)
	stop := w.serve()
	defer stop()
	w.saveFlow(imported())
	r := w.start("imported", map[string]any{"to": 4.0})
	w.ended(r.ID, history.Succeeded)
	var texts []string
	keys := map[string]bool{}
	for _, c := range w.seen("shop.act") {
		texts = append(texts, c.Params["text"].(string))
		keys[c.Key] = true
	}
	if got := strings.Join(texts, "; "); got != "round 1 after ; round 2 after 0; round 3 after 01; round 4 after 012" || len(keys) != 4 {
		t.Errorf("the tool saw %s under %d keys", got, len(keys))
	}
	s, err := w.engine.Start(t.Context(), engine.StartRequest{Flow: "imported", Entry: "night", Actor: history.Actor{User: "ana"}})
	if err != nil {
		t.Fatal(err)
	}
	w.ended(s.Run.ID, history.Succeeded)
	if n := len(w.seen("shop.act")); n != 4 {
		t.Errorf("the other entry led to %d acts", n-4)
	}
	_, err = w.engine.Start(t.Context(), engine.StartRequest{Flow: "imported", Entry: "nihgt", Actor: history.Actor{User: "ana"}})
	if user, ok := errors.AsType[*usererror.Error](err); !ok || user.Code != "bad_entry" || !strings.Contains(user.Text, `did you mean "night"`) {
		t.Errorf("a wrong entry gives %v", err)
	}
}

// A flow of another format may run itself: each run is one of the same revision, and limits.depth bounds them. It takes what its caller gives
// besides its inputs.
func TestImportedFlowsRunThemselves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.record("shop.act", flow.EffectsIdempotent)
	stop := w.serve()
	defer stop()
	w.saveFlow(&flow.Flow{
		Name: "again", Entry: "more", Profile: "s4", Inputs: []flow.Input{{Name: "n", Type: flow.TypeAny}},
		Nodes: []flow.Node{
			{ID: "more", Kind: flow.KindDecision, Spec: &flow.DecisionSpec{Expr: "inputs.n.left"}, Routes: []flow.Route{{When: "0", To: "act"}, {To: "self"}}},
			{ID: "self", Kind: flow.KindSubflow, Spec: &flow.SubflowSpec{Flow: "again", Inputs: map[string]any{"n": map[string]any{"left": "{{subtract(inputs.n.left, 1)}}"}, "other": 1}}},
			{ID: "act", Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: "shop.act"}},
		},
	})
	r := w.start("again", map[string]any{"n": map[string]any{"left": 2.0}})
	w.ended(r.ID, history.Succeeded)
	if n := len(w.seen("shop.act")); n != 1 {
		t.Errorf("the innermost run acted %d times", n)
	}
}
