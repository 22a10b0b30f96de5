package planner_test

import (
	"strings"
	"testing"

	"sluice/engine/planner"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
)

// TestFreeTextIsComparedLetterByLetter: the draft says so, but not of a value that people choose.
func TestFreeTextIsComparedLetterByLetter(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]bool{
		`asks for the customer. if the customer is "Nordwind" tell #ops hello`:                             true,
		`asks for the urgency (low, high). if the urgency is high tell #ops hello`:                         false,
		`asks for the amount. if the amount is over 100 tell #ops hello`:                                   false,
		`asks for the customer and the amount. if the customer is Acme and the amount is over 5 tell #ops`: true,
	} {
		tr, ok := outline.Read(words, "U1")
		if !ok {
			t.Fatalf("%q is not read", words)
		}
		var notes strings.Builder
		for _, n := range planner.Plan(tr, plannertest.World()).Notes {
			notes.WriteString(n.Text + "\n")
		}
		if strings.Contains(notes.String(), "in just these letters: customer is a free text") != want {
			t.Errorf("%q has the notes %q", words, notes.String())
		}
	}
}
