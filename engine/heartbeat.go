package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"sluice/engine/dispatch"
	"sluice/engine/run"
	"sluice/storage"
)

// How several processes that serve one store know of each other. Everything is counted on each process's own monotonic clock: no
// two clocks are compared. A worker stops to begin acts before anybody may think it dead, and is told at its next beat what it has
// lost meanwhile.
const (
	beatPause  = 2 * time.Second  // between the end of a beat and the next one
	freshFor   = 4 * time.Second  // a worker whose last beat is older begins no act
	deadAfter  = 6 * time.Second  // a worker is dead when its counter stood still for this long
	sweepEvery = 10 * time.Second // how often unclaimed leases are looked through when no process has died
	beatLimit  = 5 * time.Second  // a beat that takes longer has failed
	sweepMost  = 1000             // leases in one look
)

// pulse is what this process knows of its own life.
type pulse struct {
	mu         sync.Mutex
	last       time.Time     // when the latest successful beat began
	beaten     chan struct{} // closed and replaced with every successful beat
	performing map[dispatch.Item]context.CancelCauseFunc
	strays     map[dispatch.Item]bool // held at the latest beat although no worker performed them
}

func newPulse() *pulse {
	return &pulse{beaten: make(chan struct{}), performing: map[dispatch.Item]context.CancelCauseFunc{}}
}

// begin notes that this process holds the lease of an item; the returned context is cancelled when a beat finds it gone.
func (p *pulse) begin(ctx context.Context, it dispatch.Item) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.performing[it] = cancel
	return ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.performing, it)
		cancel(nil)
	}
}

// revoke ends the context of an item that this process performs.
func (p *pulse) revoke(it dispatch.Item) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if cancel := p.performing[it]; cancel != nil {
		cancel(dispatch.ErrRevoked)
	}
}

// items lists what is being performed.
func (p *pulse) items() []dispatch.Item {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]dispatch.Item, 0, len(p.performing))
	for it := range p.performing {
		list = append(list, it)
	}
	return list
}

// beat notes a success, and ends those of the items performed when the beat began whose leases this process has lost. It returns the leases
// that it holds and that no worker performed at this beat nor the one before: the answer to a claim was lost, or the worker broke.
func (p *pulse) beat(began time.Time, performing []dispatch.Item, held []storage.Lease) (strays []storage.Lease) {
	p.mu.Lock()
	defer p.mu.Unlock()
	have, idle := map[dispatch.Item]bool{}, map[dispatch.Item]bool{}
	for _, l := range held {
		it := itemOf(l)
		have[it] = true
		if p.performing[it] == nil && !slices.Contains(performing, it) {
			idle[it] = true
			if p.strays[it] {
				strays = append(strays, l)
			}
		}
	}
	for _, it := range performing {
		if cancel := p.performing[it]; cancel != nil && !have[it] {
			cancel(dispatch.ErrRevoked)
		}
	}
	p.last, p.strays = began, idle
	close(p.beaten)
	p.beaten = make(chan struct{})
	return strays
}

// fit waits until the latest beat is fresh. An error: ctx ended first.
func (p *pulse) fit(ctx context.Context) error {
	for {
		p.mu.Lock()
		fresh, next := time.Since(p.last) < freshFor, p.beaten
		p.mu.Unlock()
		if fresh {
			return ctx.Err()
		}
		select {
		case <-next:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// fit waits until this process may begin an act: at once when it serves alone.
func (e *Engine) fit(ctx context.Context) error {
	if !e.cfg.Shared {
		return nil
	}
	return e.pulse.fit(ctx)
}

// watch is what a process has seen of the others' counters.
type watch struct {
	last time.Time // end of the latest successful beat
	seen map[string]sighting
}

type sighting struct {
	beats int64
	since time.Time // after it was first read
}

// look takes the counters that a beat has read into account and lists who is dead. A process that could not beat for a while has
// not seen the others either: then it begins anew, so that an outage of the database declares no process dead.
func (w *watch) look(began, ended time.Time, beats map[string]int64) (dead []string) {
	if w.seen == nil || began.Sub(w.last) > freshFor {
		w.seen = map[string]sighting{}
	}
	w.last = ended
	for id := range w.seen {
		if _, there := beats[id]; !there {
			delete(w.seen, id)
		}
	}
	for id, n := range beats {
		s, known := w.seen[id]
		switch {
		case !known || s.beats != n:
			w.seen[id] = sighting{n, ended}
		case began.Sub(s.since) >= deadAfter:
			dead = append(dead, id)
		}
	}
	slices.Sort(dead)
	return dead
}

// findings are what a beat gives the sweep to do.
type findings struct {
	dead   []string
	strays []storage.Lease
}

// lead beats until ctx ends and tells the sweep, which must not hold up the next beat, what it found.
func (e *Engine) lead(ctx context.Context, found chan<- findings) {
	var w watch
	asking := e.outage.Caller()
	defer asking.Over(false)
	for ctx.Err() == nil {
		f, err := e.beat(ctx, &w)
		switch {
		case err == nil:
			asking.Over(true)
		case ctx.Err() == nil:
			asking.Failed(fmt.Errorf("say that this process is alive: %w", err))
			w = watch{}
		}
		if len(f.dead)+len(f.strays) > 0 {
			select {
			case found <- f:
			default: // the sweep is busy; the next beat finds the same
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(beatPause):
		}
	}
}

func (e *Engine) beat(ctx context.Context, w *watch) (f findings, err error) {
	ctx, cancel := context.WithTimeout(ctx, beatLimit)
	defer cancel()
	performing, began := e.pulse.items(), time.Now()
	p, err := e.cfg.Store.Beat(ctx, e.cfg.Worker, e.Now())
	if err != nil {
		return f, err
	}
	f.strays = e.pulse.beat(began, performing, p.Held)
	delete(p.Beats, e.cfg.Worker)
	f.dead = w.look(began, time.Now(), p.Beats)
	return f, nil
}

// sweep hands on tokens without a worker and has unclaimed tokens dispatched again, until ctx ends.
func (e *Engine) sweep(ctx context.Context, found <-chan findings) {
	var f findings
	for {
		err := errors.Join(e.handOn(ctx, f.strays, "crash"), e.bury(ctx, f.dead, "crash"), e.redispatch(ctx))
		if err != nil && ctx.Err() == nil && !errors.Is(err, storage.ErrUnavailable) { // that is said already, see lead
			e.log.Warn("the sweep failed; trying again", "error", err)
		}
		f = findings{}
		select {
		case <-ctx.Done():
			return
		case f = <-found:
			if len(f.dead) > 0 {
				e.log.Warn("processes are dead; their work goes on elsewhere", "dead", f.dead)
			}
		case <-time.After(sweepEvery):
		}
	}
}

// bury hands on what workers held that are not there any more, and clears up after them.
func (e *Engine) bury(ctx context.Context, workers []string, reason string) error {
	if len(workers) == 0 {
		return nil
	}
	switch freed, err := e.cfg.Store.FreeTimers(ctx, workers); {
	case err != nil:
		return fmt.Errorf("end the claims of %v: %w", workers, err)
	case freed > 0:
		e.wakeTimers()
	}
	leases, err := e.cfg.Store.HeldBy(ctx, workers)
	if err != nil {
		return fmt.Errorf("list what %v held: %w", workers, err)
	}
	if err := e.handOn(ctx, leases, reason); err != nil {
		return err
	}
	return e.cfg.Store.Bury(ctx, workers)
}

// handOn releases tokens for the next worker that claims them, by the same input as after a crash. Several processes may do so at once: the
// machine fences all but one of them.
func (e *Engine) handOn(ctx context.Context, leases []storage.Lease, reason string) error {
	for _, l := range leases {
		_, err := e.transition(ctx, l.Run, run.Lost{At: e.Now(), Token: l.Token, Epoch: l.Epoch, Reason: reason}, nil)
		if err != nil && !domain(err) {
			return fmt.Errorf("hand on token %d of run %s: %w", l.Token, l.Run, err)
		}
	}
	return nil
}

// redispatch enqueues every unclaimed token that no worker would claim otherwise.
func (e *Engine) redispatch(ctx context.Context) error {
	for {
		leases, err := e.cfg.Store.Unclaimed(ctx, sweepMost)
		if err != nil {
			return fmt.Errorf("list unclaimed work: %w", err)
		}
		for _, l := range leases {
			if !e.cfg.Queued {
				e.cfg.Dispatcher.Enqueue(itemOf(l))
				continue
			}
			if _, err := e.cfg.Store.Redispatch(ctx, l); err != nil {
				return fmt.Errorf("dispatch token %d of run %s again: %w", l.Token, l.Run, err)
			}
		}
		if !e.cfg.Queued || len(leases) < sweepMost {
			return nil
		}
	}
}

// share serves beside other processes: the first beat comes before the first claim, and the last one after the last token was given
// back.
func (e *Engine) share(ctx context.Context) error {
	if e.cfg.Worker == "" {
		return errors.New("a process that serves beside others needs a name: set Config.Worker")
	}
	living, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	found := make(chan findings, 1)
	var wg sync.WaitGroup
	wg.Go(func() { e.lead(living, found) })
	err := e.beginWork(ctx)
	if err == nil {
		sweeping, stop := context.WithCancel(ctx)
		wg.Go(func() { e.sweep(sweeping, found) })
		besides(ctx, e.watchPauses, e.timers)
		stop()
		err = e.stop()
	}
	end()
	wg.Wait()
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), beatLimit)
	defer cancel()
	if gone := e.bury(leaving, []string{e.cfg.Worker}, "stop"); gone != nil {
		e.log.Warn("what this process held could not be given back; the others take it in a few seconds", "error", gone)
	}
	return err
}
