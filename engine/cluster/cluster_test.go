package cluster

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"sluice/engine/dispatch"
	"sluice/engine/runner"
	"sluice/storage"
)

func TestWhoIsDead(t *testing.T) {
	t.Parallel()
	type beat struct {
		at    time.Duration // of the beat's beginning
		took  time.Duration
		other int64 // the other's counter; 0 = it is not there
		dead  bool
	}
	const s = time.Second
	for _, c := range []struct {
		name  string
		beats []beat
	}{
		{"it beats", []beat{{0, 0, 1, false}, {2 * s, 0, 2, false}, {4 * s, 0, 3, false}, {6 * s, 0, 4, false}, {8 * s, 0, 5, false}}},
		{"it stands still", []beat{{0, 0, 7, false}, {2 * s, 0, 7, false}, {4 * s, 0, 7, false}, {6 * s, 0, 7, true}, {8 * s, 0, 7, true}}},
		{"it beats slowly", []beat{{0, 0, 1, false}, {2 * s, 0, 1, false}, {4 * s, 0, 1, false}, {5 * s, 0, 2, false}, {7 * s, 0, 2, false}}},
		{"it comes back", []beat{{0, 0, 1, false}, {3 * s, 0, 1, false}, {6 * s, 0, 1, true}, {8 * s, 0, 2, false}, {10 * s, 0, 2, false}}},
		{"it leaves and comes back", []beat{{0, 0, 1, false}, {3 * s, 0, 0, false}, {6 * s, 0, 1, false}, {9 * s, 0, 1, false}, {12 * s, 0, 1, true}}},
		{"the counter was read late", []beat{{0, s, 1, false}, {3 * s, 0, 1, false}, {6 * s, 0, 1, false}, {7 * s, 0, 1, true}}},
		{"we were away ourselves", []beat{{0, 0, 1, false}, {2 * s, 0, 1, false}, {9 * s, 0, 1, false}, {12 * s, 0, 1, false}, {15 * s, 0, 1, true}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var w watch
			start := time.Now()
			for i, b := range c.beats {
				beats := map[string]int64{}
				if b.other > 0 {
					beats["other"] = b.other
				}
				began := start.Add(b.at)
				dead := w.look(began, began.Add(b.took), beats)
				if slices.Contains(dead, "other") != b.dead {
					t.Fatalf("beat %d at %v: dead %v", i+1, b.at, dead)
				}
			}
		})
	}
}

// TestOnlyAFreshWorkerActs is about one worker: it waits for its next beat, and ends when that tells of a loss.
func TestOnlyAFreshWorkerActs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := NewPulse(true)
		it := dispatch.Item{Run: "r", Token: 1, Epoch: 3}
		ctx, put := p.Begin(t.Context(), it)
		defer put()
		held := []storage.Lease{{Run: "r", Token: 1, Epoch: 3}}
		p.beat(time.Now(), p.items(), held)
		time.Sleep(freshFor - time.Millisecond)
		if err := p.Fit(ctx); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
		may := make(chan error)
		wait := func() { may <- p.Fit(ctx) }
		go wait()
		synctest.Wait()
		select {
		case <-may:
			t.Fatal("a stale worker may act")
		default:
		}
		p.beat(time.Now(), p.items(), held)
		if err := <-may; err != nil {
			t.Fatal(err)
		}
		time.Sleep(freshFor)
		go wait()
		p.beat(time.Now(), p.items(), []storage.Lease{{Run: "r", Token: 1, Epoch: 4}})
		if err := <-may; !errors.Is(err, dispatch.ErrRevoked) && !errors.Is(err, context.Canceled) {
			t.Fatalf("a worker that lost its lease may act: %v", err)
		}
		if !errors.Is(context.Cause(ctx), dispatch.ErrRevoked) {
			t.Fatalf("cause %v", context.Cause(ctx))
		}
	})
}

func TestStraysAreWithoutAWorkerForTwoBeats(t *testing.T) {
	t.Parallel()
	p := NewPulse(true)
	stray := storage.Lease{Run: "r", Token: 1, Epoch: 1}
	performing := storage.Lease{Run: "r", Token: 2, Epoch: 1}
	_, put := p.Begin(t.Context(), runner.ItemOf(performing))
	defer put()
	for beat, want := range []int{0, 1, 1} {
		if got := p.beat(time.Now(), p.items(), []storage.Lease{stray, performing}); len(got) != want || want > 0 && got[0] != stray {
			t.Fatalf("beat %d: stray %v", beat+1, got)
		}
	}
	// Claimed between the look and the beat, or given back meanwhile, it is none.
	if got := p.beat(time.Now(), p.items(), nil); len(got) != 0 {
		t.Fatalf("stray %v", got)
	}
	if got := p.beat(time.Now(), p.items(), []storage.Lease{stray}); len(got) != 0 {
		t.Fatalf("stray %v", got)
	}
}
