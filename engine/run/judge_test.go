package run_test

import (
	"errors"
	"fmt"
	"testing"

	"sluice/engine/enginetest"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run"
)

// again reports the outcome of the last step once more: it is fenced, and no answer to the question that is asked meanwhile.
func again(d *enginetest.Driver) error {
	if _, err := d.Feed(d.Inputs[len(d.Inputs)-1].Input); !errors.Is(err, run.ErrFenced) {
		return fmt.Errorf("the outcome was taken twice: %w", err)
	}
	return nil
}

// Two tokens at one node: each goes on by its own output, also when the other finishes while the first is judged.
func TestTokensAtOneNodeGoByTheirOwnOutput(t *testing.T) {
	t.Parallel()
	always := func(to string) flow.Route { return flow.Route{If: flow.IfAlways, To: to} }
	d, err := enginetest.NewDriver(&flow.Flow{
		Name: "same-node", Entry: "start", MaxVisits: 50, Profile: "s1",
		Nodes: []flow.Node{
			{ID: "start", Kind: flow.KindDecision, Spec: &flow.DecisionSpec{Expr: "1"}, Policy: flow.PolicyAll, Routes: []flow.Route{always("x"), always("set")}},
			{ID: "set", Kind: flow.KindSet, Spec: &flow.SetSpec{Vars: map[string]any{"v": 1.0}}, Routes: []flow.Route{{To: "x"}}},
			{
				ID: "x", Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: "t.x", Effects: flow.EffectsRead}, Criteria: []flow.Clause{{ID: "q", Text: "Good?"}},
				Routes: []flow.Route{{When: "output.n > 5 and x.n > 5 and nodes.x.n > 5 and previous.n > 5", To: "high"}, {To: "low"}},
			},
			{ID: "high", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "high"}},
			{ID: "low", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "low"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	d.Context.HasModel = true
	if err := d.Start(nil); err != nil {
		t.Fatal(err)
	}
	yes := []history.Verdict{{ID: "q", Met: true}}
	for _, do := range []func() error{
		func() error { return d.Claim(1) },
		func() error { return d.Claim(2) },
		func() error { return d.Finish(1, enginetest.Output(`{"n": 9}`), nil) },
		func() error { return d.Finish(2, enginetest.Output(`{"n": 1}`), nil) },
		func() error { return again(d) },
		func() error { return d.Judge(1, yes, nil) },
		func() error { return d.Judge(2, yes, nil) },
	} {
		if err := do(); err != nil {
			t.Fatalf("%v\n%s", err, enginetest.Print(d.Facts))
		}
	}
	if at := d.State.Token(1).Node + " " + d.State.Token(2).Node; at != "high low" {
		t.Errorf("they went on to %s\n%s", at, enginetest.Print(d.Facts))
	}
}
