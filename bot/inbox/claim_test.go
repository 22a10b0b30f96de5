package inbox

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"sluice/storage"
	"sluice/storage/sqlite"
)

// TestAThreadIsOneProcesssAtATime has two processes want the same thread: the second waits, and finds done what the first did.
func TestAThreadIsOneProcesssAtATime(t *testing.T) {
	t.Parallel()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "sluice.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	ctx := t.Context()
	process := func(name string) *Inbox { return New(Config{Store: store, Holder: name}) }
	first, second := process("p1"), process("p2")
	for _, key := range []string{"E1", "E2"} {
		if _, err := store.PutInbox(ctx, storage.Inbox{Key: key, Thread: "T", Received: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := store.PendingInThread(ctx, "T", 10)
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
	if err := store.Write(ctx, &storage.Batch{InboxDone: []int64{rows[0].ID}}); err != nil {
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

// handler is a Handler made of one function.
type handler func(ctx context.Context, row storage.Inbox) error

func (h handler) Handle(ctx context.Context, row storage.Inbox) error { return h(ctx, row) }
func (handler) GiveUp(context.Context, storage.Inbox) error           { return nil }
func (handler) Patience(error) time.Duration                          { return 0 }

// TestADeliveryThatWasDoneMeanwhileIsOver is about a process that was frozen in the middle of a delivery.
func TestADeliveryThatWasDoneMeanwhileIsOver(t *testing.T) {
	t.Parallel()
	done := handler(func(context.Context, storage.Inbox) error { return fmt.Errorf("write the effect: %w", storage.ErrDone) })
	if err := New(Config{}).handle(t.Context(), done, storage.Inbox{}); err != nil {
		t.Fatalf("it is tried again: %v", err)
	}
}
