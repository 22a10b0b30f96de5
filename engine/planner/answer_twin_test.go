package planner_test

import (
	"strings"
	"testing"

	"sluice/engine/planner"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
	"sluice/engine/planner/readback"
)

// TestTheSameWordsAreAskedAboutOnce: words that stand in two steps are one question, and its answer is for both.
func TestTheSameWordsAreAskedAboutOnce(t *testing.T) {
	t.Parallel()
	const words = "in parallel: ask @bob to approve the plan, ask @ana to approve the plan. If nobody answers within 2 days, tell #ops the colour"
	w := plannertest.World()
	for option, want := range map[string]string{"words": "Tell #ops: the colour", "input": "Tell #ops: [colour]"} {
		tr, _ := outline.Read(words, "U1")
		p := planner.Plan(tr, w)
		if len(p.Questions) != 1 || !strings.Contains(p.Questions[0].Text, "the colour") {
			t.Fatalf("it asks %+v", p.Questions)
		}
		next, err := planner.Answer(p.Tree, w, p.Questions[0].ID, option, "", "U1")
		if err != nil {
			t.Fatalf("%s: %v (%+v)", option, err, p.Questions[0].Options)
		}
		p = planner.Plan(next, w)
		var all strings.Builder
		for _, l := range readback.Lines(p.Flow, w.Tools, p.NodeNumbers()) {
			all.WriteString(l.Text + "\n")
		}
		if strings.Count(all.String(), want) != 2 {
			t.Errorf("after %s it does\n%s", option, all.String())
		}
		for _, q := range p.Questions {
			if q.Kind != "confirm" {
				t.Errorf("after %s it asks %s", option, q.Text)
			}
		}
	}
}
