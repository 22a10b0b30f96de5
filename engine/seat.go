package engine

import (
	"sluice/engine/dispatch"
	"sluice/engine/run"
)

// What a start, an answer or a timer sets going is begun by a worker of this process, when one is free: the transition starts the step
// and stores its lease as held. Nobody has to be woken up, and there is nothing to claim.

// ready is a started step whose worker is on its way, with the run that is kept in memory for it.
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

// seat is a worker that may begin with what a transition sets going.
type seat struct {
	e    *Engine
	seat dispatch.Seat // nil = none is free
}

// seatFor reserves a worker, if the input can need one and comes from none.
func (e *Engine) seatFor(in run.Input) *seat {
	s := &seat{e: e}
	switch in.(type) {
	case run.Claimed, run.Finished, run.Called, run.Lost, run.Cancel:
		return s
	}
	if at, ok := e.cfg.Dispatcher.Reserve(); ok {
		s.seat = at
	}
	return s
}

func (s *seat) free() bool { return s != nil && s.seat != nil }

// carry gives the worker the step that a transition has started, if there is one.
func (s *seat) carry(l *live, m *moved) {
	p, ok := performOf(m.effects)
	if !ok || !s.free() {
		return
	}
	it := dispatch.Item{Run: l.id, Token: p.Token, Epoch: p.Epoch}
	s.e.hold(l.id) // until the worker drops it
	s.e.mu.Lock()
	s.e.ready[it] = ready{live: l, moved: m}
	s.e.mu.Unlock()
	s.seat.Carry(it)
	s.seat = nil
}

// leave gives back a worker that was not needed.
func (s *seat) leave() {
	if s.seat != nil {
		s.seat.Leave()
	}
	s.seat = nil
}

// holder is the token whose lease an input's worker is stored to hold, 0 = there is none.
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
