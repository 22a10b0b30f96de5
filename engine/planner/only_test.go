package planner

import (
	"slices"
	"testing"

	"sluice/engine/planner/env"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/tree"
)

// TestOnlyWhereItIsSo asks whether people are asked only where a comparison in the question to them holds, and does what is answered.
func TestOnlyWhereItIsSo(t *testing.T) {
	t.Parallel()
	w := env.World{Author: "@ann", Channel: "#team"}
	for _, c := range []struct {
		words string
		asked bool
	}{
		{"asks for an amount. ask @bob if the amount is over 100, then tell #team", true},
		{"asks for an amount. have @bob approve amounts over 100, then tell #team", true},
		{"asks for an amount. ask @bob if 100 is enough, then tell #team", false},
		{"asks for an amount. ask @bob if the price is over 100, then tell #team", true}, // the next question is where the price comes from
		{"asks for an amount. ask @bob to approve it, then tell #team", false},
	} {
		for _, option := range []string{optOnlyThen, optEitherWay} {
			tr, ok := outline.Read(c.words, "U1")
			if !ok {
				t.Fatal("not read")
			}
			p := Plan(tr, w)
			if asked := len(p.Questions) == 1 && p.Questions[0].Kind == "only"; asked != c.asked {
				t.Errorf("%q: the questions are %+v", c.words, p.Questions)
				continue
			}
			if !c.asked {
				continue
			}
			next, err := Answer(p.Tree, w, p.Questions[0].ID, option, "", "U1")
			if err != nil {
				t.Fatal(err)
			}
			p = Plan(next, w)
			kind := map[string]tree.Kind{optOnlyThen: tree.Decide, optEitherWay: tree.Ask}[option]
			if slices.ContainsFunc(p.Questions, func(q Question) bool { return q.Kind == "only" }) || p.Tree.Steps[0].Kind != kind {
				t.Errorf("%q, %s: %+v, %+v", c.words, option, p.Tree.Steps, p.Questions)
			}
		}
	}
}
