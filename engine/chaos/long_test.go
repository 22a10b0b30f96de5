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
	var fates []*fate
	for i, f := range append(everywhere(), around(append(commits, aBurial)...)...) {
		if fates = append(fates, f); i%5 == 0 {
			fates = append(fates, &fate{At: runner.AtBeforeAct, Nth: 3 + i, Freeze: true})
		}
	}
	weather(t, scenario{
		name: "postgres", workers: 3, runs: 1000, live: 16, generated: 60, fates: fates, destiny: destiny(true),
		faults: []fault{kill, blink, kill, stop, kill, blink, kill, cut}, again: true, pause: 6 * time.Second, limit: 20 * time.Minute,
	})
}

// TestSQLite is a long storm around one process after the other.
func TestSQLite(t *testing.T) {
	weather(t, scenario{
		name: "sqlite", sqlite: true, workers: 1, runs: 300, live: 12, generated: 40, fates: append(everywhere(), around(commits...)...), destiny: destiny(false),
		faults: []fault{kill}, again: true, pause: 6 * time.Second, limit: 10 * time.Minute,
	})
}

// TestTimers is a storm of runs that wait, around processes that die with a timer in their hands.
func TestTimers(t *testing.T) {
	var fates []*fate
	for i := range 12 {
		fates = append(fates, &fate{At: runner.AtDue, Nth: 1 + i%3})
	}
	weather(t, scenario{name: "timers", workers: 3, runs: 100, live: 12, only: "rest", fates: fates, limit: 5 * time.Minute})
}

// destiny makes fates without end.
func destiny(freezing bool) func(r *rand.Rand) *fate {
	return func(r *rand.Rand) *fate {
		all := slices.Clone(positions)
		for _, kind := range commits {
			all = append(all, before(kind), after(kind))
		}
		f := &fate{At: all[r.IntN(len(all))], Nth: 1 + r.IntN(30)}
		switch n := r.IntN(10); {
		case n < 2:
			return &fate{}
		case n < 4 && freezing:
			f.At, f.Freeze = runner.AtBeforeAct, true
		}
		return f
	}
}
