package reply_test

import (
	"fmt"

	"sluice/engine/planner/phrase"
	"sluice/engine/planner/reply"
	"sluice/engine/planner/tree"
)

// Words behind a question are one of its answers, no answer in time, or something else.
func ExampleOrSilence() {
	approval := &tree.Step{Kind: tree.Ask}
	choice := &tree.Step{Kind: tree.Ask, Choices: []string{"refund", "replacement"}}
	for _, c := range []struct {
		ask   *tree.Step
		words string
	}{
		{approval, "if she says no, tell @bob"},
		{approval, "if not approved stop"},
		{approval, "if nobody answers within 2 days ask @bob"},
		{approval, "if the parcel is late tell @bob"},
		{choice, "replacement -> @bob ships it"},
	} {
		answer, term, n := reply.OrSilence(c.ask, phrase.Scan(c.words, 0, len(c.words)))
		fmt.Printf("%q %q %d\n", answer, term, n)
	}
	fmt.Println(reply.Left(choice), reply.Left(approval))
	// Output:
	// "reject" "" 4
	// "reject" "" 3
	// "timeout" "2d" 6
	// "" "" 0
	// "replacement" "" 2
	// [] [reject]
}
