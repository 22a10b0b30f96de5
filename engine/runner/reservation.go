package runner

import (
	"sluice/engine/dispatch"
	"sluice/engine/run"
)

// A start, an answer or a timer leads to a step. If a worker of this process is free it performs that step: the transition starts the step and
// stores its lease as held. No other process has to be woken up, and no lease has to be claimed.

// ready is a started step whose worker is reserved, with the run that is kept in memory for it.
type ready struct {
	live  *live
	moved *Moved
}

// takeReady gives the step that was prepared for an item; it is empty when the item has to be claimed.
func (x *Runner) takeReady(it dispatch.Item) ready {
	x.mu.Lock()
	defer x.mu.Unlock()
	r := x.ready[it]
	delete(x.ready, it)
	return r
}

// reservation is a worker that may begin with the step that a transition starts.
type reservation struct {
	x           *Runner
	reservation dispatch.Reservation // nil = none is free
}

// reserve reserves a worker, if the input can need one and comes from none.
func (x *Runner) reserve(in run.Input) *reservation {
	s := &reservation{x: x}
	switch in.(type) {
	case run.Claimed, run.Finished, run.Called, run.Lost, run.Cancel:
		return s
	}
	if at, ok := x.cfg.Dispatcher.Reserve(); ok {
		s.reservation = at
	}
	return s
}

func (s *reservation) free() bool { return s != nil && s.reservation != nil }

// use gives the worker the step that a transition has started, if there is one.
func (s *reservation) use(l *live, m *Moved) {
	p, ok := performOf(m.Effects)
	if !ok || !s.free() {
		return
	}
	it := dispatch.Item{Run: l.id, Token: p.Token, Epoch: p.Epoch}
	s.x.hold(l.id) // until the worker drops it
	s.x.mu.Lock()
	s.x.ready[it] = ready{live: l, moved: m}
	s.x.mu.Unlock()
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
func (x *Runner) holder(in run.Input) int {
	switch in := in.(type) {
	case run.Claimed:
		if x.cfg.Shared {
			return in.Token
		}
	case run.Finished:
		return in.Token
	case run.Called:
		return in.Token
	}
	return 0
}

// performOf gives the act that a decision asks its worker for.
func performOf(effects []run.Effect) (run.Perform, bool) {
	for _, eff := range effects {
		if p, ok := eff.(run.Perform); ok {
			return p, true
		}
	}
	return run.Perform{}, false
}
