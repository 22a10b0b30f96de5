package inbox

import (
	"context"
	"errors"
	"sync"
	"time"

	"sluice/storage"
)

const (
	intakeMost = 1000             // deliveries that wait to be stored
	intakeRows = 64               // of them in one transaction
	intakeTime = 10 * time.Second // for one transaction
)

var errCrowded = errors.New("too many deliveries wait to be stored")

// intake stores deliveries, in the order of their arrival. Those that arrive while others are being stored share the next commit; a delivery that
// arrives alone is stored at once.
type intake struct {
	mu      sync.Mutex
	waiting []arrival
	busy    bool
	working sync.WaitGroup
}

// arrival is a delivery on its way into the inbox.
type arrival struct {
	row    storage.Inbox
	stored func(error)
}

// Take stores a delivery, once for each key, and says when it is stored or why it is not.
func (b *Inbox) Take(row storage.Inbox, stored func(error)) {
	q := &b.intake
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) >= intakeMost {
		q.working.Go(func() { stored(errCrowded) })
		return
	}
	q.waiting = append(q.waiting, arrival{row, stored})
	if !q.busy {
		q.busy = true
		q.working.Go(b.storeWaiting)
	}
}

// Settle waits until everything that was taken is stored or is not. Nothing may be taken any more.
func (b *Inbox) Settle() { b.intake.working.Wait() }

// storeWaiting stores what waits until nothing does.
func (b *Inbox) storeWaiting() {
	for {
		group := b.intake.next()
		if len(group) == 0 {
			return
		}
		b.storeAll(group)
	}
}

func (q *intake) next() []arrival {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.waiting), intakeRows)
	group := q.waiting[:n:n]
	q.waiting = q.waiting[n:]
	q.busy = n > 0
	return group
}

// storeAll stores a group. If that fails the deliveries are stored one by one, so that none fails because of another.
func (b *Inbox) storeAll(group []arrival) {
	ctx, cancel := context.WithTimeout(context.Background(), intakeTime)
	defer cancel()
	err := errAlone
	if len(group) > 1 {
		rows := make([]storage.Inbox, len(group))
		for i, a := range group {
			rows[i] = a.row
		}
		err = b.cfg.Store.PutInboxes(ctx, rows)
	}
	for _, a := range group {
		one := err
		if one != nil && !errors.Is(err, storage.ErrUnavailable) {
			_, one = b.cfg.Store.PutInbox(ctx, a.row)
		}
		b.intake.working.Go(func() { a.stored(one) })
	}
	b.Arrived()
}

// errAlone says that a group of one delivery needs no transaction of its own.
var errAlone = errors.New("there is only one")
