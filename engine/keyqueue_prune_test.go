package engine_test

import (
	"context"
	"sync"
	"testing"

	"sluice/engine/history"
	"sluice/engine/prune"
	"sluice/engine/signals"
	"sluice/storage"
)

// QueueEntries in a line are removed all the time while runs wait in it, are cancelled in its middle, or run anyway. Everybody's turn comes, and
// in the end no place is left.
func TestAKeyQueueIsPrunedAllTheTime(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, database func(ctx context.Context) (storage.Store, error)) {
		w := tills(t, database, false)
		p := prune.New(prune.Config{Store: w.store, Now: w.clock.Now, QueueMovePrefix: signals.QueueMovePrefix})
		pruning, stop := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			for pruning.Err() == nil {
				if _, err := p.Once(pruning); err != nil && pruning.Err() == nil {
					t.Error(err)
					return
				}
			}
		})
		defer wg.Wait()
		defer stop()
		var ids []string
		behind := ""
		for n := range 9 {
			ids = append(ids, w.queue(behind))
			behind = []string{"till-1", "till-2", "till-3", "till-4", "till-5", "till-6", "till-7", "till-8", "till-9"}[n]
		}
		cancel := func(n int) {
			t.Helper()
			if err := w.engine.Cancel(t.Context(), ids[n], ana, ""); err != nil {
				t.Fatal(err)
			}
		}
		cancel(1)
		cancel(2)
		w.gate(ids[0])
		cancel(8)
		if _, err := w.engine.RunAnyway(t.Context(), ids[5], ana, "it is urgent"); err != nil {
			t.Fatal(err)
		}
		w.approve(ids[0])
		w.gate(ids[3])
		cancel(3)
		w.approve(ids[4])
		w.queued(ids[6], "till-6")
		w.approve(ids[5])
		cancel(7)
		w.approve(ids[6])
		w.nothingDue()
		stop()
		wg.Wait()
		if _, err := p.Once(t.Context()); err != nil {
			t.Fatal(err)
		}
		left, err := w.store.QueueEntries(t.Context(), storage.QueueQuery{Final: []string{string(history.Succeeded), string(history.Cancelled)}})
		if err != nil || len(left) > 0 {
			t.Errorf("places are left: %+v, %v", left, err)
		}
	})
}
