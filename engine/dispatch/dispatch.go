package dispatch

import (
	"context"
	"errors"
)

// The causes (context.Cause) with which a dispatcher cancels an item's context.
var (
	// ErrRevoked means Revoke was called for the item: its lease is gone.
	ErrRevoked = errors.New("the token was taken away from this worker")
	// ErrStopped means the dispatcher has to end before the item has.
	ErrStopped = errors.New("this process is stopping")
)

// Item asks for work on a token.
type Item struct {
	Run   string
	Token int
	Epoch int // of the token's lease
}

// Performer works on a token until it waits or ends. It has to claim the token's lease first and to stop when that fails.
// When ctx is cancelled it returns soon; it never returns an error. It may call Enqueue.
type Performer func(ctx context.Context, it Item)

// Dispatcher calls the Performer for items, several at a time. All methods are safe for concurrent use.
type Dispatcher interface {
	// Start begins to perform items, also those that were enqueued before. ctx is the parent of every item's context: when it is
	// cancelled, so are all items, and no more are taken. An error: the dispatcher was started already.
	Start(ctx context.Context, p Performer) error

	// Enqueue hands items over; call it after the transition that stored their leases has committed. It never blocks. An item that
	// is being performed is performed again afterwards. After Stop it does nothing: the leases tell the next process.
	Enqueue(items ...Item)

	// Reserve keeps a worker for an item whose lease this process will store as held: no other worker has to be woken up for it. False: all
	// workers are busy, or the dispatcher is not started or is stopping. A reservation is used or released once, soon: Stop waits for it.
	Reserve() (Reservation, bool)

	// Revoke cancels the context of the item if it is being performed, and forgets it if it is not yet. It does not wait.
	Revoke(run string, token, epoch int)

	// Stop takes no more items and waits for the running ones until ctx is done; then it cancels them. An error names how many
	// ignored that. Stopping twice is harmless.
	Stop(ctx context.Context) error
}

// Reservation is a worker that waits for its item.
type Reservation interface {
	// Use has the item performed, like one that was enqueued. It does not wait.
	Use(it Item)
	// Release gives the worker back.
	Release()
}
