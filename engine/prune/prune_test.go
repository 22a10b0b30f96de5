package prune_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"sluice/engine/prune"
	"sluice/storage"
	"sluice/storage/pgtest"
	"sluice/storage/postgres"
	"sluice/storage/sqlite"
)

const limit = 30 * time.Second

var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func openSQLite(t *testing.T) storage.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "sluice.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func openPostgres(t *testing.T) storage.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// store stores run n, which ended on a day, with a number of facts.
func store(t *testing.T, s storage.Store, n, day, facts int, change ...func(*storage.RunWrite)) storage.Run {
	t.Helper()
	w := &storage.RunWrite{Run: storage.Run{
		ID: fmt.Sprint("r", n), Flow: "refund", Number: n, Name: fmt.Sprint("refund-", n), Status: "succeeded", Started: start, Ended: start.AddDate(0, 0, day),
	}}
	for i := range facts {
		f := storage.Fact{Seq: int64(i + 1), Kind: "step_finished", Version: 1, At: start, Body: []byte(`{"output":{"text":"x"}}`)}
		if i == 0 {
			f.Kind, f.Body = "run_started", []byte(`{"flow":"refund","by":"U1","inputs":{"a":1}}`)
		}
		w.Facts = append(w.Facts, f)
	}
	for _, c := range change {
		c(w)
	}
	if err := s.Write(t.Context(), &storage.Batch{Run: w}); err != nil {
		t.Fatal(err)
	}
	return w.Run
}

func pruner(s storage.Store, keep time.Duration) *prune.Pruner {
	return prune.New(prune.Config{
		Store: s, Keep: prune.Keep{Runs: keep}, Now: func() time.Time { return start.AddDate(0, 0, 100) }, Every: time.Hour, Name: "p1",
	})
}

func TestAFamilyGoesTogetherAndAFailedRunStays(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) storage.Store{"sqlite": openSQLite, "postgres": openPostgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			child := func(of string) func(*storage.RunWrite) {
				return func(w *storage.RunWrite) { w.Run.Parent = of }
			}
			store(t, s, 1, 1, 2)
			store(t, s, 2, 2, 2, child("r1"))
			store(t, s, 3, 2, 2, child("r2"))
			store(t, s, 4, 2, 2, func(w *storage.RunWrite) { w.Run.Status = "failed" })
			store(t, s, 5, 2, 2)
			store(t, s, 6, 2, 2, child("r5"), func(w *storage.RunWrite) { w.Run.Status, w.Run.Ended = "waiting", time.Time{} })
			got, err := pruner(s, 24*time.Hour).Once(t.Context())
			if want := (prune.Removed{Runs: 3, Facts: 6}); err != nil || got != want {
				t.Fatalf("removed %s, want %s (%v)", got, want, err)
			}
			for _, id := range []string{"r4", "r5", "r6"} {
				if _, err := s.Run(t.Context(), id); err != nil {
					t.Errorf("run %s: %v", id, err)
				}
			}
		})
	}
}

// TestManyRunsGoInBatches has more runs than are listed at once, and one with more facts than go at once.
func TestManyRunsGoInBatches(t *testing.T) {
	t.Parallel()
	s := openSQLite(t)
	for n := range 230 {
		store(t, s, n, 1, 2)
	}
	store(t, s, 1000, 2, 2500)
	got, err := pruner(s, 24*time.Hour).Once(t.Context())
	if want := (prune.Removed{Runs: 231, Facts: 460 + 2500}); err != nil || got != want {
		t.Errorf("removed %s, want %s (%v)", got, want, err)
	}
}

func TestZeroKeepsForEver(t *testing.T) {
	t.Parallel()
	s := openSQLite(t)
	store(t, s, 1, 1, 1)
	got, err := pruner(s, 0).Once(t.Context())
	if err != nil || got != (prune.Removed{}) {
		t.Errorf("removed %s (%v)", got, err)
	}
}

// TestSeveralPruneAtOnce has many processes remove the same runs while others are written.
func TestSeveralPruneAtOnce(t *testing.T) {
	t.Parallel()
	s := openPostgres(t)
	const runs = 60
	for n := range runs {
		store(t, s, n, 1, 3)
	}
	var mu sync.Mutex
	var sum prune.Removed
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got, err := pruner(s, 24*time.Hour).Once(t.Context())
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			sum.Runs += got.Runs
		})
	}
	wg.Go(func() {
		for n := range 30 {
			store(t, s, 1000+n, 99, 3)
		}
	})
	wg.Wait()
	if sum.Runs != runs {
		t.Errorf("%d runs were removed, want %d", sum.Runs, runs)
	}
	if _, err := pruner(s, 24*time.Hour).Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	for n := range runs {
		facts, err := s.Facts(t.Context(), fmt.Sprint("r", n), 0)
		if err != nil || len(facts) > 0 {
			t.Fatalf("%d facts of run %d are left, %v", len(facts), n, err)
		}
		if trail, err := prune.TrailOf(t.Context(), s, fmt.Sprint("refund-", n)); err != nil || !trail.Removed || len(trail.Facts) != 1 {
			t.Fatalf("the trail of run %d: %+v, %v", n, trail, err)
		}
	}
}

// TestOneOfSeveralProcessesPrunes has the first one remove at once and by itself; the second leaves it to that.
func TestOneOfSeveralProcessesPrunes(t *testing.T) {
	t.Parallel()
	s := openPostgres(t)
	store(t, s, 1, 1, 1)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	var first sync.WaitGroup
	running, stop := context.WithCancel(ctx)
	first.Go(func() { pruner(s, 24*time.Hour).Run(running) })
	for {
		if _, err := s.RemovedRun(ctx, "r1"); err == nil {
			break
		} else if ctx.Err() != nil {
			t.Fatal("nothing was removed")
		}
	}
	stop()
	first.Wait()
	elected, err := s.Elect(t.Context(), "pruning", "p2", start.AddDate(0, 0, 100), time.Hour)
	if err != nil || elected {
		t.Errorf("another process prunes, too: %t, %v", elected, err)
	}
}
