package chart_test

import (
	"fmt"

	"sluice/engine/flow"
	"sluice/engine/flow/chart"
)

func ExampleOf() {
	f := &flow.Flow{Name: "refund", Entry: "check", Nodes: []flow.Node{
		{ID: "check", Spec: &flow.DecisionSpec{Expr: "inputs.amount > 100"}, Routes: []flow.Route{{When: "true", To: "ask-boss"}, {To: flow.End}}},
		{ID: "ask-boss", Spec: &flow.ApprovalSpec{Message: "Pay it?"}},
	}}
	c := chart.Of(f)
	for _, n := range c.Nodes {
		fmt.Println(n.Type, n.Name)
	}
	for _, e := range c.Edges {
		fmt.Printf("%s -> %s %q\n", e.From, e.To, e.Label)
	}
	// Output:
	// start Start
	// decision Check
	// io Ask boss
	// terminal End
	// ·start -> check ""
	// check -> ask-boss "> 100"
	// check -> ·end "otherwise"
	// ask-boss -> ·end ""
}
