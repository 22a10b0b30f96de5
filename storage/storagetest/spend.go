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

// modelUse adds up what people used, at once and one after the other, and takes old days away.
func modelUse(t *testing.T, s storage.Store) {
	use := func(person, day, provider string, tokens int, usd float64) storage.ModelUse {
		return storage.ModelUse{Person: person, Day: day, Provider: provider, Tokens: tokens, USD: usd}
	}
	used := func(want storage.ModelUse) {
		t.Helper()
		same(t, "used", must(s.Used(t.Context(), want.Person, want.Day, want.Provider))(t), want)
	}
	used(use("U1", "2026-11-22", "main", 0, 0))
	write(t, s, &storage.Batch{
		Use: []storage.ModelUse{
			use("U1", "2026-11-22", "main", 100, 0.25), use("U1", "2026-11-22", "other", 7, 0), use("U1", "2026-11-22", "main", 11, 0.000000123),
			use("U1", "2026-11-23", "main", 3, 0), use("U2", "2026-11-22", "main", 5, 1),
		},
		Spend: []storage.Spend{{Flow: "refund", Month: "2026-11", USD: 1}},
	})
	used(use("U1", "2026-11-22", "main", 111, 0.250000123))
	used(use("U1", "2026-11-22", "other", 7, 0))
	used(use("U2", "2026-11-22", "main", 5, 1))

	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if err := s.Write(t.Context(), &storage.Batch{Use: []storage.ModelUse{use("U2", "2026-11-22", "main", 2, 0.1)}}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	used(use("U2", "2026-11-22", "main", 45, 3))

	for _, want := range []int{2, 1, 0} {
		same(t, "removed", must(s.RemoveUse(t.Context(), "2026-11-23", 2))(t), want)
	}
	used(use("U1", "2026-11-22", "main", 0, 0))
	used(use("U1", "2026-11-23", "main", 3, 0))
}
