package dispatchtest

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"sluice/engine/dispatch"
)

// reserve reserves a worker that has to be free.
func reserve(t *testing.T, d dispatch.Dispatcher) dispatch.Reservation {
	t.Helper()
	s, ok := d.Reserve()
	if !ok {
		t.Fatal("no worker is free")
	}
	return s
}

func reservedWorker(t *testing.T, open Make) {
	d := open(t, 2)
	if _, ok := d.Reserve(); ok {
		t.Fatal("a worker is reserved before the start")
	}
	got := make(chan dispatch.Item, 9)
	start(t, d, func(_ context.Context, it dispatch.Item) { got <- it })
	reserve(t, d).Use(item(1))
	if it := receive(t, got, "the item"); it != item(1) {
		t.Fatalf("got %v", it)
	}
	reserve(t, d).Release()
	d.Enqueue(item(2))
	if it := receive(t, got, "an item from the queue"); it != item(2) {
		t.Fatalf("got %v", it)
	}
}

func reservationsBounded(t *testing.T, open Make) {
	const workers = 3
	d := open(t, workers)
	start(t, d, func(context.Context, dispatch.Item) {})
	var reservedWorker []dispatch.Reservation
	for range workers {
		reservedWorker = append(reservedWorker, reserve(t, d))
	}
	if _, ok := d.Reserve(); ok {
		t.Fatal("one reservation more than there are workers")
	}
	for _, s := range reservedWorker {
		s.Release()
	}
	reserve(t, d).Release()
}

func stopWaitsForReservation(t *testing.T, open Make) {
	d := open(t, 1)
	at, finish := make(chan struct{}), make(chan struct{})
	var finished atomic.Bool
	if err := d.Start(t.Context(), func(context.Context, dispatch.Item) {
		close(at)
		<-finish
		finished.Store(true)
	}); err != nil {
		t.Fatal(err)
	}
	reserve(t, d).Use(item(1))
	receive(t, at, "the item")
	stopped := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), Limit)
		defer cancel()
		stopped <- d.Stop(ctx)
	}()
	select {
	case err := <-stopped:
		t.Fatalf("stopped with an item at work: %v", err)
	default:
	}
	close(finish)
	if err := receive(t, stopped, "the stop"); err != nil {
		t.Fatal(err)
	}
	if !finished.Load() {
		t.Fatal("stopped before the item was over")
	}
	if _, ok := d.Reserve(); ok {
		t.Fatal("a worker is reserved after the stop")
	}
}

func revokeReserved(t *testing.T, open Make) {
	d := open(t, 1)
	at, cause := make(chan struct{}), make(chan error, 1)
	start(t, d, func(ctx context.Context, _ dispatch.Item) {
		close(at)
		<-ctx.Done()
		cause <- context.Cause(ctx)
	})
	it := item(1)
	reserve(t, d).Use(it)
	receive(t, at, "the item")
	d.Revoke(it.Run, it.Token, it.Epoch)
	if err := receive(t, cause, "the end of its context"); !errors.Is(err, dispatch.ErrRevoked) {
		t.Fatalf("it ended because of %v", err)
	}
}
