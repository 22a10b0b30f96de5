package planner_test

import (
	"slices"
	"testing"

	"sluice/engine/planner"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
)

// TestFirstStep: what somebody does in the first clause may start the flow or be its first step; what happens by itself is no step.
func TestFirstStep(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for words, first := range map[string]bool{
		"HR fills in the contract. Then @bob signs it":      true,
		"A customer requests a refund. Then @bob checks it": true,
		"Invoice arrives. Then @bob checks it":              false,
		"When HR fills in the contract, @bob signs it":      false,
	} {
		tr, _ := outline.Read(words, "U1")
		p := planner.Plan(tr, w)
		if len(p.Questions) == 0 || p.Questions[0].Kind != "trigger" {
			t.Errorf("%q: asks %+v", words, p.Questions)
			continue
		}
		if got := slices.ContainsFunc(p.Questions[0].Options, func(o planner.Option) bool { return o.ID == "first" }); got != first {
			t.Errorf("%q: the first step is offered: %v", words, got)
		}
		if !first {
			continue
		}
		next, err := planner.Answer(p.Tree, w, p.Questions[0].ID, "first", "", "U1")
		if err != nil {
			t.Fatal(err)
		}
		if len(next.Triggers) != 0 || len(next.Steps) != len(tr.Steps)+1 {
			t.Errorf("%q: %d triggers and %d steps", words, len(next.Triggers), len(next.Steps))
		}
	}
}
