//go:build !chaos

package chaos_test

import (
	"testing"
	"time"

	"sluice/engine/runner"
)

// TestPostgres is a short storm with every fault, around three processes.
func TestPostgres(t *testing.T) {
	t.Parallel()
	failpoints := append(everywhere(), around(aStart, aChild, aFork, anEnd)...)
	failpoints = append([]*failpoint{{At: runner.AtBeforeAct, Nth: 3, Freeze: true}}, failpoints...)
	runScenario(t, scenario{
		name: "postgres", workers: 3, runs: 40, live: 12, generated: 6, failpoints: failpoints,
		faults: []fault{kill, blink, stop, kill, cut}, pause: 3 * time.Second, limit: 5 * time.Minute,
	})
}

// TestSQLite is a short storm around one process after the other.
func TestSQLite(t *testing.T) {
	t.Parallel()
	runScenario(t, scenario{
		name: "sqlite", sqlite: true, workers: 1, runs: 30, live: 8, generated: 4, failpoints: append(everywhere(), around(commits...)...),
		faults: []fault{kill, kill}, pause: 2 * time.Second, limit: 5 * time.Minute,
	})
}
