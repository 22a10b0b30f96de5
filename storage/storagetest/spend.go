package storagetest

import (
	"sync"
	"testing"

	"sluice/storage"
)

// oldSpending takes months away that are long gone, a few at a time.
func oldSpending(t *testing.T, s storage.Store) {
	var list []storage.Spend
	for _, flow := range []string{"digest", "refund"} {
		for _, month := range []string{"2025-12", "2026-01", "2026-10", "2026-11"} {
			list = append(list, storage.Spend{Flow: flow, Month: month, USD: 1})
		}
	}
	write(t, s, &storage.Batch{Spend: list})
	count := func(want int) {
		t.Helper()
		same(t, "old months", must(s.CountOld(t.Context(), storage.OldQuery{Month: "2026-10"}))(t), storage.Old{Months: want})
	}
	count(4)
	for _, want := range []int{3, 1, 0} {
		same(t, "removed", must(s.RemoveSpend(t.Context(), "2026-10", 3))(t), want)
	}
	count(0)
	for month, want := range map[string]float64{"2025-12": 0, "2026-01": 0, "2026-10": 1, "2026-11": 1} {
		same(t, "spent in "+month, must(s.Spent(t.Context(), "refund", month))(t), want)
	}
}

func spend(t *testing.T, s storage.Store) {
	spent := func(flow, month string, want float64) {
		t.Helper()
		same(t, "spent by "+flow+" in "+month, must(s.Spent(t.Context(), flow, month))(t), want)
	}
	spent("refund", "2026-11", 0)
	write(t, s, &storage.Batch{Spend: []storage.Spend{
		{Flow: "refund", Month: "2026-11", USD: 0.000000123}, {Flow: "refund", Month: "2026-12", USD: 2}, {Flow: "refund", Month: "2026-11", USD: 0.25},
	}})
	spent("refund", "2026-11", 0.250000123)
	spent("refund", "2026-12", 2)
	spent("digest", "2026-11", 0)

	// Nothing is added by a transition that is not stored.
	r := newRun(1)
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: r, Facts: newFacts(1, 1)}})
	r.Version = 7
	more := []storage.Spend{{Flow: "refund", Month: "2026-12", USD: 1}}
	wantError(t, s.Write(t.Context(), &storage.Batch{Run: &storage.RunWrite{Run: r, Facts: newFacts(2, 1)}, Spend: more}), storage.ErrConflict)
	spent("refund", "2026-12", 2)
	r.Version = 1
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: r, Facts: newFacts(2, 1)}, Spend: more})
	spent("refund", "2026-12", 3)

	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if err := s.Write(t.Context(), &storage.Batch{Spend: []storage.Spend{{Flow: "digest", Month: "2026-11", USD: 0.1}}}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	spent("digest", "2026-11", 2)
}
