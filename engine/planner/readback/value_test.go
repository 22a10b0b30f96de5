package readback

import (
	"testing"

	"sluice/engine/flow"
)

// TestConditionsInWords: a condition is told with its meaning, and one that is no comparison is quoted.
func TestConditionsInWords(t *testing.T) {
	t.Parallel()
	r := newReader(&flow.Flow{Nodes: []flow.Node{{ID: "gate"}}}, nil)
	r.number["gate"] = "2"
	for src, want := range map[string]string{
		"look.result.amount > 50":          "amount is over 50",
		"not (look.result.amount > 50)":    "it is not so that amount is over 50",
		"not (x.result.name contains 'a')": "name does not contain a",
		"len(inputs.items) == 0":           "there are no items",
		"len(inputs.items) > 0":            "there are items",
		"a.result.x != null and (a.result.x > 1 or a.result.y == true) and b.result.z != 'it\\'s'": "(x is over 1 or y is true) and z is not it's",
		"approvals.gate == 'approve'": "the answer in 2 is approve",
		"a.result.x == null":          "there is no x",
		"(a.result.x in ['a'])":       "“a.result.x in ['a']”",
	} {
		if got := r.conditionWords(src); got != want {
			t.Errorf("%s is told as %q, want %q", src, got, want)
		}
	}
}
