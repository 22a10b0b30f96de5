package engine

import (
	"sluice/engine/dispatch"
	"sluice/engine/run"
)

// A start, an answer or a timer leads to a step. A worker of this process begins it when one is free: the transition starts the step
// and stores its lease as held. No other process has to be woken up, and there is nothing to claim.

// ready is a started step whose worker is reserved, with the run that is kept in memory for it.
type ready struct {
	live  *live
	moved *moved
}

// takeReady gives what was prepared for an item; it is empty when the item has to be claimed.
func (e *Engine) takeReady(it dispatch.Item) ready {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := e.ready[it]
	delete(e.ready, it)
	return r
}

// reservation is a worker that may begin with the step that a transition starts.
type reservation struct {
	e           *Engine
	reservation dispatch.Reservation // nil = none is free
}

// reserve reserves a worker, if the input can need one and comes from none.
func (e *Engine) reserve(in run.Input) *reservation {
	s := &reservation{e: e}
	switch in.(type) {
	case run.Claimed, run.Finished, run.Called, run.Lost, run.Cancel:
		return s
	}
	if at, ok := e.cfg.Dispatcher.Reserve(); ok {
		s.reservation = at
	}
	return s
}

func (s *reservation) free() bool { return s != nil && s.reservation != nil }

// performItem gives the worker the step that a transition has started, if there is one.
func (s *reservation) use(l *live, m *moved) {
	p, ok := performOf(m.effects)
	if !ok || !s.free() {
		return
	}
	it := dispatch.Item{Run: l.id, Token: p.Token, Epoch: p.Epoch}
	s.e.hold(l.id) // until the worker drops it
	s.e.mu.Lock()
	s.e.ready[it] = ready{live: l, moved: m}
	s.e.mu.Unlock()
	s.reservation.Use(it)
	s.reservation = nil
}

// release gives back a worker that was not needed.
func (s *reservation) release() {
	if s.reservation != nil {
		s.reservation.Release()
	}
	s.reservation = nil
}

// holder is the token whose lease the input's worker holds as stored, 0 = there is none.
func (e *Engine) holder(in run.Input) int {
	switch in := in.(type) {
	case run.Claimed:
		if e.cfg.Shared {
			return in.Token
		}
	case run.Finished:
		return in.Token
	case run.Called:
		return in.Token
	}
	return 0
}
