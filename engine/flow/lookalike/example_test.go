package lookalike_test

import (
	"fmt"

	"sluice/engine/flow/lookalike"
)

func ExampleOddCharacter() {
	fmt.Println(lookalike.OddCharacter("p\u0430y"))
	fmt.Println(lookalike.Skeleton("p\u0430y") == lookalike.Skeleton("pay"))
	// Output:
	// the character 'а' (U+0430) is Cyrillic, and the others are Latin
	// true
}
