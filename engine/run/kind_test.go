package run

import (
	"maps"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
	"sluice/engine/run/scope"
)

// noteSpec is a kind of node that exists in this test alone.
type noteSpec struct{ flow.SaySpec }

func (*noteSpec) Kind() flow.Kind { return "note" }

// TestARecordIsAllThatAKindNeeds: a kind with a record in package flow and one here is compiled, entered, performed and left. Nothing else
// knows it.
func TestARecordIsAllThatAKindNeeds(t *testing.T) {
	t.Parallel()
	f := &flow.Flow{Name: "f", Entry: "a", Nodes: []flow.Node{
		{ID: "a", Kind: "note", Spec: &noteSpec{flow.SaySpec{Message: "{{inputs.who}} is here"}}, Routes: []flow.Route{{When: "output == 'noted'", To: "b"}}},
		{ID: "b", Kind: flow.KindTerminal, Spec: &flow.TerminalSpec{Output: "{{a.output}}"}},
	}}
	p, err := compile.Flow(f)
	if err != nil {
		t.Fatal(err)
	}
	kinds := maps.Clone(nodeKinds)
	kinds["note"] = nodeKind{enter: enterActing, effects: always(flow.EffectsIdempotent), render: renderSay}
	state, start := &history.State{}, history.RunStarted{Inputs: map[string]any{"who": "Ana"}}
	take := func(in Input) Decision {
		t.Helper()
		d, err := decide(kinds, p, state, in, &scope.Reads{Start: &start}, nil)
		if err != nil {
			t.Fatal(err)
		}
		state = d.State
		return d
	}
	take(Start{Run: start})
	d := take(Claimed{Token: state.Tokens[0].ID, Epoch: state.Tokens[0].Epoch})
	perform, ok := d.Effects[0].(Perform)
	if !ok || perform.Params["message"] != "Ana is here" || perform.Effects != flow.EffectsIdempotent {
		t.Fatalf("the worker is asked for %+v", d.Effects)
	}
	take(Finished{Token: perform.Token, Step: perform.Step, Epoch: perform.Epoch, Output: history.Output{Text: "noted"}})
	if state.Status != history.Succeeded {
		t.Errorf("the run is %s", state.Status)
	}
}
