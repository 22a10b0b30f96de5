package planner_test

import (
	"strings"
	"testing"

	"sluice/engine/planner"
	"sluice/engine/planner/plannertest"
	"sluice/engine/planner/readback"
)

// TestAnswersToConditions answers questions about conditions, one after the other, each by its kind: option, or what is typed.
func TestAnswersToConditions(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for _, c := range []struct {
		words   string
		answers [][3]string // kind, option, text
		want    string
	}{
		{`tell @ana "hi". On breach it tells #ops "red"`, [][3]string{{"condition", "either", ""}}, "2 Tell #ops: red."},
		{`tell @ana "hi". On breach it tells #ops "red"`, [][3]string{{"condition", "person", "@bob"}}, "2 Ask @bob (yes, no): On breach? Yes → 3a; no: the run ends."},
		{"1. ask @bob to approve the bill\n2. rejected bills are returned by @ana", [][3]string{{"condition", "answer.reject", ""}}, "reject → 1a"},
		{`@ana reads the offer. If accepted, tell @bob "yes". tell #ops "filed"`, [][3]string{{"condition", "person", "@ana"}, {"behind", "only", ""}}, "no: the run ends"},
		{`@ana reads the offer. If accepted, tell @bob "yes". tell #ops "filed"`, [][3]string{{"condition", "person", "@ana"}, {"behind", "either", ""}}, "Yes → 3a; no → 4."},
		{`tell @ana "hi". middling ones run round the manager; huge ones run round the board`, [][3]string{
			{"clause", "", "if the amount is middling, ask @bob to approve"}, {"clause", "", "if the amount is huge, ask @cfo to approve"},
		}, "3 Somebody has to decide: if the amount is huge"},
	} {
		p := readPlan(t, c.words, w)
		for _, a := range c.answers {
			for _, q := range p.Questions {
				if q.Kind != a[0] {
					continue
				}
				next, err := planner.Answer(p.Tree, w, q.ID, a[1], a[2], "U1")
				if err != nil {
					t.Fatalf("%q, %q: %v %v", c.words, a, err, q.Options)
				}
				p = planner.Plan(next, w)
				break
			}
		}
		var got []string
		for _, l := range readback.Lines(p.Flow, w.Tools, p.NodeNumbers()) {
			got = append(got, l.Number+" "+l.Text)
		}
		if all := strings.Join(got, "\n"); !strings.Contains(all, c.want) {
			t.Errorf("%q gives\n%s\n%v", c.words, all, p.Questions)
		}
	}
}
