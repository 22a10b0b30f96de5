package planner_test

import (
	"strings"
	"testing"

	"sluice/engine/planner"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/readback"
	"sluice/engine/tool"
)

// TestAChosenToolStaysAsItIsShown chooses each tool for a step that has none and plans the draft again, as any later click does: nothing of what
// was shown may change by that.
func TestAChosenToolStaysAsItIsShown(t *testing.T) {
	t.Parallel()
	w := everydayWorld(t)
	shown := func(p *planner.Proposal) string {
		var b strings.Builder
		for _, l := range readback.Lines(p.Flow, w.Tools, readback.Numbers(p.Flow)) {
			b.WriteString(l.Text + "\n")
		}
		for _, q := range p.Questions {
			b.WriteString(q.ID + "\n")
		}
		return b.String()
	}
	for _, step := range []string{"thank the customer in #support", "hand the order to the customer", "store the amount and the status", "sort out the customer of the order"} {
		tr, _ := outline.Read("1. get the order from the shop 2. "+step, "U1")
		p := planner.Plan(tr, w)
		for _, chosen := range w.Tools {
			next, err := planner.Answer(p.Tree, w, "s2.doer", "tool", chosen.Name, "U1")
			if err != nil {
				continue // it fits no such step
			}
			first := planner.Plan(next, w)
			if again := planner.Plan(first.Tree, w); shown(again) != shown(first) {
				t.Errorf("%q by %s was shown as\n%s\nand is, after a click,\n%s", step, chosen.Name, shown(first), shown(again))
			}
		}
	}
	tr, _ := outline.Read("1. get the order from the shop 2. thank the customer in #support", "U1")
	next, err := planner.Answer(planner.Plan(tr, w).Tree, w, "s2.doer", "tool", tool.PostMessageName, "U1")
	if err != nil {
		t.Fatal(err)
	}
	if p := planner.Plan(next, w); !strings.Contains(shown(p), "s2.param.text") {
		t.Errorf("nobody is asked what the thanks say:\n%s", shown(p))
	}
}
