package chatcmd_test

import (
	"fmt"

	"sluice/cmd/sluice/chatcmd"
)

func ExampleChanges() {
	fmt.Println(chatcmd.Changes("history refund"))
	fmt.Println(chatcmd.Changes("remove refund go"))
	fmt.Println(chatcmd.Changes("skip next refund"))
	// Output:
	// false false
	// true false
	// true true
}
