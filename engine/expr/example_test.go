package expr_test

import (
	"errors"
	"fmt"

	"sluice/engine/expr"
)

func ExampleCompile() {
	scope := expr.Map{"order": map[string]any{"amount": 150.0, "status": "paid"}}
	e, err := expr.Compile("order.amount > 100 and not order.status == 'open'", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.Test(scope, expr.Options{}))
	fmt.Println(e.Reads())
	// Output:
	// true <nil>
	// [[order amount] [order status]]
}

func ExampleSyntaxError_Caret() {
	_, err := expr.Compile("send-refnd.result == 'paid'", []string{"send-refund"})
	if mistake, ok := errors.AsType[*expr.SyntaxError](err); ok {
		fmt.Println(mistake)
		fmt.Println(mistake.Caret())
	}
	// Output:
	// column 5: - cannot be used here (did you mean send-refund?)
	// send-refnd.result == 'paid'
	//     ^
}

func ExampleParseTemplate() {
	scope := expr.Map{"note": "late, damaged,", "price": 12.5}
	for _, src := range []string{
		"{{ price }}",
		"{{ price | multiply(3) | fixed(2) }} EUR for {{ note | split(',') | clean | join(' and ') }}",
	} {
		t, err := expr.ParseTemplate(src, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		v, err := t.Render(scope, expr.Options{})
		fmt.Printf("%T %v %v\n", v, v, err)
	}
	// Output:
	// float64 12.5 <nil>
	// string 37.50 EUR for late and damaged <nil>
}
