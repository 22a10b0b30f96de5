package prune_test

import (
	"fmt"
	"testing"
	"time"

	"sluice/engine/prune"
	"sluice/storage"
)

// inQueue stores run n behind another one; a run that goes on has no end.
func inQueue(t *testing.T, s storage.Store, n, behind int, status string) storage.Run {
	t.Helper()
	return store(t, s, n, 1, 1, func(w *storage.RunWrite) {
		w.Run.Key, w.Run.Status, w.TakeKey = "A-1", status, behind == 0
		if behind != 0 {
			w.After = fmt.Sprint("r", behind)
		}
		if status == "waiting" {
			w.Run.Ended = time.Time{}
		}
	})
}

// TestQueueEntriesGo has a key queue whose first runs are over, and one in the middle, too, whose entry the runs behind it still need to find
// the run that they wait for. All entries at the front go in one round; a second round removes nothing.
func TestQueueEntriesGo(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) storage.Store{"sqlite": openSQLite, "postgres": openPostgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			inQueue(t, s, 1, 0, "succeeded")
			for n, status := range []string{"cancelled", "succeeded", "waiting", "cancelled", "waiting"} {
				inQueue(t, s, n+2, n+1, status)
			}
			p := pruner(s, 0)
			if got, err := p.Preview(t.Context(), nil); err != nil || got != (prune.Removed{}) {
				t.Fatalf("without the prefix of signals %s would go (%v)", got, err)
			}
			p.QueueMovePrefix = "queue/"
			for _, want := range []prune.Removed{{QueueEntries: 2}, {}} {
				if would, err := p.Preview(t.Context(), nil); err != nil || would != want {
					t.Errorf("%s would go, want %s (%v)", would.Would(), want.Would(), err)
				}
				if got, err := p.Once(t.Context()); err != nil || got != want {
					t.Errorf("removed %s, want %s (%v)", got, want, err)
				}
			}
			for n, want := range map[int]string{2: "", 3: "", 4: "r3", 5: "r4", 6: "r5"} {
				if before, err := s.Before(t.Context(), fmt.Sprint("r", n)); err != nil || before != want {
					t.Errorf("before r%d is %q, want %q (%v)", n, before, want, err)
				}
			}
		})
	}
}

// TestALongKeyQueueGoes has more places than are looked at, or removed, at once.
func TestALongKeyQueueGoes(t *testing.T) {
	t.Parallel()
	s := openSQLite(t)
	const runs = 1100
	inQueue(t, s, 1, 0, "succeeded")
	for n := 2; n <= runs; n++ {
		inQueue(t, s, n, n-1, "succeeded")
	}
	p := pruner(s, 0)
	p.QueueMovePrefix = "queue/"
	if got, err := p.Once(t.Context()); err != nil || got != (prune.Removed{QueueEntries: runs - 1}) {
		t.Errorf("removed %s (%v)", got, err)
	}
}

// TestAPreviewIsWhatGoes compares what would go with what went, of every kind.
func TestAPreviewIsWhatGoes(t *testing.T) {
	t.Parallel()
	s := openSQLite(t)
	for n := range 130 {
		store(t, s, n, 1, 2)
	}
	store(t, s, 1000, 1, 2, func(w *storage.RunWrite) { w.Run.Status = "failed" })
	inQueue(t, s, 1001, 0, "succeeded")
	inQueue(t, s, 1002, 1001, "cancelled")
	for _, key := range []string{"E1", "E2"} {
		if _, err := s.PutInbox(t.Context(), storage.Inbox{Key: key, Received: start}); err != nil {
			t.Fatal(err)
		}
	}
	err := s.Write(t.Context(), &storage.Batch{
		InboxDone: []int64{1},
		Draft:     []storage.Draft{{ID: "d1", Channel: "C1", Thread: "17.1", Number: 1, Flow: "refund", Status: "open", Created: start}},
		Surfaces:  []storage.Surface{{ID: "s1", Kind: "private", Ref: "x", Wanted: 1, Shown: 1, Created: start}},
		Spend:     []storage.Spend{{Flow: "refund", Month: "2026-02", USD: 1}, {Flow: "refund", Month: "2026-05", USD: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	const day = 24 * time.Hour
	p := pruner(s, day)
	p.Keep = prune.Keep{Runs: day, Deliveries: day, Drafts: day, Messages: day, Spending: 62 * day}
	p.Fixed, p.QueueMovePrefix = []string{"private"}, "queue/"
	named := 0
	would, err := p.Preview(t.Context(), func(storage.Run) { named++ })
	if err != nil {
		t.Fatal(err)
	}
	want := prune.Removed{Runs: 132, Deliveries: 1, Drafts: 1, Messages: 1, QueueEntries: 1, Months: 1}
	if would != want || named != want.Runs {
		t.Errorf("%s would go, and %d runs are named; want %s", would.Would(), named, want.Would())
	}
	want.Facts = 130*2 + 2
	if got, err := p.Once(t.Context()); err != nil || got != want {
		t.Errorf("removed %s, want %s (%v)", got, want, err)
	}
	if would, err := p.Preview(t.Context(), nil); err != nil || would != (prune.Removed{}) {
		t.Errorf("afterwards %s would go (%v)", would.Would(), err)
	}
}
