package chatcmd_test

import (
	"fmt"

	"sluice/cmd/sluice/chatcmd"
)

func ExampleChanges() {
	fmt.Println(chatcmd.Changes("history refund"), chatcmd.Changes("skip next refund"))
	// Output: false true
}
