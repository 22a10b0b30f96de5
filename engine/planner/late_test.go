package planner_test

import (
	"slices"
	"strings"
	"testing"

	"sluice/engine/planner"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
)

// TestAskedBesides: somebody who is asked, too, can still answer. Where words give the question no more time than that, it goes on then.
func TestAskedBesides(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for _, c := range []struct{ words, want, asked string }{
		{"ask @bob to approve within 2 days, if nobody answers within 2 days ask @ana", "Ask @bob, and @ana too after 2 days", ""},
		{"ask @bob to approve within 48 hours, escalate to @ana after 2 days", "Ask @bob, and @ana too after 2 days", ""},
		{"ask @bob to approve within 2 days, if nobody answers within 1 day ask @ana", "Ask @bob within 2 days, and @ana too after 1 day", ""},
		{`ask @bob to approve within 2 days, escalate to @ana after 2 days, if nobody answers tell @ops "late"`, "@ana too after 2 days", "s1.late"},
	} {
		tr, _ := outline.Read(c.words, "U1")
		p := planner.Plan(tr, w)
		if got := p.Does(w.Tools)["1"]; !strings.Contains(got, c.want) {
			t.Errorf("%q: %s", c.words, got)
		}
		if asked := slices.ContainsFunc(p.Questions, func(q planner.Question) bool { return q.ID == c.asked }); c.asked != "" && !asked {
			t.Errorf("%q does not ask how long: %v", c.words, p.Questions)
		}
	}
}
