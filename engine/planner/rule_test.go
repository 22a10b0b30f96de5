package planner

import (
	"slices"
	"testing"

	"sluice/engine/planner/env"
	"sluice/engine/planner/outline"
)

// TestRuleAnswers settles a rule in the text of a message in each way: it stays, it goes, or the text is another one.
func TestRuleAnswers(t *testing.T) {
	t.Parallel()
	const words = "tell @bob to water the plants, but not on holidays"
	w := env.World{Author: "@ann", Channel: "#team"}
	for _, c := range []struct{ option, value, text string }{
		{optWords, "", "please water the plants, but not on holidays"},
		{optLeave, "", "please water the plants"},
		{"", "water the plants on working days", "water the plants on working days"},
	} {
		tr, ok := outline.Read(words, "U1")
		if !ok {
			t.Fatal("not read")
		}
		p := Plan(tr, w)
		i := slices.IndexFunc(p.Questions, func(q Question) bool { return q.Kind == "rule" })
		if i < 0 {
			t.Fatalf("no question about the rule: %v", p.Questions)
		}
		next, err := Answer(p.Tree, w, p.Questions[i].ID, c.option, c.value, "U1")
		if err != nil {
			t.Fatal(err)
		}
		p = Plan(next, w)
		if len(p.Questions) > 0 {
			t.Errorf("%s: it still asks %s", c.option, p.Questions[0].Text)
		}
		if got := p.Tree.Steps[0].Text; got != c.text {
			t.Errorf("%s: %q, want %q", c.option, got, c.text)
		}
	}
}
