package reference_test

import (
	"fmt"

	"sluice/engine/flow/reference"
)

func ExampleIn() {
	for _, part := range reference.In(`orders["a-b"].total > 5 and name == 'vars.x'`) {
		fmt.Println(part.Offset, part.Text)
	}
	fmt.Println(reference.SecretsIn("Bearer {{secret.SHOP}}"))
	// Output:
	// 0 orders.a-b.total
	// 24 and
	// 28 name
	// [SHOP]
}
