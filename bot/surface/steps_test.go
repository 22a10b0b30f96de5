package surface

import (
	"testing"

	"sluice/engine/planner/readback"
)

// TestStepsAreAnOutline indents steps by how many others they stand below.
func TestStepsAreAnOutline(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]string{
		"": "Wait.", "1": "1. Wait.", "12": "12. Wait.", "12a": "\u2003\u200312a. Wait.", "1ab2": "\u2003\u2003\u2003\u20031ab2. Wait.",
		"L1": "L1. Wait.", "L1a": "\u2003\u2003L1a. Wait.",
	} {
		if got := Steps([]readback.Line{{Number: number, Text: "Wait."}})[0].String(); got != want {
			t.Errorf("%q: %q, not %q", number, got, want)
		}
	}
}
