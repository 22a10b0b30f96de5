package cluster

import (
	"context"
	"slices"
	"sync"
	"time"

	"sluice/engine/dispatch"
	"sluice/engine/runner"
	"sluice/storage"
)

// Pulse is what this process knows of its own life.
type Pulse struct {
	shared     bool
	mu         sync.Mutex
	last       time.Time     // when the latest successful beat began
	beaten     chan struct{} // closed and replaced with every successful beat
	performing map[dispatch.Item]context.CancelCauseFunc
	stray      map[dispatch.Item]bool // held at the latest beat although no worker performed them
}

// NewPulse gives the pulse of a process. One that serves alone (shared false) may always act.
func NewPulse(shared bool) *Pulse {
	return &Pulse{shared: shared, beaten: make(chan struct{}), performing: map[dispatch.Item]context.CancelCauseFunc{}}
}

// Begin notes that this process holds the lease of an item; the returned context is cancelled when a beat finds it gone.
func (p *Pulse) Begin(ctx context.Context, it dispatch.Item) (context.Context, func()) {
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

// Revoke ends the context of an item that this process performs.
func (p *Pulse) Revoke(it dispatch.Item) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if cancel := p.performing[it]; cancel != nil {
		cancel(dispatch.ErrRevoked)
	}
}

// items lists what is being performed.
func (p *Pulse) items() []dispatch.Item {
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
func (p *Pulse) beat(began time.Time, performing []dispatch.Item, held []storage.Lease) (stray []storage.Lease) {
	p.mu.Lock()
	defer p.mu.Unlock()
	have, idle := map[dispatch.Item]bool{}, map[dispatch.Item]bool{}
	for _, l := range held {
		it := runner.ItemOf(l)
		have[it] = true
		if p.performing[it] == nil && !slices.Contains(performing, it) {
			idle[it] = true
			if p.stray[it] {
				stray = append(stray, l)
			}
		}
	}
	for _, it := range performing {
		if cancel := p.performing[it]; cancel != nil && !have[it] {
			cancel(dispatch.ErrRevoked)
		}
	}
	p.last, p.stray = began, idle
	close(p.beaten)
	p.beaten = make(chan struct{})
	return stray
}

// Fit waits until the latest beat is fresh, and this process may begin an act. An error: ctx ended first.
func (p *Pulse) Fit(ctx context.Context) error {
	if !p.shared {
		return nil
	}
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
