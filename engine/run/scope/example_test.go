package scope_test

import (
	"fmt"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
	"sluice/engine/run/scope"
)

// An expression reads the inputs of the run. In the scope for people, sensitive ones are dots.
func ExampleReader_Scope() {
	p, err := compile.Flow(&flow.Flow{
		Name: "f", Entry: "a", Inputs: []flow.Input{{Name: "order"}, {Name: "pin", Sensitive: true}},
		Nodes: []flow.Node{{ID: "a", Kind: flow.KindTerminal, Spec: &flow.TerminalSpec{}}},
	})
	if err != nil {
		panic(err)
	}
	start := &history.RunStarted{Inputs: map[string]any{"order": 7.0, "pin": "1234"}}
	rd := scope.New(p, &history.State{}, &scope.Reads{Start: start})
	sc := rd.Scope(history.Token{})
	for _, sc := range []*scope.Scope{sc, sc.Masked()} {
		e, err := expr.Compile("inputs.pin", nil)
		if err != nil {
			panic(err)
		}
		fmt.Println(e.Eval(sc, expr.Options{}))
	}
	// Output:
	// 1234 <nil>
	// ••• <nil>
}
