package jsonschema_test

import (
	"fmt"

	"sluice/engine/jsonschema"
)

func Example() {
	order := map[string]any{"type": "object", "required": []string{"id"}, "properties": map[string]any{
		"id":    map[string]any{"type": []any{"string", "null"}},
		"lines": map[string]any{"type": "array", "items": map[string]any{"enum": []any{"a", 1.0}}},
	}}
	lines := jsonschema.Property(order, "lines")
	fmt.Println(jsonschema.Names(order), jsonschema.Required(order))
	fmt.Println(jsonschema.Types(jsonschema.Property(order, "id")), jsonschema.Values(jsonschema.Items(lines)["enum"]))
	fmt.Println(jsonschema.Property(order, "no"), jsonschema.Items(order), jsonschema.Required(nil))
	// Output:
	// [id lines] [id]
	// [string null] [a 1]
	// map[] map[] []
}

func ExampleInOrder() {
	s := map[string]any{"required": []any{"name", "day", "gone"}, "properties": map[string]any{"day": true, "about": true, "name": true}}
	fmt.Println(jsonschema.InOrder(s), jsonschema.InOrder(nil))
	// Output: [name day about] []
}
