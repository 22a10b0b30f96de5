package planner_test

import (
	"strings"
	"testing"

	"sluice/engine/planner"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/plannertest"
	"sluice/engine/planner/readback"
)

// TestTimesHaveTheZoneOfWhoBeganTheDraft: schedules, deadlines and waits are in one zone, which is shown, and a change by somebody who lives in
// another one leaves it.
func TestTimesHaveTheZoneOfWhoBeganTheDraft(t *testing.T) {
	t.Parallel()
	const words = "asks for the start date. ask @bob to approve by 16:30, wait until tomorrow 9:00, then on the start date at 10:00 tell #ops hello"
	tr, ok := outline.Read(words, "U1")
	if !ok {
		t.Fatal("it is not read")
	}
	w := plannertest.World()
	w.Zone = "Europe/Berlin"
	p := planner.Plan(tr, w)
	w.Zone = "America/New_York"
	var all strings.Builder
	for _, l := range readback.Lines(planner.Plan(p.Tree, w).Flow, w.Tools, p.NodeNumbers()) {
		all.WriteString(l.Text + "\n")
	}
	for _, want := range []string{"until 16:30 (Europe/Berlin)", "until tomorrow 09:00 (Europe/Berlin)", "until [start date] at 10:00 (Europe/Berlin)"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("%q is missing in\n%s", want, all.String())
		}
	}
}
