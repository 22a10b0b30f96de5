package match_test

import (
	"fmt"

	"sluice/engine/planner/match"
	"sluice/engine/tool"
)

func ExampleNewCatalogue() {
	c := match.NewCatalogue([]tool.Tool{
		{Name: "shop.get_order", Description: "Get an order"}, {Name: "shop.refund", Description: "Refund an order"},
	})
	fmt.Println(c.Find("shop.refund") != nil, c.Find("shop.cancel") != nil)
	fmt.Println(match.Compatible("integer", "number"), match.Compatible("string", "number"))
	// Output:
	// true false
	// true false
}
