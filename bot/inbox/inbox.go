package inbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"sluice/storage"
)

const (
	batch = 100
	idle  = 30 * time.Second
	// idleShared is idle beside other processes: rows that one of them stored may be left to this one.
	idleShared = 2 * time.Second
	tries      = 8                      // a row that fails this often is set aside
	pauseFirst = 250 * time.Millisecond // before the first repetition, doubled each time
	// pauseMost is the longest pause: 8 tries take half a minute.
	pauseMost = 16 * time.Second
)

// Store is what the inbox needs of the database; storage.Store has it.
type Store interface {
	PutInbox(ctx context.Context, m storage.Inbox) (fresh bool, err error)
	PutInboxes(ctx context.Context, list []storage.Inbox) error
	PendingInbox(ctx context.Context, after int64, limit int) ([]storage.Inbox, error)
	PendingInThread(ctx context.Context, thread string, limit int) ([]storage.Inbox, error)
	Elect(ctx context.Context, role, holder string, now time.Time, ttl time.Duration) (bool, error)
	Resign(ctx context.Context, role, holder string) error
}

// Handler takes the effect of rows.
type Handler interface {
	// Handle takes the effect of a row and marks it as done, in one write. After an error it is called again.
	Handle(ctx context.Context, row storage.Inbox) error
	// GiveUp ends a row that keeps failing, and marks it as done.
	GiveUp(ctx context.Context, row storage.Inbox) error
	// Patience is how long to wait after an error before the next try, if the error says so; else 0.
	Patience(err error) time.Duration
}

// Config is what an inbox is made of.
type Config struct {
	Store  Store
	Holder string // names this process where several serve the store; "" = it serves alone
	Log    *slog.Logger
}

// Inbox works on deliveries.
type Inbox struct {
	cfg     Config
	log     *slog.Logger
	arrived chan struct{} // a row was stored
	intake  intake
}

// New makes an inbox; Work starts it.
func New(cfg Config) *Inbox {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Inbox{cfg: cfg, log: cfg.Log, arrived: make(chan struct{}, 1)}
}

// Put stores a delivery, once for each key, and wakes the worker up. Not fresh: the key is known already.
func (b *Inbox) Put(ctx context.Context, row storage.Inbox) (fresh bool, err error) {
	fresh, err = b.cfg.Store.PutInbox(ctx, row)
	if err == nil && fresh {
		b.Arrived()
	}
	return fresh, err
}

// Pending says whether a delivery of a thread, by its key, still has to be done.
func (b *Inbox) Pending(ctx context.Context, row storage.Inbox) (bool, error) {
	rows, err := b.cfg.Store.PendingInThread(ctx, row.Thread, batch)
	return slices.ContainsFunc(rows, func(r storage.Inbox) bool { return r.Key == row.Key }), err
}

// Arrived says that there is a new row.
func (b *Inbox) Arrived() {
	select {
	case b.arrived <- struct{}{}:
	default:
	}
}

// Work gives rows to the handler until ctx ends: in order within a thread, threads side by side. It begins with the rows that an earlier
// process left.
func (b *Inbox) Work(ctx context.Context, h Handler) {
	var wg sync.WaitGroup
	defer wg.Wait()
	q := &queues{rows: map[string][]storage.Inbox{}, seen: map[int64]int{}}
	for ctx.Err() == nil {
		q.pass()
		for after := int64(0); ctx.Err() == nil; {
			rows, err := b.cfg.Store.PendingInbox(ctx, after, batch)
			if err != nil && ctx.Err() == nil {
				b.log.Warn("the inbox cannot be read; trying again", "error", err)
			}
			for _, r := range rows {
				after = r.ID
				if q.add(r) {
					wg.Go(func() { b.thread(ctx, h, q, r.Thread) })
				}
			}
			if len(rows) < batch {
				break
			}
		}
		wait := time.NewTimer(b.idle())
		select {
		case <-ctx.Done():
		case <-b.arrived:
		case <-wait.C:
		}
		wait.Stop()
	}
}

// thread works on the rows of a thread until there are none.
func (b *Inbox) thread(ctx context.Context, h Handler, q *queues, thread string) {
	for {
		release, ok := b.claim(ctx, thread)
		for ok {
			row, more := q.next(thread)
			if !more {
				break
			}
			if b.pending(ctx, row) {
				b.deliver(ctx, h, row)
			}
			q.finished(row.ID)
		}
		release()
		if !ok || q.leave(thread) {
			return
		}
	}
}

// deliver gives one row to the handler, again while the database or the other side fails. A row that keeps failing is set aside, and the
// log says so.
func (b *Inbox) deliver(ctx context.Context, h Handler, row storage.Inbox) {
	pause := pauseFirst
	for try := 1; ctx.Err() == nil; {
		err := b.handle(ctx, h, row)
		if err == nil {
			return
		}
		b.log.Warn("a delivery failed", "inbox", row.ID, "kind", row.Kind, "try", try, "error", err)
		if try == tries {
			if err := h.GiveUp(ctx, row); err != nil && !errors.Is(err, storage.ErrDone) {
				b.log.Error("a delivery cannot be set aside", "inbox", row.ID, "error", err)
			}
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(max(pause, h.Patience(err))):
		}
		pause = min(2*pause, pauseMost)
		if !errors.Is(err, storage.ErrUnavailable) { // the database is away or full: that is not the delivery's fault
			try++
		}
	}
}

// handle calls the handler. A delivery that was done meanwhile (by another process, or by an earlier try whose answer from the database was
// lost) counts as handled.
func (b *Inbox) handle(ctx context.Context, h Handler, row storage.Inbox) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the handler of a delivery broke: %v\n%s", r, debug.Stack())
		}
	}()
	err = h.Handle(ctx, row)
	if errors.Is(err, storage.ErrDone) {
		b.log.Info("a delivery was done meanwhile", "inbox", row.ID)
		return nil
	}
	return err
}
