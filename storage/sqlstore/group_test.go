package sqlstore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sluice/storage"
)

// together is what export_test.go adds to the stores.
type together interface {
	WriteTogether(ctx context.Context, batches ...*storage.Batch) ([]error, error)
}

// TestEachOfAGroupIsAllOrNothing has three transitions share a statement, of which the second comes too late.
func TestEachOfAGroupIsAllOrNothing(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) storage.Store{storage.SQLite: openSQLite, storage.Postgres: openPostgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			var group []*storage.Batch
			for n := 1; n <= 3; n++ {
				r := startRun(t.Context(), t, s, n)
				if n == 2 {
					r.Version = 9 // not the one that is stored
				}
				b := transition(r, 2)
				b.Run.Leases = []storage.Lease{{Token: 1, Epoch: 1, Worker: "w"}}
				b.Run.Timers = []storage.Timer{{ID: r.ID + "/1", Num: 1, Due: time.Now()}}
				b.Run.Gates = []storage.Gate{{ID: r.ID + "/1", Num: 1, Status: "open", Opened: time.Now()}}
				group = append(group, b)
			}
			answers, err := s.(together).WriteTogether(t.Context(), group...)
			if err != nil {
				t.Fatal(err)
			}
			for i, b := range group {
				late := i == 1
				if errors.Is(answers[i], storage.ErrConflict) != late || !late && answers[i] != nil {
					t.Errorf("transition %d: %v", i+1, answers[i])
				}
				wantStored(t, s, b, !late)
			}
		})
	}
}

// wantStored looks for everything that a transition writes.
func wantStored(t *testing.T, s storage.Store, b *storage.Batch, stored bool) {
	t.Helper()
	id, facts, surface := b.Run.Run.ID, 1, int64(1)
	if stored {
		facts, surface = facts+len(b.Run.Facts), surface+1
	}
	if list, err := s.Facts(t.Context(), id, 0); err != nil || len(list) != facts {
		t.Errorf("run %s has %d facts (%v), wanted %d", id, len(list), err, facts)
	}
	leases, err := s.HeldBy(t.Context(), []string{"w"})
	if held := slices.ContainsFunc(leases, func(l storage.Lease) bool { return l.Run == id }); err != nil || held != stored {
		t.Errorf("run %s has a lease: %t (%v), wanted %t", id, held, err, stored)
	}
	if _, err := s.Gate(t.Context(), id+"/1"); (err == nil) != stored {
		t.Errorf("the gate of run %s: %v", id, err)
	}
	if got, err := s.Surface(t.Context(), "status-"+id); err != nil || got.Wanted != surface {
		t.Errorf("the surface of run %s is wanted %d times (%v), not %d", id, got.Wanted, err, surface)
	}
}

// TestWritesThatMeetAreGrouped has many runs make transitions at a time: there are fewer statements than transitions, and each
// transition has its own answer.
func TestWritesThatMeetAreGrouped(t *testing.T) {
	t.Parallel()
	const runs, steps = 48, 6
	s := openPostgres(t)
	var list []storage.Run
	for n := range runs {
		list = append(list, startRun(t.Context(), t, s, n+1))
	}
	var mu sync.Mutex
	used := 0
	s.(inner).Observe(func(string) {
		mu.Lock()
		defer mu.Unlock()
		used++
	})
	var all sync.WaitGroup
	for _, r := range list {
		all.Go(func() {
			for step := range steps {
				if err := s.Write(context.Background(), transition(r, int64(2+3*step))); err != nil {
					t.Error(fmt.Errorf("step %d of %s: %w", step, r.ID, err))
					return
				}
				r.Version++
			}
		})
	}
	all.Wait()
	mu.Lock()
	defer mu.Unlock()
	if used >= runs*steps {
		t.Errorf("%d transitions took %d statements", runs*steps, used)
	}
}

// TestStartsThatMeet has each of many runs started twice at a time: one of the two wins, and nobody fails for another's sake.
func TestStartsThatMeet(t *testing.T) {
	t.Parallel()
	const runs, times = 24, 2
	for name, open := range map[string]func(*testing.T) storage.Store{storage.SQLite: openSQLite, storage.Postgres: openPostgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			var won, lost [runs]atomic.Int32
			var all sync.WaitGroup
			for n := range runs {
				for try := range times {
					r := storage.Run{ID: fmt.Sprint("r", n), Flow: "refund", Name: fmt.Sprint("refund-", n, "-", try), Started: time.Now()}
					b := &storage.Batch{Run: &storage.RunWrite{Run: r, Facts: []storage.Fact{{Seq: 1, Kind: "run_started", At: time.Now()}}}}
					all.Go(func() {
						switch err := s.Write(context.Background(), b); {
						case err == nil:
							won[n].Add(1)
						case errors.Is(err, storage.ErrConflict):
							lost[n].Add(1)
						default:
							t.Error(err)
						}
					})
				}
			}
			all.Wait()
			for n := range runs {
				if won[n].Load() != 1 || lost[n].Load() != times-1 {
					t.Errorf("run %d was started %d times and refused %d times", n, won[n].Load(), lost[n].Load())
				}
			}
		})
	}
}

// TestAWriteLeavesTheQueueWithItsContext is about those that wait while others are under way.
func TestAWriteLeavesTheQueueWithItsContext(t *testing.T) {
	t.Parallel()
	s := openSQLite(t)
	r := startRun(t.Context(), t, s, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Write(ctx, transition(r, 2)); !errors.Is(err, context.Canceled) {
		t.Fatalf("a write whose context is over: %v", err)
	}
	if err := s.Write(t.Context(), transition(r, 2)); err != nil {
		t.Fatalf("the next one: %v", err)
	}
}
