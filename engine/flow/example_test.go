package flow_test

import (
	"fmt"

	"sluice/engine/flow"
)

func ExampleCanonical() {
	f := &flow.Flow{Name: "hello", Entry: "greet", Nodes: []flow.Node{{ID: "greet", Spec: &flow.SaySpec{Message: "Good morning"}}}}
	fmt.Println(string(flow.Canonical(f)))
	// Output: {"name":"hello","entry":"greet","on_limit":{"action":"end_path"},"nodes":[{"id":"greet","type":"say","message":"Good morning"}]}
}
