package chaos_test

import (
	"testing"

	"sluice/engine/runner"
)

// runScenario runs a storm and judges its runs.
func runScenario(t *testing.T, p scenario) {
	if *stormFlag != "" && *stormFlag != p.name {
		t.Skip("another storm was asked for")
	}
	s := newStorm(t, p)
	s.perform()
	s.judge()
	s.report()
}

// positions lists the moments at which the engine calls its hook.
var positions = []runner.Position{
	runner.AtClaimed, runner.AtBeforeCommit, runner.AtAfterCommit, runner.AtBeforeAct, runner.AtActing, runner.AtBeforeCall, runner.AtAfterCall, runner.AtAfterAct, runner.AtDue,
}

// everywhere is one kill at every position.
func everywhere() (failpoints []*failpoint) {
	for i, at := range positions {
		failpoints = append(failpoints, &failpoint{At: at, Nth: 1 + i%3})
	}
	return failpoints
}

// around is one kill before and one after a commit of each of these kinds.
func around(kinds ...string) (failpoints []*failpoint) {
	for _, kind := range kinds {
		failpoints = append(failpoints, &failpoint{At: before(kind), Nth: 1}, &failpoint{At: after(kind), Nth: 1})
	}
	return failpoints
}
