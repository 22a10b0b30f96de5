package planner_test

import (
	"slices"
	"testing"

	"sluice/engine/planner"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
	"sluice/engine/planner/tree"
)

// TestSeenInTime: where words say what follows when nobody reacts to a message, it can become a question whether it was seen, with that deadline; not where
// steps follow in both cases, because a run ends behind an answer that is missing.
func TestSeenInTime(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for words, want := range map[string]bool{
		`tell @bob "it is down". If nobody reacts within 15 minutes, tell @ana "please look"`:                             true,
		`tell @bob "it is down". If he does not answer within 15 minutes, tell @ana "please look". Then tell #ops "over"`: false,
	} {
		tr, _ := outline.Read(words, "U1")
		p := planner.Plan(tr, w)
		q := p.Questions[0]
		if got := slices.ContainsFunc(q.Options, func(o planner.Option) bool { return o.ID == "late" }); got != want {
			t.Errorf("%q: the deadline is offered: %v", words, got)
		}
		if !want {
			continue
		}
		next, err := planner.Answer(p.Tree, w, q.ID, "late", "", "U1")
		if err != nil {
			t.Fatal(err)
		}
		if s := next.Steps[0]; len(next.Steps) != 1 || s.Kind != tree.Ask || s.Deadline.After != "15m" || len(s.Branches) != 1 || s.Branches[0].Choice != "timeout" {
			t.Errorf("%q became %+v", words, next.Steps)
		}
	}
}
