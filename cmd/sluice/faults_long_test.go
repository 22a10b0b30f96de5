//go:build chaos

package main

import (
	"fmt"
	"testing"

	"sluice/storage/pgtest"
)

// TestManyFaultPlans is TestStoryUnderFaults with many seeds, on both databases, and with calls that are never answered.
func TestManyFaultPlans(t *testing.T) {
	for seed := range 20 {
		t.Run(fmt.Sprintf("SQLite %d", seed), func(t *testing.T) {
			t.Parallel()
			underFaults(t, setup{}, fmt.Sprint("timeout=1,", faultPlan, seed))
		})
		t.Run(fmt.Sprintf("Postgres %d", seed), func(t *testing.T) {
			t.Parallel()
			underFaults(t, setup{database: pgtest.URL(t)}, fmt.Sprint("timeout=1,", faultPlan, 100+seed))
		})
	}
}
