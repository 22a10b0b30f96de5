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

// TestWaitsByValues: a wait can be as long as a value says, or end at a time that is counted from a date. A run is given the value, or a step
// before it has asked for it.
func TestWaitsByValues(t *testing.T) {
	t.Parallel()
	w := plannertest.World()
	for _, c := range []struct{ words, reply, line, given string }{
		{`wait <days> days, then tell #ops "a"`, "", "Wait [days] days.", "days number"},
		{`wait {n} hours, then tell #ops "a {n}"`, "", "Wait [n] hours.", "n number"},
		{`ask @ana for the delay. wait {delay} days. tell #ops "a"`, "", "Wait [delay] days.", ""},
		{`wait <days> days, then tell #ops "a"`, "1. wait 2 hours", "Wait 2 hours.", ""},
		{`wait until 3 days before <start_date>, then tell #ops "a"`, "", "Wait until 3 days before [start date] at 09:00.", "start_date date"},
		{`asks for a start date. on the start date at 8 am: tell #ops "a"`, "", "Wait until [start date] at 08:00.", "start_date date"},
		{`wait until the day before the deadline, then tell #ops "a"`, "", "Wait until 1 day before [deadline] at 09:00.", "deadline date"},
		{`ask @ana for the start date. one week after the start date tell #ops "a"`, "", "Wait until 1 week after [start date] at 09:00.", ""},
		{`wait until 2 hours before <start>, then tell #ops "a"`, "", "Wait until 2 hours before [start].", "start date"},
		{`asks for an event date. wait until 2 weeks before the event, tell #ops "a", wait until two days before, tell #ops "b"`, "", "Wait until 2 days before [event date] at 09:00.", "event_date date"},
		{`wait until 3 days before <start_date>, then tell #ops "a"`, "5 days instead of 3 days", "Wait until 5 days before [start date] at 09:00.", "start_date date"},
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
		asks := slices.ContainsFunc(p.Questions, func(q planner.Question) bool { return q.Kind != "confirm" })
		if all := strings.Join(said, "\n"); !strings.Contains(all, c.line) || strings.Join(given, ", ") != c.given || asks {
			t.Errorf("%q, %q: %s\ngiven %v, asks %v", c.words, c.reply, all, given, p.Questions)
		}
		if all := strings.Join(drawn, "\n"); strings.Contains(all, "(") {
			t.Errorf("%q: the picture shows\n%s", c.words, all)
		}
	}
}
