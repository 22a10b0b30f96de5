package function_test

import (
	"fmt"

	"sluice/engine/expr/function"
	"sluice/engine/expr/value"
)

func ExampleFunction_Apply() {
	split, _ := function.Named("split")
	fmt.Println(split.Signature(0))
	ctx := &function.Context{Meter: value.Meter{Left: value.DefaultCost}, Strict: true}
	fmt.Println(split.Apply(ctx, "a,b,c", ",", 1))
	divide, _ := function.Named("divide")
	fmt.Println(divide.Apply(ctx, 1, 0))
	// Output:
	// split(text, separator?, most?)
	// [a b,c] <nil>
	// <nil> divide: '1' cannot be divided by 0
}
