package planner_test

import (
	"strings"
	"testing"

	"sluice/engine/planner"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
	"sluice/engine/planner/readback"
)

// TestWordsThatAreSteps: what a person types in place of the text of a step is read like a description where it says who acts, and words that
// would only be a part of a text become a step by a button.
func TestWordsThatAreSteps(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for _, c := range []struct{ words, option, typed, want string }{
		{`ask @ana to publish the notes once @bob has read them`, "", `@ana publishes the notes, then tell #ops "done"`, "@ana does this: Publishes the notes. Done → 2|Tell #ops: done."},
		{`ask @ana to publish the notes once @bob has read them`, "", `publish the notes`, "@ana does this: Publish the notes."},
		{`tell #team "hello", and tell @ana what @bob said once he has approved it`, "", "hello, ask @bob", "Tell @ana: hello, ask @bob"},
		{`@ana packs the parcel and @bob to print the label`, "step", "", "@ana does this: Packs the parcel. Done → 2|@bob does this: Print the label."},
		{`ask @ana to pack the parcel, and then @bob to print the label`, "step", "", "@ana does this: Pack the parcel. Done → 2|@bob does this: Print the label."},
	} {
		tr, _ := outline.Read(c.words, "U1")
		p := planner.Plan(tr, w)
		if len(p.Questions) == 0 {
			t.Fatalf("%q asks nothing", c.words)
		}
		if c.option == "step" && strings.HasPrefix(p.Questions[0].ID, "clause.") && p.Questions[0].Default != "step" {
			t.Errorf("%q: the first answer is %s", c.words, p.Questions[0].Default)
		}
		next, err := planner.Answer(p.Tree, w, p.Questions[0].ID, c.option, c.typed, "U1")
		if err != nil {
			t.Errorf("%q: %v", c.words, err)
			continue
		}
		p = planner.Plan(next, w)
		var lines []string
		for _, l := range readback.Lines(p.Flow, w.Tools, p.NodeNumbers()) {
			lines = append(lines, l.Text)
		}
		got := strings.Join(lines, "\n")
		for part := range strings.SplitSeq(c.want, "|") {
			if !strings.Contains(got, part) {
				t.Errorf("%q, %q gives\n%s\nwithout %q; asks %v", c.words, c.typed, got, part, p.Questions)
			}
		}
	}
}
