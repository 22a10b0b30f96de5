package approval_test

import (
	"fmt"

	"sluice/engine/flow"
	"sluice/engine/flow/approval"
)

func ExampleReview() {
	pay := func(params map[string]any) *flow.Flow {
		return &flow.Flow{Name: "pay", Entry: "pay", Nodes: []flow.Node{
			{ID: "pay", Spec: &flow.ToolSpec{Tool: "shop.refund", Params: params}},
		}}
	}
	was, is := pay(map[string]any{"amount": 1.0}), pay(map[string]any{"amount": 100.0})
	for _, a := range approval.Review(was, is, approval.Surroundings{}) {
		fmt.Println(a.Kind, a.Node, a.Words)
	}
	// Output: change pay step 'Pay': amount was 1, becomes 100
}
