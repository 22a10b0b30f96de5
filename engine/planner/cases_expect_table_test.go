package planner_test

import (
	"testing"

	"sluice/engine/planner"
	"sluice/engine/planner/env"
	"sluice/engine/planner/outline"
)

// TestExpectation compares one description with expectations, of which only the first ones say the same.
func TestExpectation(t *testing.T) {
	t.Parallel()
	const words = "every day at 8 ask @finance to approve the plan within 3 days, then tell #orders the plan is out"
	tr, ok := outline.Read(words, "U1")
	if !ok {
		t.Fatal("not read")
	}
	tr = planner.Plan(tr, env.World{}).Tree
	const ask = "ask finance\n  deadline 3d\n"
	tests := []struct {
		name, want string
		met        bool
	}{
		{"all of it", "when schedule 0 8 * * *\n" + ask + "tell orders : out", true},
		{"alternatives and an optional step", "when schedule 0 8 * * *\n" + ask + "?wait 2d\ndo/tell out|in", true},
		{"another trigger", "when schedule 0 9 * * *\n" + ask + "tell orders", false},
		{"no trigger", ask + "tell orders", false},
		{"no deadline", "when schedule 0 8 * * *\nask finance\ntell orders", false},
		{"somebody else", "when schedule 0 8 * * *\nask legal\n  deadline 3d\ntell orders", false},
		{"another order", "when schedule 0 8 * * *\ntell orders\n" + ask, false},
		{"a step too few", "when schedule 0 8 * * *\n" + ask, false},
		{"a step too many", "when schedule 0 8 * * *\n" + ask + "tell orders\ntell orders", false},
		{"a limit", "when schedule 0 8 * * *\n" + ask + "tell orders\nlimit 3d", false},
		{"an input", "input plan\nwhen schedule 0 8 * * *\n" + ask + "tell orders", false},
	}
	for _, tt := range tests {
		e, err := parseExpectation(tt.want)
		if err != nil {
			t.Fatal(err)
		}
		if why := e.met(tr); (why == "") != tt.met {
			t.Errorf("%s: %q", tt.name, why)
		}
	}
	if less, add := differences([]string{"a", "b", "c"}, []string{"a", "c", "d"}); len(less) != 1 || less[0] != "b" || len(add) != 1 || add[0] != "d" {
		t.Errorf("differences: %q %q", less, add)
	}
}
