package project

import (
	"context"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"sluice/storage"
)

const (
	electTTL   = 15 * time.Second
	idle       = 5 * time.Second // the loop looks again at least this often, also to renew the election
	roundEvery = 5 * time.Millisecond
	// Where several processes share a store, another process cannot wake the elected one, and the others are not told that its term is over.
	lookShared  = 300 * time.Millisecond
	electShared = time.Second
)

// term is the time for which this process is elected. Deliveries that it started end with it.
type term struct {
	ctx    context.Context
	cancel context.CancelFunc
	last   time.Time // when the election was won or renewed
	under  sync.WaitGroup
}

// Run shows stale surfaces until ctx ends. Only the elected process sends; the others stand by.
func (p *Projector) Run(ctx context.Context) {
	var t *term
	var homes sync.WaitGroup
	homes.Go(func() { p.refreshHomes(ctx) })
	defer homes.Wait()
	for ctx.Err() == nil {
		wait, err := p.turn(ctx, &t)
		if err != nil && ctx.Err() == nil {
			p.Log.Warn("showing surfaces: trying again", "error", err)
			wait = idle
		}
		pause(ctx, max(wait, roundEvery), p.wake)
		pause(ctx, roundEvery, nil) // many wakes in a row become one look
	}
	t.end()
}

// pause waits for a time, or less when it is woken.
func pause(ctx context.Context, d time.Duration, wake <-chan struct{}) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	case <-wake:
	}
}

// end stops the deliveries under way and waits for them.
func (t *term) end() {
	if t != nil {
		t.cancel()
		t.under.Wait()
	}
}

// turn starts what can be sent now if this process is elected, and returns how long to wait before the next look. An election holds for
// several looks.
func (p *Projector) turn(ctx context.Context, now **term) (wait time.Duration, err error) {
	if t := *now; t == nil || time.Since(t.last) > idle {
		elected, err := p.Engine.Store().Elect(ctx, "sender", p.Holder, time.Now(), electTTL)
		if err == nil && elected && t == nil {
			t, err = p.begin(ctx)
		}
		switch {
		case err != nil:
			return 0, err
		case !elected:
			t.end()
			*now = nil
			if p.Shared {
				return electShared, nil
			}
			return idle, nil
		}
		t.last = time.Now()
		*now = t
	}
	wait, err = p.round(*now)
	if p.Shared {
		wait = min(wait, lookShared)
	}
	return wait, err
}

// begin loads the causes that surfaces wait for, and makes stale again what an earlier release has set aside.
func (p *Projector) begin(ctx context.Context) (*term, error) {
	if err := p.Engine.Store().RetryAside(ctx, p.Release); err != nil {
		return nil, err
	}
	blocked, err := p.Engine.Store().BlockedSurfaces(ctx)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.causes = causes{}
	for _, b := range blocked {
		p.causes.add(b.Cause, b.Since, time.Now(), p.Pace.of(b.Cause))
	}
	p.HomeChanged("")
	t := &term{}
	t.ctx, t.cancel = context.WithCancel(ctx)
	return t, nil
}

// round starts to send the stale surfaces that may be sent, in the order of their turns, and returns how long to wait before the next look.
func (p *Projector) round(t *term) (wait time.Duration, err error) {
	store := p.Engine.Store()
	if err := p.compareCauses(t.ctx); err != nil {
		return 0, err
	}
	stale, err := store.StaleSurfaces(t.ctx, time.Now(), perShareMost)
	if err != nil {
		return 0, err
	}
	again := p.takeAgain()
	for id := range again {
		s, err := store.Surface(t.ctx, id)
		if err == nil {
			stale = append(stale, s)
		} else if storage.IgnoreMissing(err) != nil {
			return 0, err
		}
	}
	candidates, err := p.candidates(t.ctx)
	if err != nil {
		return 0, err
	}
	stale = distinct(append(stale, candidates...))
	urgent := func(s storage.Surface) bool { return again[s.ID] || kindOf(s.Kind).urgent }
	p.mu.Lock()
	order := p.turns.order(stale, urgent)
	p.mu.Unlock()
	wait = idle
	for _, s := range order {
		d, err := p.startSending(t, s, urgent(s))
		if err != nil {
			return 0, err
		}
		if d > 0 {
			wait = min(wait, d)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return min(wait, p.causes.untilNext(time.Now())), nil
}

// distinct keeps the first of each surface.
func distinct(list []storage.Surface) []storage.Surface {
	known := map[string]bool{}
	return slices.DeleteFunc(list, func(s storage.Surface) bool {
		again := known[s.ID]
		known[s.ID] = true
		return again
	})
}

// takeAgain removes and returns the surfaces to look at although their rows are not due; the value says whether that is urgent.
func (p *Projector) takeAgain() map[string]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := map[string]bool{}
	for id, urgent := range p.again {
		if !p.busy.surfaces[id] {
			out[id] = urgent
			delete(p.again, id)
		}
	}
	return out
}

// startSending starts to send a surface unless something prevents it. later is when to look at it again, where nothing else would wake the
// loop.
func (p *Projector) startSending(t *term, s storage.Surface, urgent bool) (later time.Duration, err error) {
	j := newJob(s, urgent)
	p.mu.Lock()
	if d := time.Until(p.hold[s.ID]); d > 0 {
		p.mu.Unlock()
		return d, nil
	}
	delete(p.hold, s.ID)
	if p.busy.surfaces[s.ID] {
		p.mu.Unlock()
		return 0, nil // the end of that wakes the loop
	}
	cause, may := p.causes.probe(s, time.Now())
	if !may {
		p.mu.Unlock()
		return 0, p.wait(t.ctx, s, cause)
	}
	j.term, j.probe = t, cause
	held := p.Sender.Held(s)
	if held <= 0 && p.busy.take(j) {
		p.turns.took(s)
		p.mu.Unlock()
		t.under.Go(func() { p.run(t.ctx, j) })
		return 0, nil
	}
	p.causes.undoProbe(cause)
	p.mu.Unlock()
	return held, nil
}

// run sends one surface and then frees its slots.
func (p *Projector) run(ctx context.Context, j job) {
	defer p.Wake()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.busy.leave(j)
	}()
	defer func() {
		if r := recover(); r != nil {
			p.Log.Error("sending a surface broke", "surface", j.ID, "kind", j.Kind, "error", &panicError{what: r, stack: debug.Stack()})
			p.holdBack(j.ID, retryMost)
		}
	}()
	if err := p.deliver(ctx, j); err != nil && ctx.Err() == nil {
		p.Log.Warn("a surface is not shown yet; trying again", "surface", j.ID, "kind", j.Kind, "error", err)
		p.holdBack(j.ID, time.Second)
	}
}

// holdBack has the loop skip a surface for a while, although its row is due.
func (p *Projector) holdBack(id string, d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hold[id] = time.Now().Add(d)
}

// look has the loop look at a surface, even before its row is due.
func (p *Projector) look(id string, urgent bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.again[id] = p.again[id] || urgent
	delete(p.hold, id)
}
