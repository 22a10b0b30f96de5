package slack

import (
	"context"
	"errors"
	"testing"
	"time"

	"sluice/storage"
)

// TestAThreadIsOneProcesssAtATime has two processes want the same thread: the second waits, and finds done what the first did.
func TestAThreadIsOneProcesssAtATime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	process := func(name string) *App {
		cfg := w.app.cfg
		cfg.Holder = name
		a, err := New(ctx, cfg)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	first, second := process("p1"), process("p2")
	for _, key := range []string{"E1", "E2"} {
		if _, err := w.store.PutInbox(ctx, storage.Inbox{Key: key, Thread: "T", Received: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := w.store.PendingInThread(ctx, "T", 10)
	if err != nil || len(rows) != 2 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	release, ok := first.claim(ctx, "T")
	if !ok || !first.pending(ctx, rows[0]) {
		t.Fatal("a free thread is not to be had")
	}
	impatient, cancel := context.WithTimeout(ctx, 3*threadPause)
	defer cancel()
	if _, ok := second.claim(impatient, "T"); ok {
		t.Fatal("two processes have one thread")
	}
	if other, ok := second.claim(ctx, "another thread"); !ok {
		t.Fatal("another thread is not to be had")
	} else {
		other()
	}
	if err := w.store.Write(ctx, &storage.Batch{InboxDone: []int64{rows[0].ID}}); err != nil {
		t.Fatal(err)
	}
	release()
	release, ok = second.claim(ctx, "T")
	if !ok {
		t.Fatal("a released thread is not to be had")
	}
	defer release()
	if second.pending(ctx, rows[0]) || !second.pending(ctx, rows[1]) {
		t.Fatal("what the first has done is done again, or the rest is not")
	}
}

// TestADeliveryThatWasDoneMeanwhileIsOver is about a process that was frozen in the middle of a delivery.
func TestADeliveryThatWasDoneMeanwhileIsOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	if _, err := w.store.PutInbox(ctx, storage.Inbox{Key: "E1", Thread: "T", Kind: "events_api", Payload: []byte("{}"), Received: time.Now()}); err != nil {
		t.Fatal(err)
	}
	rows, err := w.store.PendingInThread(ctx, "T", 10)
	if err != nil || len(rows) != 1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if err := w.store.Write(ctx, &storage.Batch{InboxDone: []int64{rows[0].ID}}); err != nil {
		t.Fatal(err)
	}
	if err := w.app.effect(ctx, nil, rows[0]); !errors.Is(err, storage.ErrDone) {
		t.Fatalf("the effect: error %v, want ErrDone", err)
	}
	if err := w.app.handle(ctx, nil, rows[0]); err != nil {
		t.Fatalf("it is tried again: %v", err)
	}
}
