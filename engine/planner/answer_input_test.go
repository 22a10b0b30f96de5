package planner_test

import (
	"strings"
	"testing"

	"sluice/engine/planner"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
)

// TestInputOfWordsLeftOut leaves words out that name an input: the input goes with them, and one that is used or declared stays.
func TestInputOfWordsLeftOut(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for words, want := range map[string]string{
		`tell #ops "a". and so on forever with <colour>`:                               "",
		`tell #ops "a <colour>". and so on forever with <colour>`:                      "colour",
		`inputs: colour. tell #ops "a". and so on forever with <size>`:                 "colour",
		`inputs: colour. tell #ops "a". and so on forever and a day with <colour> ink`: "colour",
	} {
		tr, ok := outline.Read(words, "U1")
		if !ok {
			t.Fatalf("%q is not read", words)
		}
		p := planner.Plan(tr, w)
		for len(p.Questions) > 0 {
			next, err := planner.Answer(p.Tree, w, p.Questions[0].ID, "leave", "", "U1")
			if err != nil {
				t.Fatalf("%q, %s: %v", words, p.Questions[0].Text, err)
			}
			p = planner.Plan(next, w)
		}
		var got []string
		for _, in := range p.Tree.Inputs {
			got = append(got, in.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q has the inputs %q, not %q", words, got, want)
		}
	}
}
