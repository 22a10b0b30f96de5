package engine_test

import (
	"errors"
	"strings"
	"testing"

	"sluice/engine"
	"sluice/engine/dryrun"
	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/history"
	"sluice/engine/try"
	"sluice/engine/usererror"
)

// tried is a world in which two refunds have gone through, and the tools note their calls.
func tried(t *testing.T) (*world, *flow.Flow) {
	t.Helper()
	w := newWorld(t)
	w.record("shop.get", flow.EffectsRead)
	w.record("shop.pay", flow.EffectsOnce)
	w.serve()
	f := w.save(refund)
	for order, choice := range map[string]string{"A-1": "approve", "A-2": "reject"} {
		r := w.start("refund", map[string]any{"order_id": order})
		if _, err := w.engine.Answer(t.Context(), engine.GateAnswer{Gate: w.gate(r.ID).ID, Shown: shown(w.engine, w.gate(r.ID).ID), Choice: choice, Actor: history.Actor{User: "fin"}}); err != nil {
			t.Fatal(err)
		}
		w.ended(r.ID, history.Succeeded)
	}
	return w, f
}

func reparsed(t *testing.T, w *world, src string) *flow.Flow {
	t.Helper()
	doc, problems := file.Check("flow.yaml", []byte(src), engine.Checks(w.tools))
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	return doc.Flow
}

// A trial uses what recorded runs got, calls nothing and leaves nothing behind.
func TestTry(t *testing.T) {
	t.Parallel()
	w, f := tried(t)
	before := len(w.seen("shop.get")) + len(w.seen("shop.pay"))
	r, err := w.engine.Try(t.Context(), f, dryrun.Request{By: "ana"})
	if err != nil {
		t.Fatal(err)
	}
	if r.Nodes["gate"] != try.Certain || r.Nodes["pay"] != try.Possible {
		t.Errorf("nodes %v", r.Nodes)
	}
	if u := r.Values[0]; u.Name != "look" || u.Source != try.FromRun || !strings.HasPrefix(u.Run, "refund-") {
		t.Errorf("values %+v", r.Values)
	}
	if in := r.Inputs[0]; in.Source != try.FromExample || in.Text != "A-1" {
		t.Errorf("inputs %+v", r.Inputs)
	}
	other := reparsed(t, w, strings.Replace(refund, "tool: shop.get", "tool: shop.pay", 1))
	if r, err = w.engine.Try(t.Context(), other, dryrun.Request{}); err != nil {
		t.Fatal(err)
	}
	if u := r.Values[0]; u.Source != try.Unknown || r.Nodes["gate"] != try.Possible {
		t.Errorf("what another tool gave is used: %+v", r.Values)
	}
	if after := len(w.seen("shop.get")) + len(w.seen("shop.pay")); after != before {
		t.Errorf("trials called tools %d times", after-before)
	}
}

// What a person can mend is said.
func TestTryRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.record("shop.get", flow.EffectsRead)
	w.record("shop.pay", flow.EffectsOnce)
	w.serve()
	f := reparsed(t, w, refund)
	for want, q := range map[string]dryrun.Request{
		`There is no step called "lok" (did you mean "look"?)`: {Samples: map[string]any{"lok": 1}},
		"there is no input called order":                       {Inputs: map[string]any{"order": "A-1"}},
	} {
		_, err := w.engine.Try(t.Context(), f, q)
		var ue *usererror.Error
		if !errors.As(err, &ue) || !strings.Contains(ue.Text, want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Finished runs are fed to another revision: what would it have made of them?
func TestReplay(t *testing.T) {
	t.Parallel()
	w, f := tried(t)
	calls := len(w.seen("shop.get")) + len(w.seen("shop.pay"))
	summary := func(f *flow.Flow) string {
		t.Helper()
		all, err := w.engine.Replay(t.Context(), f, 0)
		if err != nil {
			t.Fatal(err)
		}
		return try.Summary(all)
	}
	if got := summary(f); got != "2 go the same way" {
		t.Error(got)
	}
	higher := reparsed(t, w, strings.Replace(refund, "> 200", "> 300", 1))
	if got := summary(higher); !strings.HasPrefix(got, "0 go the same way, 2 differ: refund-") || !strings.Contains(got, "would not come to gate any more") {
		t.Error(got)
	}
	if after := len(w.seen("shop.get")) + len(w.seen("shop.pay")); after != calls {
		t.Errorf("a replay called tools %d times", after-calls)
	}
	unknown := reparsed(t, w, strings.Replace(refund, "name: refund", "name: other", 1))
	if got := summary(unknown); got != "no run has finished yet" {
		t.Error(got)
	}
}
