package readback_test

import (
	"fmt"

	"sluice/engine/planner/env"
	"sluice/engine/planner/lower"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/readback"
)

// Words become a tree, the tree a flow, and the flow is said in sentences again.
func ExampleLines() {
	t, _ := outline.Read("1. wait 2 days\n2. tell the requester \"It is paid.\"", "U1")
	f, _, _ := lower.Flow(t, env.World{}, nil, nil)
	for _, l := range readback.Lines(f, nil, readback.Numbers(f)) {
		fmt.Println(l.Number, l.Text)
	}
	// Output:
	// 1 Wait 2 days.
	// 2 Tell the requester, in the run's thread: It is paid.
}
