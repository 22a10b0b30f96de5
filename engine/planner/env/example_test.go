package env_test

import (
	"fmt"

	"sluice/engine/planner/env"
)

func ExampleFieldsOf() {
	schema := map[string]any{"type": "object", "properties": map[string]any{
		"customer": map[string]any{"type": "object", "properties": map[string]any{"email": map[string]any{"type": "string"}}},
		"total":    map[string]any{"type": "number"},
	}}
	for _, f := range env.FieldsOf(schema) {
		fmt.Println(f.Name())
	}
	fmt.Println(env.Fits("number", 12.5), env.Fits("number", "much"))
	// Output:
	// customer
	// total
	// customer.email
	// true false
}
