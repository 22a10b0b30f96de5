package storagetest

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sluice/storage"
)

func runNumbers(t *testing.T, s storage.Store) {
	var mu sync.Mutex
	var numbers []int
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			n, err := s.NextRunNumber(t.Context(), "refund")
			if err != nil {
				t.Errorf("number: %v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			numbers = append(numbers, n)
		})
	}
	wg.Wait()
	slices.Sort(numbers)
	if len(slices.Compact(numbers)) != 20 || numbers[0] < 1 {
		t.Fatalf("numbers %v", numbers)
	}
	if n := must(s.NextRunNumber(t.Context(), "other"))(t); n != 1 {
		t.Fatalf("another flow starts at %d", n)
	}
}

// startKeyed starts run n with a key at a time; nothing may have been started with it in the window before.
func startKeyed(t *testing.T, s storage.Store, n int, at time.Time, window time.Duration, take bool) error {
	t.Helper()
	r := newRun(n)
	r.Key, r.Started = "A-1001", at
	w := &storage.RunWrite{Run: r, Facts: newFacts(1, 1), TakeKey: take}
	if window > 0 {
		w.KeyFrom = at.Add(-window)
	}
	return s.Write(t.Context(), &storage.Batch{Run: w})
}

func wantTaken(t *testing.T, err error, run string) {
	t.Helper()
	var taken *storage.KeyTakenError
	if !errors.As(err, &taken) {
		t.Fatalf("error %v, want that the key is taken", err)
	}
	same(t, "the holder", *taken, storage.KeyTakenError{Flow: "refund", Key: "A-1001", Run: run})
}

func keyOnce(t *testing.T, s storage.Store) {
	if err := startKeyed(t, s, 1, start, 0, true); err != nil {
		t.Fatal(err)
	}
	wantTaken(t, startKeyed(t, s, 2, start.Add(1000*time.Hour), 0, true), "run0001")
	_, err := s.Run(t.Context(), "run0002")
	wantError(t, err, storage.ErrNotFound)
	same(t, "facts", len(must(s.Facts(t.Context(), "run0002", 0))(t)), 0)

	other := newRun(3)
	other.Key, other.Flow = "A-1001", "digest"
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: other, TakeKey: true}})

	// A run that has ended still holds its key.
	r := must(s.Run(t.Context(), "run0001"))(t)
	r.Ended, r.Status = start, "done"
	write(t, s, &storage.Batch{Run: &storage.RunWrite{Run: r}})
	wantTaken(t, startKeyed(t, s, 4, start.Add(time.Hour), 0, true), "run0001")
}

func keyRace(t *testing.T, s storage.Store) {
	// An old holder outside the window makes the racers meet in an update, too.
	for round, window := range []time.Duration{0, time.Hour} {
		var won atomic.Int32
		var winner atomic.Value
		var wg sync.WaitGroup
		losers := make(chan error, 16)
		for i := range 16 {
			wg.Go(func() {
				n := 100*round + i + 1
				err := startKeyed(t, s, n, start.Add(time.Duration(round)*24*time.Hour), window, true)
				if err == nil {
					won.Add(1)
					winner.Store(newRun(n).ID)
					return
				}
				losers <- err
			})
		}
		wg.Wait()
		close(losers)
		same(t, "winners", won.Load(), int32(1))
		for err := range losers {
			wantTaken(t, err, winner.Load().(string))
		}
	}
	same(t, "runs", len(must(s.Runs(t.Context(), storage.RunQuery{}))(t)), 2)
}

func keyWindow(t *testing.T, s storage.Store) {
	const window = 90 * 24 * time.Hour
	if err := startKeyed(t, s, 1, start, window, true); err != nil {
		t.Fatal(err)
	}
	wantTaken(t, startKeyed(t, s, 2, start.Add(window), window, true), "run0001")
	if err := startKeyed(t, s, 3, start.Add(window+time.Millisecond), window, true); err != nil {
		t.Fatal(err)
	}
	wantTaken(t, startKeyed(t, s, 4, start.Add(window+time.Hour), window, true), "run0003")
}

func keyBeside(t *testing.T, s storage.Store) {
	const window = time.Hour
	if err := startKeyed(t, s, 1, start, window, true); err != nil {
		t.Fatal(err)
	}
	if err := startKeyed(t, s, 2, start.Add(50*time.Minute), window, false); err != nil {
		t.Fatalf("beside the holder: %v", err)
	}
	// The window counts from the newest run with the key.
	wantTaken(t, startKeyed(t, s, 3, start.Add(90*time.Minute), window, true), "run0002")
	if err := startKeyed(t, s, 4, start.Add(3*time.Hour), window, true); err != nil {
		t.Fatal(err)
	}
}
