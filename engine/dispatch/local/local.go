package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"sluice/engine/dispatch"
)

// Options are the settings of a dispatcher; the zero value is usable.
type Options struct {
	Workers int           // items performed at a time; 0 = 64
	Grace   time.Duration // how long Stop waits for items after it cancelled them; 0 = 5 s
	Logger  *slog.Logger  // nil = slog.Default()
	// Panicked is told about an item whose performer panicked, after that was logged; nil = it is only logged.
	Panicked func(it dispatch.Item, reason any)
}

// Dispatcher is a dispatch.Dispatcher inside one process.
type Dispatcher struct {
	options Options

	mu      sync.Mutex
	ctx     context.Context // of Start; nil before
	perform dispatch.Performer
	queue   []dispatch.Item
	queued  map[dispatch.Item]bool
	running map[dispatch.Item]*performance
	workers int
	stopped bool
	idle    chan struct{} // closed when stopped and the last worker has ended
}

// performance is an item at work.
type performance struct {
	cancel context.CancelCauseFunc
	again  bool // enqueued meanwhile
}

var _ dispatch.Dispatcher = (*Dispatcher)(nil)

// New makes a dispatcher; nothing happens until Start.
func New(o Options) *Dispatcher {
	if o.Workers <= 0 {
		o.Workers = 64
	}
	if o.Grace <= 0 {
		o.Grace = 5 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return &Dispatcher{
		options: o,
		queued:  map[dispatch.Item]bool{},
		running: map[dispatch.Item]*performance{},
		idle:    make(chan struct{}),
	}
}

// Start begins to perform items.
func (d *Dispatcher) Start(ctx context.Context, p dispatch.Performer) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.perform != nil || d.stopped {
		return errors.New("start the dispatcher: it was started or stopped before")
	}
	d.ctx, d.perform = ctx, p
	d.startWorkers()
	return nil
}

// Enqueue hands items over. An item that is queued already is not queued twice.
func (d *Dispatcher) Enqueue(items ...dispatch.Item) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopped {
		return
	}
	for _, it := range items {
		if p := d.running[it]; p != nil {
			p.again = true
		} else {
			d.add(it)
		}
	}
	d.startWorkers()
}

func (d *Dispatcher) add(it dispatch.Item) {
	if !d.queued[it] {
		d.queued[it] = true
		d.queue = append(d.queue, it)
	}
}

// startWorkers starts workers for the queued items. The lock is held.
func (d *Dispatcher) startWorkers() {
	if d.perform == nil {
		return
	}
	// A worker takes the next item as soon as it is free; more workers are needed only for the items that wait now.
	for n := min(len(d.queue), d.options.Workers-d.workers); n > 0; n-- {
		d.workers++
		go d.work()
	}
}

// work performs items until there are none.
func (d *Dispatcher) work() {
	for {
		it, ctx, ok := d.take()
		if !ok {
			return
		}
		d.performItem(ctx, it)
		d.done(it)
	}
}

// take picks the next item, or ends the worker.
func (d *Dispatcher) take() (dispatch.Item, context.Context, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.queue) == 0 || d.stopped || d.ctx.Err() != nil {
		d.leave()
		return dispatch.Item{}, nil, false
	}
	it := d.queue[0]
	d.queue = d.queue[1:]
	delete(d.queued, it)
	return it, d.begin(it), true
}

// begin makes the context of an item. The lock is held.
func (d *Dispatcher) begin(it dispatch.Item) context.Context {
	ctx, cancel := context.WithCancelCause(d.ctx)
	d.running[it] = &performance{cancel: cancel}
	return ctx
}

// leave ends a worker. The lock is held.
func (d *Dispatcher) leave() {
	d.workers--
	if d.stopped && d.workers == 0 {
		close(d.idle)
	}
}

// Reserve keeps a worker for an item that this process is about to hold by itself.
func (d *Dispatcher) Reserve() (dispatch.Reservation, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.perform == nil || d.stopped || d.workers >= d.options.Workers {
		return nil, false
	}
	d.workers++
	return reservation{d}, true
}

type reservation struct{ d *Dispatcher }

// Use has the item performed; after that the worker takes what is queued.
func (s reservation) Use(it dispatch.Item) {
	s.d.mu.Lock()
	ctx := s.d.begin(it)
	s.d.mu.Unlock()
	go func() {
		s.d.performItem(ctx, it)
		s.d.done(it)
		s.d.work()
	}()
}

// Release gives the worker back.
func (s reservation) Release() {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	s.d.leave()
	if !s.d.stopped {
		s.d.startWorkers()
	}
}

// performItem calls the performer and survives its panic.
func (d *Dispatcher) performItem(ctx context.Context, it dispatch.Item) {
	defer func() {
		reason := recover()
		if reason == nil {
			return
		}
		d.options.Logger.Error("performer panicked", "run", it.Run, "token", it.Token, "epoch", it.Epoch,
			"reason", fmt.Sprint(reason), "stack", string(debug.Stack()))
		if d.options.Panicked != nil {
			d.options.Panicked(it, reason)
		}
	}()
	d.perform(ctx, it)
}

func (d *Dispatcher) done(it dispatch.Item) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.running[it]
	p.cancel(nil)
	delete(d.running, it)
	if p.again && !d.stopped {
		d.add(it)
	}
}

// Revoke cancels the context of an item, or forgets it.
func (d *Dispatcher) Revoke(run string, token, epoch int) {
	it := dispatch.Item{Run: run, Token: token, Epoch: epoch}
	d.mu.Lock()
	defer d.mu.Unlock()
	if p := d.running[it]; p != nil {
		p.again = false
		p.cancel(dispatch.ErrRevoked)
	}
	if d.queued[it] {
		delete(d.queued, it)
		d.queue = slices.DeleteFunc(d.queue, func(other dispatch.Item) bool { return other == it })
	}
}

// Stop takes no more items and waits for the running ones until ctx is done; then it cancels them and waits for Options.Grace.
func (d *Dispatcher) Stop(ctx context.Context) error {
	d.shut()
	select {
	case <-d.idle:
		return nil
	case <-ctx.Done():
	}
	d.cancel()
	grace := time.NewTimer(d.options.Grace)
	defer grace.Stop()
	select {
	case <-d.idle:
		return nil
	case <-grace.C:
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return fmt.Errorf("stop the dispatcher: %d items go on although they were cancelled", len(d.running))
}

func (d *Dispatcher) shut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopped {
		return
	}
	d.stopped = true
	d.queue, d.queued = nil, map[dispatch.Item]bool{}
	if d.workers == 0 {
		close(d.idle)
	}
}

func (d *Dispatcher) cancel() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.running {
		p.cancel(dispatch.ErrStopped)
	}
}
