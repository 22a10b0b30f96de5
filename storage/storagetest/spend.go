package storagetest

import (
	"sync"
	"testing"

	"sluice/storage"
)

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
