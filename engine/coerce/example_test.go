package coerce_test

import (
	"fmt"

	"sluice/engine/coerce"
	"sluice/engine/flow"
)

func ExampleInputs() {
	f := &flow.Flow{Name: "refund", Inputs: []flow.Input{
		{Name: "order", Type: "string", Required: true},
		{Name: "amount", Type: "number", Default: 10.0},
	}}
	fmt.Println(coerce.Inputs(f, map[string]any{"order": "A-17", "amount": "42"}))
	_, err := coerce.Inputs(f, map[string]any{"ordr": "A-17"})
	fmt.Println(err)
	// Output:
	// map[amount:42 order:A-17] <nil>
	// The inputs of refund do not fit: order is missing; there is no input called ordr (did you mean "order"?). Start it with: run refund order=<string> [amount=<number>]
}
