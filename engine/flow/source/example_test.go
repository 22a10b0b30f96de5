package source_test

import (
	"fmt"

	"sluice/engine/flow"
	"sluice/engine/flow/source"
)

func ExampleYAML() {
	src := source.New("order.yaml", []byte("order:\n  id: A-1\n  amount: many\n"))
	root, bad := source.YAML(src, func(key string, at, _ source.Place) { fmt.Println("twice:", key, at) })
	if bad != nil {
		fmt.Println(bad)
		return
	}
	amount := root.Get("order").Get("amount")
	fmt.Println(src.Problem(amount.At, flow.SeverityError, "wrong-type", "'amount' must be a number, not "+amount.Kind.Words(), "").String())
	// Output:
	// order.yaml:3:11: 'amount' must be a number, not a string
	//     3 |   amount: many
	//       |           ^
}
