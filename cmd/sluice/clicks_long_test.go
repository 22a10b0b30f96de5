//go:build chaos

package main

import (
	"testing"
	"time"

	"sluice/storage/pgtest"
)

// TestAMinuteOfClicks is TestManyClicks at full length: 100 clicks a second for a minute, on 500 open questions. It reports how long Slack waits
// for acknowledgements.
func TestAMinuteOfClicks(t *testing.T) {
	c := clicking{gates: 500, rate: 100, length: time.Minute}
	measured := func(t *testing.T, s setup) {
		acks := clicked(t, s, c)
		t.Logf("%d clicks on %d questions: acknowledged after %v (p50), %v (p99), %v at most", len(acks), c.gates, acks[len(acks)/2], acks[len(acks)*99/100], acks[len(acks)-1])
	}
	t.Run("SQLite", func(t *testing.T) { measured(t, setup{}) })
	t.Run("Postgres", func(t *testing.T) { measured(t, setup{database: pgtest.URL(t)}) })
}
