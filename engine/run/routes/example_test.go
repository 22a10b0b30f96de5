package routes_test

import (
	"fmt"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
	"sluice/engine/run/routes"
	"sluice/engine/run/scope"
)

func ExampleChoose() {
	f := &flow.Flow{Name: "f", Entry: "a", Nodes: []flow.Node{{
		ID: "a", Kind: flow.KindSet, Spec: &flow.SetSpec{},
		Routes: []flow.Route{{When: "inputs.amount > 100", To: "b"}, {To: flow.End}, {When: "true", To: "a"}},
	}, {ID: "b", Kind: flow.KindTerminal, Spec: &flow.TerminalSpec{}}}}
	p, err := compile.Flow(f)
	if err != nil {
		panic(err)
	}
	for _, amount := range []float64{300, 30} {
		start := &history.RunStarted{Inputs: map[string]any{"amount": amount}}
		c, nerr := routes.Choose(scope.New(p, &history.State{}, &scope.Reads{Start: start}), p.Nodes["a"], history.Token{Node: "a"})
		fmt.Println(c.Ways[0].To, "because", c.Ways[0].Why, c.Seen, nerr)
	}
	// Output:
	// b because inputs.amount > 100 map[inputs.amount:300] <nil>
	// end because default map[inputs.amount:30] <nil>
}
