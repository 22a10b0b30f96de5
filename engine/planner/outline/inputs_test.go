package outline

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sluice/engine/planner/tree"
)

// TestInputsWithAnAside reads what stands in parentheses behind inputs.
func TestInputsWithAnAside(t *testing.T) {
	t.Parallel()
	for words, want := range map[string][]tree.Input{
		"asks for item (mug, shirt or hoodie), size (a number) and a reason (optional).": {
			{Name: "item", About: "item", Enum: []string{"mug", "shirt", "hoodie"}}, {Name: "size", About: "size", Type: "number"}, {Name: "reason", About: "reason", Optional: true},
		},
		"asks for the amount (required), urgent (yes/no) and the day (red / green).": {
			{Name: "amount", About: "amount", Type: "number"}, {Name: "urgent", About: "urgent", Enum: []string{"yes", "no"}}, {Name: "day", About: "day", Enum: []string{"red", "green"}},
		},
		"asks for the city (as in the letter of Monday) and a date.": nil, // it is asked about
	} {
		tr, _ := Read("new order: "+words+" @fin must approve.", "U1")
		if diff := cmp.Diff(want, tr.Inputs, cmpopts.IgnoreFields(tree.Input{}, "At"), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", words, diff)
		}
	}
}
