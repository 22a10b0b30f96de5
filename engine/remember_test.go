package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/prune"
	"sluice/storage"
)

// notingFlow notes its input, and gives what it has of earlier runs.
const notingFlow = `{"name": %q, "entry": "n", "rules": {"remembers": %t}, "inputs": [{"name": "x", "type": "string"}], "nodes": [
	{"id": "n", "type": "set", "vars": {"memory_notes": "{{append(list(vars.memory_notes), inputs.x)}}", "other": "1"}, "routes": [{"to": "done"}]},
	{"id": "done", "type": "terminal", "output": {"earlier": "{{vars.remembered}}"}}]}`

// A flow that remembers gives its runs what earlier ones have noted, whole and in order, as long as those runs are kept. Other flows give nothing.
func TestRunsRemember(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve()
	for name, remembers := range map[string]bool{"noting": true, "forgetful": false} {
		f, err := flow.FromJSON(fmt.Appendf(nil, notingFlow, name, remembers))
		if err != nil {
			t.Fatal(err)
		}
		w.saveFlow(f)
	}
	user := "ana"
	run := func(flow, x string) string {
		t.Helper()
		s, err := w.engine.Start(t.Context(), engine.StartRequest{Flow: flow, Inputs: map[string]any{"x": x}, Actor: history.Actor{User: user, Via: history.ViaCLI}})
		if err != nil {
			t.Fatal(err)
		}
		w.ended(s.Run.ID, history.Succeeded)
		w.folds(s.Run.ID)
		v, err := w.engine.View(t.Context(), s.Run.ID)
		if err != nil {
			t.Fatal(err)
		}
		out := ""
		for _, f := range v.Facts {
			if b, ok := f.Body.(*history.StepFinished); ok {
				out = string(b.Output.Data)
			}
		}
		return out
	}
	long := strings.Repeat("b", 20<<10) // more than a state keeps of a variable
	for _, step := range []struct{ flow, x, want string }{
		{"forgetful", "a", `{"earlier":null}`},
		{"forgetful", "b", `{"earlier":null}`},
		{"noting", "a", `{"earlier":null}`},
		{"noting", long, `{"earlier":{"by":["ana"],"memory_notes":["a"]}}`},
		{"noting", "c", `{"earlier":{"by":["ana"],"memory_notes":["a","` + long + `"]}}`},
	} {
		if got := run(step.flow, step.x); got != step.want {
			t.Errorf("a run of %s that notes %.10s has %.100s of earlier ones, want %.100s", step.flow, step.x, got, step.want)
		}
	}
	for range 4 { // the oldest notes are left out
		run("noting", long)
	}
	if got := run("noting", "d"); len(got) > 64<<10+100 || strings.Contains(got, `"a"`) || !strings.Contains(got, long) {
		t.Errorf("a run begins with %d bytes of earlier ones", len(got))
	}
	user = "ben"
	run("noting", "of ben, with a copy of what ana's runs have noted")
	run("forgetful", "of ben")
	p := prune.New(prune.Config{Store: w.store, Now: w.engine.Now, Every: time.Hour, Name: "p"})
	if _, err := p.Forget(t.Context(), "ana", func(storage.Draft, string) bool { return false }); err != nil {
		t.Fatal(err)
	}
	left, err := w.store.Runs(t.Context(), storage.RunQuery{})
	if err != nil || len(left) != 1 || left[0].Flow != "forgetful" {
		t.Errorf("after ana is forgotten there are the runs %+v, %v", left, err)
	}
	if got := run("noting", "new"); got != `{"earlier":null}` {
		t.Errorf("a run after that has %.100s of earlier ones", got)
	}
}
