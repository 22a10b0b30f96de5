package dispatchtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sluice/engine/dispatch"
)

// Limit is how long the suite waits for something that has to happen.
const Limit = 30 * time.Second

// Make makes a dispatcher that performs up to the given number of items at a time.
type Make func(t *testing.T, workers int) dispatch.Dispatcher

// Run runs the suite.
func Run(t *testing.T, open Make) {
	t.Helper()
	for name, test := range map[string]func(t *testing.T, open Make){
		"every item is performed":                     everyItem,
		"items wait for the start":                    beforeStart,
		"a dispatcher starts once":                    startsOnce,
		"a performer may enqueue":                     chain,
		"an item enqueued at work is performed anew":  again,
		"no more at a time than there are workers":    bounded,
		"enqueueing does not wait for workers":        neverBlocks,
		"revoking cancels the item at work":           revokeRunning,
		"revoking forgets an item that waits":         revokeQueued,
		"a reserved worker performs an item":          reservedWorker,
		"there are no more reservations than workers": reservationsBounded,
		"stopping waits for a reservation":            stopWaitsForReservation,
		"revoking reaches an item of a reservation":   revokeReserved,
		"a panic hurts nobody else":                   panics,
		"stopping waits for what is at work":          stopWaits,
		"stopping cancels what takes too long":        stopCancels,
		"nothing is taken after the stop":             afterStop,
		"the parent's end cancels everything":         parentEnds,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open)
		})
	}
}

// start starts a dispatcher and stops it when the test ends.
func start(t *testing.T, d dispatch.Dispatcher, p dispatch.Performer) {
	t.Helper()
	if err := d.Start(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), Limit)
		defer cancel()
		if err := d.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
}

func item(n int) dispatch.Item { return dispatch.Item{Run: fmt.Sprint("run", n), Token: 1, Epoch: 1} }

// receive waits for a value.
func receive[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(Limit):
		t.Fatalf("waited in vain for %s", what)
		panic("not reached")
	}
}

func everyItem(t *testing.T, open Make) {
	const n = 500
	d := open(t, 8)
	var mu sync.Mutex
	seen := map[dispatch.Item]bool{}
	all := make(chan struct{})
	start(t, d, func(_ context.Context, it dispatch.Item) {
		mu.Lock()
		defer mu.Unlock()
		if seen[it] = true; len(seen) == n {
			close(all)
		}
	})
	var wg sync.WaitGroup
	for i := range n / 2 {
		wg.Go(func() { d.Enqueue(item(2*i), item(2*i+1)) })
	}
	wg.Wait()
	receive(t, all, "every item")
}

func beforeStart(t *testing.T, open Make) {
	d := open(t, 1)
	d.Enqueue(item(1))
	got := make(chan dispatch.Item, 9)
	start(t, d, func(_ context.Context, it dispatch.Item) { got <- it })
	if it := receive(t, got, "the item"); it != item(1) {
		t.Fatalf("got %v", it)
	}
}

func startsOnce(t *testing.T, open Make) {
	d := open(t, 1)
	start(t, d, func(context.Context, dispatch.Item) {})
	if err := d.Start(t.Context(), func(context.Context, dispatch.Item) {}); err == nil {
		t.Fatal("started twice")
	}
}

func chain(t *testing.T, open Make) {
	d := open(t, 1)
	done := make(chan struct{})
	start(t, d, func(_ context.Context, it dispatch.Item) {
		if it.Token++; it.Token <= 50 {
			d.Enqueue(it)
			return
		}
		close(done)
	})
	d.Enqueue(item(1))
	receive(t, done, "the end of the chain")
}

func again(t *testing.T, open Make) {
	d := open(t, 4)
	begun, goOn := make(chan struct{}, 9), make(chan struct{})
	start(t, d, func(ctx context.Context, _ dispatch.Item) {
		begun <- struct{}{}
		select {
		case <-goOn:
		case <-ctx.Done():
		}
	})
	d.Enqueue(item(1))
	receive(t, begun, "the first time")
	d.Enqueue(item(1))
	close(goOn)
	receive(t, begun, "the second time")
}

func bounded(t *testing.T, open Make) {
	const workers, n = 3, 60
	d := open(t, workers)
	var now, most atomic.Int32
	var left atomic.Int32
	left.Store(n)
	full, all := make(chan struct{}), make(chan struct{})
	start(t, d, func(ctx context.Context, _ dispatch.Item) {
		at := now.Add(1)
		for old := most.Load(); at > old && !most.CompareAndSwap(old, at); old = most.Load() {
		}
		if at == workers {
			// All workers are at work together: the bound is reached and not only kept.
			select {
			case <-full:
			default:
				close(full)
			}
		}
		select {
		case <-full:
		case <-ctx.Done():
		}
		now.Add(-1)
		if left.Add(-1) == 0 {
			close(all)
		}
	})
	for i := range n {
		d.Enqueue(item(i))
	}
	receive(t, all, "all items")
	if got := most.Load(); got != workers {
		t.Fatalf("%d at a time, want %d", got, workers)
	}
}

func neverBlocks(t *testing.T, open Make) {
	d := open(t, 1)
	goOn := make(chan struct{})
	start(t, d, func(ctx context.Context, _ dispatch.Item) {
		select {
		case <-goOn:
		case <-ctx.Done():
		}
	})
	returned := make(chan struct{})
	go func() {
		for i := range 2000 {
			d.Enqueue(item(i))
		}
		close(returned)
	}()
	receive(t, returned, "Enqueue to return")
	close(goOn)
}

func revokeRunning(t *testing.T, open Make) {
	d := open(t, 4)
	begun, ended := make(chan dispatch.Item, 9), make(chan dispatch.Item, 9)
	causes := make(chan error, 9)
	start(t, d, func(ctx context.Context, it dispatch.Item) {
		begun <- it
		<-ctx.Done()
		causes <- context.Cause(ctx)
		ended <- it
	})
	d.Enqueue(item(1), item(2))
	receive(t, begun, "the first item")
	receive(t, begun, "the second item")
	// Another epoch, token or run is not meant.
	d.Revoke("run1", 1, 2)
	d.Revoke("run1", 2, 1)
	d.Revoke("run3", 1, 1)
	d.Revoke("run1", 1, 1)
	if it := receive(t, ended, "the revoked item to end"); it != item(1) {
		t.Fatalf("%v ended", it)
	}
	if cause := receive(t, causes, "the cause"); !errors.Is(cause, dispatch.ErrRevoked) {
		t.Fatalf("cause %v", cause)
	}
	select {
	case it := <-ended:
		t.Fatalf("%v ended, too", it)
	default:
	}
	d.Revoke("run2", 1, 1)
	receive(t, ended, "the other item to end")
}

func revokeQueued(t *testing.T, open Make) {
	d := open(t, 1)
	goOn := make(chan struct{})
	got := make(chan dispatch.Item, 9)
	start(t, d, func(ctx context.Context, it dispatch.Item) {
		got <- it
		select {
		case <-goOn:
		case <-ctx.Done():
		}
	})
	d.Enqueue(item(1))
	receive(t, got, "the first item")
	d.Enqueue(item(2), item(3))
	d.Revoke("run2", 1, 1)
	close(goOn)
	if it := receive(t, got, "the item that was left"); it != item(3) {
		t.Fatalf("%v was performed", it)
	}
}

func panics(t *testing.T, open Make) {
	d := open(t, 1)
	got := make(chan dispatch.Item, 9)
	start(t, d, func(_ context.Context, it dispatch.Item) {
		if it == item(1) {
			panic("on purpose")
		}
		got <- it
	})
	d.Enqueue(item(1), item(2))
	if it := receive(t, got, "the second item"); it != item(2) {
		t.Fatalf("got %v", it)
	}
}

func stopWaits(t *testing.T, open Make) {
	d := open(t, 2)
	begun, goOn := make(chan struct{}), make(chan struct{})
	var ended atomic.Bool
	start(t, d, func(context.Context, dispatch.Item) {
		close(begun)
		<-goOn
		ended.Store(true)
	})
	d.Enqueue(item(1))
	receive(t, begun, "the item")
	stopped := make(chan error)
	go func() { stopped <- d.Stop(context.Background()) }()
	select {
	case err := <-stopped:
		t.Fatalf("did not wait: %v", err)
	default:
	}
	close(goOn)
	if err := receive(t, stopped, "the stop"); err != nil || !ended.Load() {
		t.Fatalf("stopped with %v, item ended: %t", err, ended.Load())
	}
}

func stopCancels(t *testing.T, open Make) {
	d := open(t, 2)
	begun, causes := make(chan struct{}), make(chan error, 1)
	start(t, d, func(ctx context.Context, _ dispatch.Item) {
		close(begun)
		<-ctx.Done()
		causes <- context.Cause(ctx)
	})
	d.Enqueue(item(1))
	receive(t, begun, "the item")
	impatient, cancel := context.WithCancel(context.Background())
	cancel()
	if err := d.Stop(impatient); err != nil {
		t.Fatal(err)
	}
	if cause := receive(t, causes, "the cause"); !errors.Is(cause, dispatch.ErrStopped) {
		t.Fatalf("cause %v", cause)
	}
}

func afterStop(t *testing.T, open Make) {
	d := open(t, 1)
	begun, goOn := make(chan struct{}), make(chan struct{})
	var stopped atomic.Bool
	start(t, d, func(_ context.Context, it dispatch.Item) {
		if stopped.Load() {
			t.Errorf("%v was taken after the stop", it)
			return
		}
		close(begun)
		<-goOn
	})
	d.Enqueue(item(1))
	receive(t, begun, "the item")
	close(goOn)
	for range 2 { // the second time is harmless
		if err := d.Stop(context.Background()); err != nil {
			t.Fatal(err)
		}
		stopped.Store(true)
		d.Enqueue(item(2))
	}
}

func parentEnds(t *testing.T, open Make) {
	d := open(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	begun, ended := make(chan struct{}), make(chan struct{})
	err := d.Start(ctx, func(ctx context.Context, _ dispatch.Item) {
		close(begun)
		<-ctx.Done()
		close(ended)
	})
	if err != nil {
		t.Fatal(err)
	}
	d.Enqueue(item(1), item(2))
	receive(t, begun, "the item")
	cancel()
	receive(t, ended, "the end of the item")
	if err := d.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
}
