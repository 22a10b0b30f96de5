package prune_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sluice/engine/enginetest"
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
			store(t, s, 3, 2, 2, child("r2"), func(w *storage.RunWrite) { w.Run.Status = "cancelled" })
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

// TestEachKindIsKeptAsLongAsItIsSaid has something old of every kind, and removes one kind after the other; zero keeps for ever.
func TestEachKindIsKeptAsLongAsItIsSaid(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		keep prune.Keep
		want prune.Removed
	}{
		"for ever":   {prune.Keep{}, prune.Removed{}},
		"longer":     {prune.Keep{Runs: 100 * day, Deliveries: 100 * day, Drafts: 100 * day, Messages: 100 * day}, prune.Removed{}},
		"runs":       {prune.Keep{Runs: day}, prune.Removed{Runs: 1, Facts: 1}},
		"deliveries": {prune.Keep{Deliveries: day}, prune.Removed{Deliveries: 1}},
		"drafts":     {prune.Keep{Drafts: day}, prune.Removed{Drafts: 1}},
		"messages":   {prune.Keep{Messages: day}, prune.Removed{Messages: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openSQLite(t)
			store(t, s, 1, 1, 1)
			if _, err := s.PutInbox(t.Context(), storage.Inbox{Key: "E1", Received: start}); err != nil {
				t.Fatal(err)
			}
			surface := func(id, kind, ref string) storage.Surface {
				return storage.Surface{ID: id, Kind: kind, Ref: ref, Wanted: 1, Shown: 1, Created: start}
			}
			rest := &storage.Batch{
				InboxDone: []int64{1},
				Draft:     []storage.Draft{{ID: "d1", Channel: "C1", Thread: "17.1", Number: 1, Flow: "refund", Status: "open", Created: start}},
				Surfaces:  []storage.Surface{surface("card", "draft", "draft:d1"), surface("a", "private", "x"), surface("b", "notice", "x")},
			}
			if err := s.Write(t.Context(), rest); err != nil {
				t.Fatal(err)
			}
			p := pruner(s, 0)
			p.Keep, p.Fixed = c.keep, []string{"private", "notice"}
			p.Draft = func(id string) []string { return []string{"draft:" + id} }
			got, err := p.Once(t.Context())
			if err != nil || got != c.want {
				t.Errorf("removed %s, want %s (%v)", got, c.want, err)
			}
			if _, err := s.Surface(t.Context(), "card"); errors.Is(err, storage.ErrNotFound) != (name == "drafts") {
				t.Errorf("the draft's card: %v", err)
			}
		})
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
		if trail, err := enginetest.TrailOf(t.Context(), s, fmt.Sprint("refund-", n)); err != nil || !trail.Removed || len(trail.Facts) != 1 {
			t.Fatalf("the trail of run %d: %+v, %v", n, trail, err)
		}
	}
}

// asked is a store that says when somebody wants to be elected.
type asked struct {
	storage.Store
	turns chan struct{}
}

func (a *asked) Elect(ctx context.Context, role, name string, now time.Time, d time.Duration) (bool, error) {
	select {
	case a.turns <- struct{}{}:
	case <-ctx.Done():
	}
	return a.Store.Elect(ctx, role, name, now, d)
}

// TestOneOfSeveralProcessesPrunes has somebody else prune at first: this process leaves it to that. When it is gone, this one prunes, again
// and again, and keeps the others from it.
func TestOneOfSeveralProcessesPrunes(t *testing.T) {
	t.Parallel()
	s := openPostgres(t)
	var passed atomic.Int64 // of the clock
	now := func() time.Time { return start.AddDate(0, 0, 100).Add(time.Duration(passed.Load())) }
	elect := func(name string) bool {
		mine, err := s.Elect(t.Context(), "pruning", name, now(), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		return mine
	}
	if !elect("p2") {
		t.Fatal("nobody else prunes, and yet p2 may not")
	}
	store(t, s, 1, 1, 1)
	ctx, stop := context.WithTimeout(t.Context(), limit)
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	turns := make(chan struct{})
	p := pruner(&asked{s, turns}, 24*time.Hour)
	p.Every, p.Now = time.Millisecond, now
	running.Go(func() { p.Run(ctx) })
	turn := func() {
		select {
		case <-turns:
		case <-ctx.Done():
			t.Fatal("it does not ask any more whether it may prune")
		}
	}
	for range 3 { // with each turn the one before is over
		turn()
	}
	if _, err := s.Run(ctx, "r1"); err != nil {
		t.Errorf("it prunes beside p2: %v", err)
	}
	passed.Add(int64(2 * time.Hour))
	for n := 1; n <= 2; n++ {
		for {
			turn()
			if _, err := s.RemovedRun(ctx, fmt.Sprint("r", n)); err == nil {
				break
			}
		}
		store(t, s, n+1, 1, 1)
	}
	if elect("p2") {
		t.Error("p2 prunes, too")
	}
}
