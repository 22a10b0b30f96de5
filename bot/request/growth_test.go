package request

import (
	"testing"

	"sluice/engine/growth"
)

// The time of reading a command grows with its text and no faster.
func TestTextGrowth(t *testing.T) {
	for _, before := range []string{"", "run refund note=", "run refund \"", "answer done value={", "answer done value=[1, "} {
		t.Run(before, func(t *testing.T) {
			growth.Around(t, 1<<18, before, "", func(s string) { _, _ = ParseCommand(s) })
		})
	}
}
