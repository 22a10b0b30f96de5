package river

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	queue "github.com/riverqueue/river"

	"sluice/engine/dispatch"
)

// Dispatcher is a dispatch.Dispatcher over a queue in Postgres, which it shares with those of other processes.
type Dispatcher struct {
	options  Options
	pool     *pgxpool.Pool
	client   *queue.Client[pgx.Tx]
	notifier *notifier

	mu       sync.Mutex
	ctx      context.Context // of Start; nil before
	perform  dispatch.Performer
	running  map[dispatch.Item]*performance
	revoked  memory
	stopped  bool
	reserved int            // reserved, or with an item that did not come from the queue
	direct   sync.WaitGroup // the items of these reservations
}

// performance is an item at work.
type performance struct {
	cancel context.CancelCauseFunc
	again  bool // fetched meanwhile
}

var _ dispatch.Dispatcher = (*Dispatcher)(nil)

// snooze is how long an item that a stop interrupted stays in the queue before another process takes it.
const snooze = time.Second

func newDispatcher(o Options, pool *pgxpool.Pool) *Dispatcher {
	d := &Dispatcher{
		options: o, pool: pool, running: map[dispatch.Item]*performance{}, revoked: memory{items: map[dispatch.Item]bool{}},
	}
	d.notifier = newNotifier(o.Logger, d.deliver)
	return d
}

// Start begins to perform items of all processes. After an outage of the database it may be tried again.
func (d *Dispatcher) Start(ctx context.Context, p dispatch.Performer) error {
	d.mu.Lock()
	started := d.perform != nil || d.stopped
	if !started {
		d.ctx, d.perform = ctx, p
	}
	d.mu.Unlock()
	if started {
		return errors.New("start the dispatcher: it was started or stopped before")
	}
	// Items end by their own contexts, children of ctx; the client has to live on to store how its jobs ended.
	if err := d.client.Start(context.WithoutCancel(ctx)); err != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.ctx, d.perform = nil, nil
		return fmt.Errorf("start the dispatcher: %w", err)
	}
	return nil
}

// work performs an item for River.
func (d *Dispatcher) work(river context.Context, it dispatch.Item) error {
	ctx, cancel, later := d.begin(it)
	if ctx == nil {
		return later
	}
	defer cancel(nil)
	unlink := context.AfterFunc(river, func() {
		if errors.Is(context.Cause(river), queue.ErrJobCancelledRemotely) {
			cancel(dispatch.ErrRevoked)
		} else {
			cancel(dispatch.ErrStopped)
		}
	})
	defer unlink()
	for again := true; again; again = d.done(it) {
		d.performItem(ctx, it)
	}
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), dispatch.ErrRevoked) {
		return queue.JobSnooze(snooze)
	}
	return nil
}

// Reserve keeps a worker for an item that this process is about to hold by itself. There are as many of them as workers for what comes
// from the queue.
func (d *Dispatcher) Reserve() (dispatch.Reservation, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.perform == nil || d.stopped || d.ctx.Err() != nil || d.reserved >= d.options.Workers {
		return nil, false
	}
	d.reserved++
	d.direct.Add(1)
	return reservation{d}, true
}

type reservation struct{ d *Dispatcher }

// Use has the item performed.
func (s reservation) Use(it dispatch.Item) {
	s.d.mu.Lock()
	ctx, cancel := context.WithCancelCause(s.d.ctx)
	s.d.running[it] = &performance{cancel: cancel}
	s.d.mu.Unlock()
	go func() {
		defer s.Release()
		defer cancel(nil)
		for again := true; again; again = s.d.done(it) {
			s.d.performItem(ctx, it)
		}
	}()
}

// Release gives the worker back.
func (s reservation) Release() {
	s.d.mu.Lock()
	s.d.reserved--
	s.d.mu.Unlock()
	s.d.direct.Done()
}

// begin makes the context of an item. Without one, the item is not performed now, and the error is what River is told instead.
func (d *Dispatcher) begin(it dispatch.Item) (context.Context, context.CancelCauseFunc, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopped || d.ctx.Err() != nil {
		return nil, nil, queue.JobSnooze(snooze)
	}
	if d.revoked.items[it] {
		return nil, nil, nil
	}
	if p := d.running[it]; p != nil {
		p.again = true
		return nil, nil, nil
	}
	ctx, cancel := context.WithCancelCause(d.ctx)
	d.running[it] = &performance{cancel: cancel}
	return ctx, cancel, nil
}

// performItem calls the performer and survives its panic.
func (d *Dispatcher) performItem(ctx context.Context, it dispatch.Item) {
	defer func() {
		if reason := recover(); reason != nil {
			d.options.Logger.Error("performer panicked", "run", it.Run, "token", it.Token, "epoch", it.Epoch,
				"reason", fmt.Sprint(reason), "stack", string(debug.Stack()))
		}
	}()
	d.perform(ctx, it)
}

// done ends a performance, unless the item was fetched once more meanwhile.
func (d *Dispatcher) done(it dispatch.Item) (again bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.running[it]
	if p.again && !d.stopped && d.ctx.Err() == nil {
		p.again = false
		return true
	}
	delete(d.running, it)
	return false
}

// Enqueue puts items into the queue, soon and in order.
func (d *Dispatcher) Enqueue(items ...dispatch.Item) {
	notices := make([]notice, len(items))
	for i, it := range items {
		notices[i].item = it
	}
	d.notifier.send(notices...)
}

// Revoke cancels the context of an item at once when it is performed here, soon when elsewhere, and takes its jobs out of the queue.
func (d *Dispatcher) Revoke(run string, token, epoch int) {
	it := dispatch.Item{Run: run, Token: token, Epoch: epoch}
	d.forget(it)
	d.notifier.send(notice{item: it, revoke: true})
}

func (d *Dispatcher) forget(it dispatch.Item) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.revoked.add(it, time.Now())
	if p := d.running[it]; p != nil {
		p.again = false
		p.cancel(dispatch.ErrRevoked)
	}
}

// deliver writes notices of one sort to the database.
func (d *Dispatcher) deliver(ctx context.Context, notices []notice) error {
	if notices[0].revoke {
		for _, l := range notices {
			if err := d.cancelJobs(ctx, l.item); err != nil {
				return err
			}
		}
		return nil
	}
	var runs []string
	var tokens, epochs []int
	for _, l := range notices {
		runs, tokens, epochs = append(runs, l.item.Run), append(tokens, l.item.Token), append(epochs, l.item.Epoch)
	}
	_, err := d.pool.Exec(ctx, putItems, runs, tokens, epochs)
	return err
}

// cancelJobs has River cancel the jobs of an item, in whatever process.
func (d *Dispatcher) cancelJobs(ctx context.Context, it dispatch.Item) error {
	rows, err := d.pool.Query(ctx, waking, it.Run, it.Token, it.Epoch)
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := d.client.JobCancel(ctx, id); err != nil && !errors.Is(err, queue.ErrNotFound) {
			return err
		}
	}
	return nil
}

// Stop takes no more items and waits for the running ones until ctx is done; then it cancels them and waits for Options.Grace.
func (d *Dispatcher) Stop(ctx context.Context) error {
	d.mu.Lock()
	first, started := !d.stopped, d.perform != nil
	d.stopped = true
	d.mu.Unlock()
	if !first {
		return nil
	}
	d.notifier.close()
	if started {
		if err := d.halt(ctx); err != nil {
			return err // the pool stays open for items that go on
		}
	}
	d.pool.Close()
	return nil
}

func (d *Dispatcher) halt(ctx context.Context) error {
	if d.client.Stop(ctx) == nil && d.directDone(ctx) {
		return nil
	}
	d.cancel()
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.options.Grace)
	defer cancel()
	if d.client.StopAndCancel(grace) == nil && d.directDone(grace) {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return fmt.Errorf("stop the dispatcher: %d items go on although they were cancelled", len(d.running))
}

// directDone waits for the items that did not come from the queue.
func (d *Dispatcher) directDone(ctx context.Context) bool {
	gone := make(chan struct{})
	go func() {
		d.direct.Wait()
		close(gone)
	}()
	select {
	case <-gone:
		return true
	case <-ctx.Done():
		return false
	}
}

func (d *Dispatcher) cancel() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.running {
		p.cancel(dispatch.ErrStopped)
	}
}

// memory keeps revoked items for longer than the notifier needs to cancel their jobs.
type memory struct {
	items map[dispatch.Item]bool
	order []revocation
}

type revocation struct {
	item dispatch.Item
	at   time.Time
}

const remembered = time.Minute

func (m *memory) add(it dispatch.Item, now time.Time) {
	for len(m.order) > 0 && now.Sub(m.order[0].at) > remembered {
		delete(m.items, m.order[0].item)
		m.order = m.order[1:]
	}
	if !m.items[it] {
		m.items[it] = true
		m.order = append(m.order, revocation{it, now})
	}
}
