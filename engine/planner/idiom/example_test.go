package idiom_test

import (
	"fmt"
	"testing"

	"sluice/engine/expr"
	"sluice/engine/planner/idiom"
)

func ExampleInputsRead() {
	fmt.Println(idiom.InputsRead("Pay {{inputs.amount}} to {{inputs.name}}"))
	fmt.Println(idiom.Refuses("reject"), idiom.Refuses("approve"))
	// Output:
	// [amount name]
	// true false
}

// TestLiteralsAreReadBack: a text that is written into an expression is the same when it is read.
func TestLiteralsAreReadBack(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "plain", "it's", `a \ and a "`, "'", `\'`, "two\nlines", "ä 日本"} {
		literal := idiom.Literal(text)
		if _, is := expr.Literal(literal); !is {
			t.Errorf("%q is written as %s, which is no literal", text, literal)
		}
		if got, _ := idiom.Answer("gate", idiom.Answered("gate", text)); got != text {
			t.Errorf("%q is written as %s and read as %q", text, literal, got)
		}
	}
}
