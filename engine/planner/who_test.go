package planner_test

import (
	"strings"
	"testing"

	"sluice/engine/planner"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
	"sluice/engine/planner/readback"
)

// TestWhoIsMeant answers the first question about somebody with a press or typed words, and compares what the flow does then.
func TestWhoIsMeant(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	w.Kind = func(name string) string {
		switch {
		case name == "@crew":
			return "group"
		case name == "@bob" || name == "@ann":
			return "user"
		case strings.HasPrefix(name, "#"):
			return "channel"
		}
		return ""
	}
	for _, c := range []struct{ words, option, value, want string }{
		{"the owner is informed that the lift works", "name", "requester", "Tell the requester, in the run's thread: the lift works."},
		{"the owner is informed that the lift works", "name", "the person who starts it", "Tell the requester, in the run's thread: the lift works."},
		{"the employee packs the box", "requester", "", "Tell the requester, in the run's thread: please do this: packs the box."},
		{"the employee packs the box", "name", "requester", "Tell the requester, in the run's thread: please do this: packs the box."},
		{"the owner approves the trip", "name", "requester", "The person who starts a run cannot be asked in it: somebody else is meant in every run. Write a name with @, such as @finance."},
		{"the employee packs the box. If she can't, tell #ops \"help\"", "requester", "", "gone"},
		{"the judge announces the decision about the prize", "approve", "@bob", "Ask @bob (approve, reject): approve the prize? Approve: the run ends; reject: the run ends and tells the requester."},
		{"the judge announces the decision about the prize", "name", "ask @bob to approve the prize", "Ask @bob (approve, reject): approve the prize? Approve: the run ends; reject: the run ends and tells the requester."},
		{"the judge weighs the cakes", "approve", "@bob", "gone"},
		{"the judge weighs the cakes", "name", "whatever", "“whatever” is no name and no step. Write a name with @ or #, such as @finance, or one thing after the other, such as “ask @ana to approve, then tell #team it is done”."},
	} {
		tr, ok := outline.Read(c.words, "U1")
		if !ok {
			t.Fatalf("%q is not read", c.words)
		}
		for _, q := range planner.Plan(tr, w).Questions {
			if q.Kind != "who" {
				continue
			}
			next, err := planner.Answer(tr, w, q.ID, c.option, c.value, "U1")
			got := "gone"
			switch {
			case err != nil && c.want != got:
				got = err.Error()
			case err == nil:
				p := planner.Plan(next, w)
				got = readback.Lines(p.Flow, w.Tools, p.NodeNumbers())[0].Text
			}
			if got != c.want {
				t.Errorf("%q, answered with %s %q:\n got %s\nwant %s", c.words, c.option, c.value, got, c.want)
			}
			break
		}
	}
}
