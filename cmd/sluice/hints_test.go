package main

import (
	"testing"

	"sluice/engine/usererror"
)

// TestRefusalSaysWhatToDo: the engine's own hint comes first, then that of the terminal by the code.
func TestRefusalSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for want, ue := range map[string]*usererror.Error{
		"The amount is missing. Give the fields as name=value.": {Code: "bad_answer", Text: "The amount is missing."},
		"Not an answer. Choose one of: a, b.":                   {Code: "bad_answer", Text: "Not an answer.", Hint: "Choose one of: a, b."},
		"This run is over already.":                             {Code: "over", Text: "This run is over already."},
	} {
		if got := refusal(ue); got != want {
			t.Errorf("%q instead of %q", got, want)
		}
	}
}
