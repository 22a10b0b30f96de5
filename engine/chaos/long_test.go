//go:build chaos

package chaos_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"sluice/engine/runner"
)

// TestPostgres is a long storm with every fault, around three processes.
func TestPostgres(t *testing.T) {
	var failpoints []*failpoint
	for i, f := range append(everywhere(), around(append(commits, aDead)...)...) {
		if failpoints = append(failpoints, f); i%5 == 0 {
			failpoints = append(failpoints, &failpoint{At: runner.AtBeforeAct, Nth: 3 + i, Freeze: true})
		}
	}
	runScenario(t, scenario{
		name: "postgres", workers: 3, runs: 1000, live: 16, generated: 60, failpoints: failpoints, nextFailpoint: nextFailpoint(true),
		faults: []fault{kill, blink, kill, stop, kill, blink, kill, cut}, again: true, pause: 6 * time.Second, limit: 20 * time.Minute,
	})
}

// TestSQLite is a long storm around one process after the other.
func TestSQLite(t *testing.T) {
	runScenario(t, scenario{
		name: "sqlite", sqlite: true, workers: 1, runs: 300, live: 12, generated: 40, failpoints: append(everywhere(), around(commits...)...), nextFailpoint: nextFailpoint(false),
		faults: []fault{kill}, again: true, pause: 6 * time.Second, limit: 10 * time.Minute,
	})
}

// TestTimers is a storm of runs that wait, around processes that die while they fire a timer.
func TestTimers(t *testing.T) {
	var failpoints []*failpoint
	for i := range 12 {
		failpoints = append(failpoints, &failpoint{At: runner.AtDue, Nth: 1 + i%3})
	}
	runScenario(t, scenario{name: "timers", workers: 3, runs: 100, live: 12, only: "rest", failpoints: failpoints, limit: 5 * time.Minute})
}

// nextFailpoint makes random failpoints, without end.
func nextFailpoint(freezing bool) func(r *rand.Rand) *failpoint {
	return func(r *rand.Rand) *failpoint {
		all := slices.Clone(positions)
		for _, kind := range commits {
			all = append(all, before(kind), after(kind))
		}
		f := &failpoint{At: all[r.IntN(len(all))], Nth: 1 + r.IntN(30)}
		switch n := r.IntN(10); {
		case n < 2:
			return &failpoint{}
		case n < 4 && freezing:
			f.At, f.Freeze = runner.AtBeforeAct, true
		}
		return f
	}
}
