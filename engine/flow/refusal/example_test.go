package refusal_test

import (
	"fmt"

	"sluice/engine/flow/refusal"
)

func ExampleNamed() {
	for _, choice := range []string{"Reject", "No thanks", "no objections", "large"} {
		r, agrees := refusal.Named(choice)
		fmt.Println(choice, r == refusal.Firm, r == refusal.Weak, agrees)
	}
	// Output:
	// Reject true false false
	// No thanks false true false
	// no objections false false true
	// large false false false
}
