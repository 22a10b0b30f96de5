package draft

import (
	"testing"

	"sluice/engine/planner"
)

// TestPressed: words that are a button's, or the beginning of one button alone, press it.
func TestPressed(t *testing.T) {
	t.Parallel()
	q := planner.Question{Options: []planner.Option{
		{ID: "person", Label: "A person decides...", Needs: "name"},
		{ID: "ana", Label: "@ana decides"},
		{ID: "yes", Label: "The answer of step 1 is yes"},
		{ID: "no", Label: "The answer of step 1 is no"},
		{ID: "leave", Label: "Leave it out, with step 2a"},
	}}
	for words, want := range map[string]string{
		"ana decides": "ana", "@ana decides.": "ana", "leave it out": "leave", "Leave it out, with step 2a!": "leave", "the answer of step 1 is no": "no",
		"the answer of step 1": "", "leave": "", "a person decides": "", "": "", "@bob": "",
	} {
		if got, _ := Pressed(q, words); got != want {
			t.Errorf("%q presses %q, not %q", words, got, want)
		}
	}
}
