package quantity_test

import (
	"fmt"

	"sluice/engine/planner/quantity"
)

func ExampleReplace() {
	fmt.Println(quantity.Replace("if it is over 5,000 EUR", "5k", "7500"))
	fmt.Println(quantity.Replace("wait 30 minutes", "30 min", "an hour"))
	fmt.Println(quantity.Replace("on the 1st of every month", "the 1st", "on the 15th"))
	// Output:
	// if it is over 7500 EUR
	// wait an hour
	// on the 15th of every month
}

func ExampleOf() {
	old, _ := quantity.Of("2 hours")
	now, ok := quantity.Of("120 min")
	fmt.Println(ok, now.Calls(old), now.Follows(old))
	_, ok = quantity.Of("2 hours or so")
	fmt.Println(ok)
	// Output:
	// true true true
	// false
}
