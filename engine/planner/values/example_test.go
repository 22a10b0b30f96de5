package values_test

import (
	"fmt"

	"sluice/engine/planner/phrase"
	"sluice/engine/planner/values"
)

func ExampleSource_Condition() {
	words := "the amount is over 100"
	c := values.Source{Src: words}.Condition(phrase.Scan(words, 0, len(words)))
	fmt.Println(c.Left.Words, c.Op, c.Right.Literal)
	// Output: the amount > 100
}
