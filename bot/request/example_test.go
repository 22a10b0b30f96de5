package request_test

import (
	"fmt"

	"sluice/bot/request"
)

// A command is a word, plain arguments, and name=value pairs.
func ExampleParseCommand() {
	c, err := request.ParseCommand(`run refund order_id=A-1001 note="two words"`)
	fmt.Println(c.Verb, c.Arg(0), c.Pairs["order_id"], c.Pairs["note"], err)
	// Output: run refund A-1001 two words <nil>
}

// A name that does not exist is answered with the nearest one that the person may see.
func ExampleUnknown() {
	err := request.Unknown("flow", "refnd", []string{"refund", "onboarding"}, "`/flow list` shows your flows.")
	fmt.Println(err.Text)
	fmt.Println(err.Hint)
	// Output:
	// There is no such flow: “refnd”.
	// Did you mean `refund`? `/flow list` shows your flows.
}
