package planner_test

import (
	"slices"
	"strings"
	"testing"

	"sluice/engine/planner"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
	"sluice/engine/planner/readback"
)

// TestConditionOfTheAnswerBefore offers the answer to the question before a decision whose condition is not understood.
func TestConditionOfTheAnswerBefore(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for _, c := range []struct{ words, option, want string }{
		{`ask @bob whether we need boxes. If we do, tell #shop "order them"`, "answer.yes", "Yes → 1a; no: the run ends"},
		{`ask @bob whether we need boxes. If we don't, tell #shop "no boxes"`, "answer.no", "Yes: the run ends; no → 1a"},
		{`ask @bob whether we need boxes. If we do, tell #shop "order them". Otherwise tell #shop "no boxes"`, "answer.yes", "Yes → 1a; no → 1b"},
	} {
		tr, _ := outline.Read(c.words, "U1")
		p := planner.Plan(tr, w)
		if len(p.Questions) != 1 || p.Questions[0].Default != c.option {
			t.Errorf("%q asks %+v", c.words, p.Questions)
			continue
		}
		next, err := planner.Answer(p.Tree, w, p.Questions[0].ID, c.option, "", "U1")
		if err != nil {
			t.Fatal(err)
		}
		p = planner.Plan(next, w)
		if got := readback.Lines(p.Flow, w.Tools, p.NodeNumbers())[0].Text; !strings.Contains(got, c.want) || slices.ContainsFunc(p.Questions, func(q planner.Question) bool { return q.ID != compared }) {
			t.Errorf("%q gives %q\n%+v", c.words, got, p.Questions)
		}
	}
	tr, _ := outline.Read(`ask @bob whether we need boxes. If the moon is full tell #shop "order them"`, "U1")
	if p := planner.Plan(tr, w); p.Questions[len(p.Questions)-1].Default != "person" {
		t.Errorf("another condition asks %+v", p.Questions)
	}
}
