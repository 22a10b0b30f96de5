package flow_test

import (
	"fmt"

	"sluice/engine/flow"
)

func ExampleValidate() {
	f := &flow.Flow{Name: "hello", Entry: "greet", Nodes: []flow.Node{
		{ID: "greet", Spec: &flow.SaySpec{Message: "Good morning"}, Routes: []flow.Route{{To: "repot"}}},
		{ID: "report", Spec: &flow.SaySpec{Message: "All is well"}},
	}}
	for _, p := range flow.Validate(f, flow.Checks{}).Errors() {
		fmt.Println(p.Message+";", p.Hint)
	}
	// Output: unknown target 'repot' on flow node 'greet'; did you mean 'report'?
}

func ExampleCanonical() {
	f := &flow.Flow{Name: "hello", Entry: "greet", Nodes: []flow.Node{{ID: "greet", Spec: &flow.SaySpec{Message: "Good morning"}}}}
	fmt.Println(string(flow.Canonical(f)))
	// Output: {"name":"hello","entry":"greet","on_limit":{"action":"end_path"},"nodes":[{"id":"greet","type":"say","message":"Good morning"}]}
}
