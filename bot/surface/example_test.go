package surface_test

import (
	"fmt"

	"sluice/bot/surface"
	"sluice/engine/history"
)

// Every choice of an open question is a button, bound to what is shown.
func ExampleGateButtons() {
	asked := history.GateOpened{Gate: 1, Kind: history.GateApproval, Choices: []string{"approve", "reject"}, Hash: "abc"}
	for _, b := range surface.GateButtons("r1/1", asked, "") {
		fmt.Println(b.Label, b.Action, b.Value, b.Decides)
	}
	// Output:
	// Approve gate.choose:r1/1:0 r1/1 0 abc true
	// Reject gate.choose:r1/1:1 r1/1 1 abc true
}

// A surface refers to what it shows.
func ExampleRefID() {
	fmt.Println(surface.RefID(surface.GateRef("r1/1")), surface.RefID(surface.RunRef("r1")))
	// Output: r1/1 r1
}
