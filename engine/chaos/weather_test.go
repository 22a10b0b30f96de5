package chaos_test

import (
	"testing"

	"sluice/engine/runner"
)

// weather has a storm and judges what is left.
func weather(t *testing.T, p scenario) {
	if *stormFlag != "" && *stormFlag != p.name {
		t.Skip("another storm was asked for")
	}
	s := newStorm(t, p)
	s.rage()
	s.judge()
	s.report()
}

// positions lists the moments at which the engine calls its hook.
var positions = []runner.Position{
	runner.AtClaimed, runner.AtBeforeCommit, runner.AtAfterCommit, runner.AtBeforeAct, runner.AtActing, runner.AtBeforeCall, runner.AtAfterCall, runner.AtAfterAct, runner.AtDue,
}

// everywhere is one death at every position.
func everywhere() (fates []*fate) {
	for i, at := range positions {
		fates = append(fates, &fate{At: at, Nth: 1 + i%3})
	}
	return fates
}

// around is one death before and one after a commit of each of these kinds.
func around(kinds ...string) (fates []*fate) {
	for _, kind := range kinds {
		fates = append(fates, &fate{At: before(kind), Nth: 1}, &fate{At: after(kind), Nth: 1})
	}
	return fates
}
