package timer_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sluice/engine/gate"
	"sluice/engine/outage"
	"sluice/engine/run"
	"sluice/engine/runner"
	"sluice/engine/timer"
	"sluice/storage"
)

// rows are the due rows of a store.
type rows struct {
	timer.Store
	mu   sync.Mutex
	left []storage.Timer
}

func (r *rows) ClaimTimers(_ context.Context, _ string, now time.Time, _ time.Duration, _ int) ([]storage.Timer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	due := func(t storage.Timer) bool { return !t.Due.After(now) }
	var claimed []storage.Timer
	for _, t := range r.left {
		if due(t) {
			claimed = append(claimed, t)
		}
	}
	r.left = slices.DeleteFunc(r.left, due)
	return claimed, nil
}

func (r *rows) NextDue(context.Context) (next time.Time, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.left {
		if next.IsZero() || t.Due.Before(next) {
			next = t.Due
		}
	}
	return next, nil
}

func (r *rows) put(t storage.Timer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left = append(r.left, t)
}

// fired notes which timers came to their runs, and when.
type fired struct {
	begun time.Time
	mu    sync.Mutex
	at    map[string]time.Duration
}

func (f *fired) Transition(_ context.Context, id string, _ run.Input, _ func(*storage.Batch)) (*runner.Moved, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at[id] = time.Since(f.begun)
	return nil, nil
}

type clock struct{}

func (clock) Now() time.Time         { return time.Now() }
func (clock) Moved() <-chan struct{} { return nil }

// TestTimersFireWhenTheyAreDue: also one that is stored while the loop sleeps until a later one, when the loop is woken.
func TestTimersFireWhenTheyAreDue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		store, to, wake := &rows{}, &fired{begun: begun, at: map[string]time.Duration{}}, timer.NewWake()
		store.put(storage.Timer{Run: "now", Due: begun})
		store.put(storage.Timer{Run: "later", Due: begun.Add(50 * time.Second)})
		loop := timer.New(timer.Config{
			Store: store, Clock: clock{}, Runner: to, Outage: outage.New(slog.New(slog.DiscardHandler)), Hook: func(runner.Position) {},
			Signals:      func(context.Context, storage.Timer) (bool, error) { return false, nil },
			Schedules:    func(context.Context) (bool, error) { return true, nil },
			Forget:       func(_ context.Context, last time.Time) (time.Time, error) { return last, nil },
			Unanswerable: func(context.Context, storage.Run, gate.Body) (string, error) { return "", nil },
		}, wake)
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan struct{})
		go func() { loop.Run(ctx); close(over) }()
		time.Sleep(10 * time.Second)
		store.put(storage.Timer{Run: "between", Due: begun.Add(20 * time.Second)})
		wake.Up()
		time.Sleep(50 * time.Second)
		cancel()
		<-over
		for id, want := range map[string]time.Duration{"now": 0, "between": 20 * time.Second, "later": 50 * time.Second} {
			if got, ok := to.at[id]; !ok || got != want {
				t.Errorf("the timer of %q came after %v (%v), want %v", id, got, ok, want)
			}
		}
	})
}
