package slack

import (
	"errors"
	"testing"
	"time"

	"sluice/storage"
)

// TestADeliveryThatWasDoneMeanwhileHasNoEffect is about a process that was frozen in the middle of a delivery.
func TestADeliveryThatWasDoneMeanwhileHasNoEffect(t *testing.T) {
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
	if err := (deliveries{app: w.app}).Handle(ctx, rows[0]); !errors.Is(err, storage.ErrDone) {
		t.Fatalf("the effect: error %v, want ErrDone", err)
	}
}
