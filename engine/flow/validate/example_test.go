package validate_test

import (
	"fmt"

	"sluice/engine/flow"
	"sluice/engine/flow/validate"
)

func ExampleFlow() {
	f := &flow.Flow{Name: "hello", Entry: "greet", Nodes: []flow.Node{
		{ID: "greet", Spec: &flow.SaySpec{Message: "Good morning"}, Routes: []flow.Route{{To: "repot"}}},
		{ID: "report", Spec: &flow.SaySpec{Message: "All is well"}},
	}}
	for _, p := range validate.Flow(f, flow.Checks{}).Errors() {
		fmt.Println(p.Message+";", p.Hint)
	}
	// Output: unknown target 'repot' on flow node 'greet'; did you mean 'report'?
}
