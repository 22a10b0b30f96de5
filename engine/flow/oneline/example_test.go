package oneline_test

import (
	"fmt"

	"sluice/engine/flow/oneline"
)

// A text has quotes only where a reader could take it for something else.
func ExampleValue() {
	fmt.Println(oneline.Value(map[string]any{"to": "#support", "text": "hello", "send": "yes", "amounts": []any{1.0, 2.5}}))
	// Output: {amounts: [1, 2.5], send: "yes", text: hello, to: "#support"}
}
