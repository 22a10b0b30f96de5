package main

import "testing"

// TestHomeUnderFaults: a Home that Slack refuses, loses or answers too late is shown again until it shows the latest state.
func TestHomeUnderFaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setup{})
	plan := func() {
		w.post("fault", fields{"target": "api", "kind": "429", "method": "views.publish", "times": 1, "after": "200"})
		w.post("fault", fields{"target": "api", "kind": "500", "method": "views.publish", "times": 1})
		w.post("fault", fields{"target": "api", "kind": "drop", "method": "views.publish", "times": 1, "after": "after_act"})
		w.post("fault", fields{"target": "socket", "kind": "duplicate", "method": "events_api", "times": 1})
	}
	plan()
	visits(w, "ana", "a welcome", showing("Welcome", "Nothing waits for you."))
	approved(w, "ana", w.put("ana", "", "vacation.yaml", vacationFlow), 1)
	home := untilHome(w, "ana", "the flow", showing("Your flows", "[Run now…] [Show]"))
	plan()
	fills(w, "ana", opens(w, "ana", home, "Run now…"), fields{"from": "Monday"})
	untilHome(w, "ana", "the run", showing("Your runs", ":raised_hand: *Vacation from Monday*"))
}
