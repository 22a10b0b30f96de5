package engine_test

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"sluice/engine/history"
	"sluice/engine/runner"
	"sluice/engine/timer"
	"sluice/storage"
	"sluice/storage/sqlite"
)

// A process that serves alone fires the timers that its predecessor died with at once: nobody else can have them.
func TestTheTimersOfAPredecessor(t *testing.T) {
	t.Parallel()
	w, r, stop := timedWorld(t, timed[0].kind, timed[0].flow)
	stop()
	w.clock.Advance(time.Hour)
	w.open()
	if claimed, err := w.store.ClaimTimers(t.Context(), "the dead", w.clock.Now(), 24*time.Hour, 10); err != nil || len(claimed) != 1 {
		t.Fatalf("claimed %+v (%v)", claimed, err)
	}
	w.close()
	w.serve()
	if v := w.ended(r.ID, history.Succeeded); fired(v) != 1 {
		t.Errorf("%d fires", fired(v))
	}
}

// lapse is a store that goes away when timers have been claimed: before the answer arrives, or after.
type lapse struct {
	storage.Store
	answered bool
	left     atomic.Int32 // how many writes, or claims, it takes until it is back
}

func (l *lapse) away() error {
	if l.left.Add(-1) >= 0 {
		return fmt.Errorf("the connection is broken: %w", storage.ErrUnavailable)
	}
	return nil
}

func (l *lapse) ClaimTimers(ctx context.Context, worker string, now time.Time, hold time.Duration, limit int) ([]storage.Timer, error) {
	list, err := l.Store.ClaimTimers(ctx, worker, now, hold, limit)
	if err == nil && len(list) > 0 && !l.answered {
		if err := l.away(); err != nil {
			return nil, err
		}
	}
	return list, err
}

func (l *lapse) Write(ctx context.Context, b *storage.Batch) error {
	if l.answered {
		if err := l.away(); err != nil {
			return err
		}
	}
	return l.Store.Write(ctx, b)
}

// What was claimed when the database went away is fired when it is back, and not when the claims are over.
func TestAnOutageDoesNotHoldTimersUp(t *testing.T) {
	t.Parallel()
	for _, answered := range []bool{true, false} {
		t.Run(fmt.Sprint("answered=", answered), func(t *testing.T) {
			t.Parallel()
			w, r, stop := timedWorld(t, timed[0].kind, timed[0].flow)
			stop()
			w.clock.Advance(time.Hour)
			l := &lapse{answered: answered}
			l.left.Store(3)
			w.database = func(ctx context.Context) (storage.Store, error) {
				s, err := sqlite.Open(ctx, w.path)
				l.Store = s
				return l, err
			}
			begun := time.Now()
			w.serve()
			if v := w.ended(r.ID, history.Succeeded); fired(v) != 1 {
				t.Errorf("%d fires", fired(v))
			}
			if took := time.Since(begun); took >= timer.Hold {
				t.Errorf("the claim was waited for: %v", took)
			}
			if l.left.Load() >= 0 {
				t.Error("the store was not away")
			}
		})
	}
}

// diesDue makes a process kill itself with a timer in its hands.
const diesDue = "SLUICE_TEST_DIES_DUE"

// dies is the hook of a process that is to kill itself, or nil.
func dies() func(runner.Position) {
	if os.Getenv(diesDue) == "" {
		return diesAtFire(os.Getenv(diesAt))
	}
	return func(at runner.Position) {
		if at == runner.AtDue {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
}

// A process dies with a timer in its hands. The one that finds it dead fires the timer then, long before the claim would be over.
func TestATimerThatAProcessDiesWith(t *testing.T) {
	t.Parallel()
	o, address := emptyOffice(t)
	o.put(nap)
	o.hire("p1", address, diesDue+"=1")
	ids := o.start("nap", 1)
	died := make(chan error, 1)
	go func() { died <- o.procs["p1"].Wait() }()
	select {
	case <-died:
	case <-time.After(2 * limit):
		t.Fatal("p1 never fired")
	}
	begun := time.Now()
	o.hire("p2", address)
	o.ended(ids)
	took := time.Since(begun)
	t.Logf("it was fired %v after the death", took)
	if took >= timer.Hold {
		t.Error("the claim of the dead was waited for")
	}
}
