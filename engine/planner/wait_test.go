package planner_test

import (
	"strings"
	"testing"

	"sluice/engine/planner"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
	"sluice/engine/planner/readback"
)

// TestWaitAsLongAsAValueSays: a wait can be as long as a value says, which a run is given or a step before it has asked for.
func TestWaitAsLongAsAValueSays(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for _, c := range []struct{ words, reply, line, given string }{
		{`wait <days> days, then tell #ops "a"`, "", "Wait [days] days.", "days number"},
		{`wait {n} hours, then tell #ops "a {n}"`, "", "Wait [n] hours.", "n number"},
		{`ask @ana for the delay. wait {delay} days. tell #ops "a"`, "", "Wait [delay] days.", ""},
		{`wait <days> days, then tell #ops "a"`, "1. wait 2 hours", "Wait 2 hours.", "days number"},
		{`wait 2 hours, then tell #ops "a"`, "{n} minutes instead of 2 hours", "Wait [n] minutes.", "n number"},
	} {
		tr, _ := outline.Read(c.words, "U1")
		tr = planner.Plan(tr, w).Tree
		if c.reply != "" {
			tr = replied(t, tr, c.reply)
		}
		p := planner.Plan(tr, w)
		var said, given, drawn []string
		for _, l := range readback.Lines(p.Flow, w.Tools, p.NodeNumbers()) {
			said = append(said, l.Text)
		}
		for _, in := range p.Flow.Inputs {
			given = append(given, in.Name+" "+string(in.Type))
		}
		for _, n := range readback.Chart(p.Flow, p.NodeNumbers()).Nodes {
			drawn = append(drawn, n.Name+"/"+n.Description)
		}
		if all := strings.Join(said, "\n"); !strings.Contains(all, c.line) || strings.Join(given, ", ") != c.given || len(p.Questions) > 0 {
			t.Errorf("%q, %q: %s\ngiven %v, asks %v", c.words, c.reply, all, given, p.Questions)
		}
		if all := strings.Join(drawn, "\n"); strings.Contains(all, "later(") {
			t.Errorf("%q: the picture shows\n%s", c.words, all)
		}
	}
}
