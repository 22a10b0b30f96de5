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
	fates := append(everywhere(), around(aStart, aChild, aFork, anEnd)...)
	fates = append([]*fate{{At: runner.AtBeforeAct, Nth: 3, Freeze: true}}, fates...)
	weather(t, scenario{
		name: "postgres", workers: 3, runs: 40, live: 12, generated: 6, fates: fates,
		faults: []fault{kill, blink, stop, kill, cut}, pause: 3 * time.Second, limit: 5 * time.Minute,
	})
}

// TestSQLite is a short storm around one process after the other.
func TestSQLite(t *testing.T) {
	t.Parallel()
	weather(t, scenario{
		name: "sqlite", sqlite: true, workers: 1, runs: 30, live: 8, generated: 4, fates: append(everywhere(), around(commits...)...),
		faults: []fault{kill, kill}, pause: 2 * time.Second, limit: 5 * time.Minute,
	})
}
