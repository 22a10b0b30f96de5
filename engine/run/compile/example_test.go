package compile_test

import (
	"fmt"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/run/compile"
)

func orders() *flow.Flow {
	return &flow.Flow{Name: "orders", Entry: "get", Nodes: []flow.Node{
		{ID: "get", Kind: flow.KindTool, Spec: &flow.ToolSpec{Tool: "shop.order"}, Routes: []flow.Route{{To: "check"}}},
		{ID: "check", Kind: flow.KindDecision, Spec: &flow.DecisionSpec{Expr: "get.amount > 100"}, Routes: []flow.Route{{When: "true", To: "tell"}, {To: flow.End}}},
		{ID: "tell", Kind: flow.KindSay, Spec: &flow.SaySpec{Message: "{{vars.name}} pays {{get.amount}}"}},
	}}
}

func ExampleFlow() {
	p, err := compile.Flow(orders())
	fmt.Println(err)
	get := p.Nodes["get"]
	fmt.Println("a worker performs get:", get.Acts(), "and check:", p.Nodes["check"].Acts())
	fmt.Println("the transition that leaves get may read", get.Ahead.Nodes, "and the variables", get.Ahead.Vars)
	// Output:
	// <nil>
	// a worker performs get: true and check: false
	// the transition that leaves get may read [get] and the variables [name]
}

// BenchmarkFlow compiles a small flow.
func BenchmarkFlow(b *testing.B) {
	f := orders()
	for b.Loop() {
		if _, err := compile.Flow(f); err != nil {
			b.Fatal(err)
		}
	}
}
