package operate_test

import (
	"fmt"
	"strings"
	"testing"

	"sluice/bot/operate"
	"sluice/engine"
	"sluice/storage"
)

// The person who starts a run behind another one is told which one it waits for.
func ExampleQueued() {
	fmt.Println(operate.Queued("/flow", engine.Started{Run: storage.Run{Name: "refund-218", Key: "A-17"}, Behind: "refund-217"}))
	// Output: *refund-218* is queued behind *refund-217*, which is for the same thing (A-17). It goes on by itself when that one is over; `/flow show refund-218` shows it.
}

// Of a run that was removed there is nothing to show or to repeat.
func TestDuplicate(t *testing.T) {
	t.Parallel()
	there := operate.Duplicate("/flow", storage.Run{ID: "r1", Name: "refund-1", Flow: "refund", Title: "Refund A-17", Key: "A-17", By: "U1", Status: "running"})
	if len(there.Buttons) != 2 || !strings.Contains(there.Text.String(), "Refund A-17") {
		t.Errorf("the card is %+v", there)
	}
	if removed := operate.Duplicate("/flow", storage.Run{Name: "refund-1", Flow: "refund", By: "U1"}); len(removed.Buttons) != 0 || !strings.Contains(removed.Text.String(), "removed") {
		t.Errorf("the card is %+v", removed)
	}
}
