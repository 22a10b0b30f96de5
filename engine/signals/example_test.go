package signals_test

import (
	"fmt"
	"time"

	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/signals"
	"sluice/storage"
)

// A decision that ends a child takes the start of that child back, and tells the child: one of the two finds it.
func ExampleFill() {
	b := &storage.Batch{Run: &storage.RunWrite{Run: storage.Run{ID: "parent", Name: "buy-1"}}}
	decision := run.Decision{State: &history.State{Status: history.Running}, Effects: []run.Effect{run.CancelChild{Child: "child"}}}
	if err := signals.Fill(b, decision, nil, time.Now()); err != nil {
		fmt.Println(err)
	}
	fmt.Println(b.NoSignals)
	for _, t := range b.Signals {
		fmt.Println(t.ID, "to", t.Run)
	}
	// Output:
	// [start/child]
	// cancel/child to child
}

// The end of a run with a key leaves a due row for the runs behind it in the queue.
func ExampleFill_keyQueue() {
	b := &storage.Batch{Run: &storage.RunWrite{Run: storage.Run{ID: "r217", Name: "refund-217", Key: "A-17"}}}
	ended := run.Decision{State: &history.State{Status: history.Succeeded}}
	if err := signals.Fill(b, ended, &history.State{Status: history.Running}, time.Now()); err != nil {
		fmt.Println(err)
	}
	for _, t := range b.Signals {
		fmt.Println(t.ID, string(t.Body))
	}
	// Output: line/r217 {"run":"r217"}
}
