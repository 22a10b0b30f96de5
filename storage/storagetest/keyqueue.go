package storagetest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"sluice/storage"
)

// joinQueue starts run n behind the holder of a key.
func joinQueue(t *testing.T, s storage.Store, n int, holder string) error {
	t.Helper()
	r := newRun(n)
	r.Key, r.Started = "A-1001", start.Add(time.Duration(n)*time.Second)
	return s.Write(t.Context(), &storage.Batch{Run: &storage.RunWrite{Run: r, Facts: newFacts(1, 1), After: holder}})
}

func keyQueue(t *testing.T, s storage.Store) {
	wantError(t, joinQueue(t, s, 9, "run0001"), storage.ErrNotFound) // nobody holds the key
	if err := startKeyed(t, s, 1, start, 0, true); err != nil {
		t.Fatal(err)
	}
	if err := joinQueue(t, s, 2, "run0001"); err != nil {
		t.Fatal(err)
	}
	wantTaken(t, joinQueue(t, s, 3, "run0001"), "run0002")
	_, err := s.Run(t.Context(), "run0003")
	wantError(t, err, storage.ErrNotFound)
	if err := joinQueue(t, s, 3, "run0002"); err != nil {
		t.Fatal(err)
	}
	for run, before := range map[string]string{"run0001": "", "run0002": "run0001", "run0003": "run0002", "run0004": ""} {
		same(t, "before "+run, must(s.Before(t.Context(), run))(t), before)
	}
	same(t, "behind the first", must(s.Behind(t.Context(), "run0001"))(t), []string{"run0002"})
	same(t, "behind the last", len(must(s.Behind(t.Context(), "run0003"))(t)), 0)

	write(t, s, &storage.Batch{LeaveQueue: []string{"run0002", "run0009"}})
	same(t, "before who left", must(s.Before(t.Context(), "run0002"))(t), "")
	same(t, "before who is still there", must(s.Before(t.Context(), "run0003"))(t), "run0002")
	wantTaken(t, startKeyed(t, s, 5, start.Add(time.Hour), 0, true), "run0003")
}

// queueEntries ends the runs at the front of a key queue one by one. An entry can go only when its run is over and no signal of that end is
// still due.
func queueEntries(t *testing.T, s storage.Store) {
	end := func(n int, status string, signal ...storage.Timer) {
		t.Helper()
		r := must(s.Run(t.Context(), newRun(n).ID))(t)
		r.Status = status
		write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: r, Facts: newFacts(int(r.Version)+1, 1)}, Signals: signal})
	}
	over := func(what string, want map[string]bool) {
		t.Helper()
		got := map[string]bool{}
		for after, list := "", []storage.QueueEntry(nil); ; after = list[0].Run {
			list = must(s.QueueEntries(t.Context(), storage.QueueQuery{Final: final, SignalPrefix: "end/", After: after, Limit: 1}))(t)
			if len(list) == 0 {
				break
			}
			got[list[0].Run] = list[0].Over
			same(t, what+": before "+list[0].Run, must(s.Before(t.Context(), list[0].Run))(t), list[0].Behind)
			same(t, what+": nobody is before "+list[0].Behind, list[0].First, list[0].Behind == "run0001")
		}
		same(t, what, got, want)
	}
	if err := startKeyed(t, s, 1, start, 0, true); err != nil {
		t.Fatal(err)
	}
	for n := 2; n <= 4; n++ {
		if err := joinQueue(t, s, n, newRun(n-1).ID); err != nil {
			t.Fatal(err)
		}
	}
	over("all go on", map[string]bool{"run0002": false, "run0003": false, "run0004": false})
	end(2, "cancelled")
	end(3, "failed")
	over("the second is over", map[string]bool{"run0002": false, "run0003": false, "run0004": false})
	end(1, "succeeded", storage.Timer{ID: "end/run0001", Kind: "news", Due: start})
	over("nobody was told that the first is over", map[string]bool{"run0002": false, "run0003": false, "run0004": false})
	write(t, s, &storage.Batch{NoSignals: []string{"end/run0001"}})
	over("they were told", map[string]bool{"run0002": true, "run0003": false, "run0004": false})
	end(4, "succeeded")
	over("the one that failed may go on", map[string]bool{"run0002": true, "run0003": false, "run0004": false})
	end(3, "cancelled")
	r := must(s.Run(t.Context(), "run0003"))(t)
	if err := s.Remove(t.Context(), storage.Removal{Run: &r, At: start}); err != nil {
		t.Fatal(err)
	}
	over("it is gone", map[string]bool{"run0002": true, "run0003": true, "run0004": true})
}

func keyQueueRace(t *testing.T, s storage.Store) {
	const runs = 12
	if err := startKeyed(t, s, 1, start, 0, true); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for n := 2; n <= runs; n++ {
		wg.Go(func() {
			taken := &storage.KeyTakenError{Run: "run0001"}
			for {
				err := joinQueue(t, s, n, taken.Run)
				if err == nil {
					return
				}
				if !errors.As(err, &taken) {
					t.Errorf("run %d: %v", n, err)
					return
				}
			}
		})
	}
	wg.Wait()
	queue := []string{"run0001"}
	for {
		behind := must(s.Behind(t.Context(), queue[len(queue)-1]))(t)
		if len(behind) == 0 {
			break
		}
		same(t, "how many are right behind "+queue[len(queue)-1], len(behind), 1)
		queue = append(queue, behind[0])
	}
	same(t, "length of the queue", len(queue), runs)
}
