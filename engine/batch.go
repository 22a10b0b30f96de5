package engine

import (
	"context"
	"slices"

	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/storage"
)

// Transitions of one run come one after the other. When many workers are at work for the same run, as after a fork, their inputs meet at
// its lock: the worker that gets the lock decides about all that wait, one on top of the other, and stores the result in one transaction.

// request is an input with what became of it.
type request struct {
	in          run.Input
	add         func(*storage.Batch)
	reservation *reservation

	over  bool // guarded by the run's lock, as are the next two
	moved *moved
	err   error
}

// end says what became of the request, and gives one for the caller's count.
func (t *request) end(m *moved, err error) int {
	t.over, t.moved, t.err = true, m, err
	return 1
}

// batchable reports whether the request may share a transaction: it comes from a worker and adds nothing of its own to the transaction.
func (t *request) batchable() bool {
	switch t.in.(type) {
	case run.Claimed, run.Finished, run.Called:
		return t.add == nil
	}
	return false
}

func (l *live) queue(t *request) {
	l.waiting.Lock()
	defer l.waiting.Unlock()
	l.requests = append(l.requests, t)
}

// requestsMost bounds how many inputs share a transaction.
const requestsMost = 32

// takeBatch takes a request out of the queue, with others that wait there: it comes first, since its worker makes the transition.
func (l *live) takeBatch(t *request) []*request {
	l.waiting.Lock()
	defer l.waiting.Unlock()
	i := slices.Index(l.requests, t)
	if i < 0 {
		return []*request{t}
	}
	l.requests = slices.Delete(l.requests, i, i+1)
	n := min(len(l.requests), requestsMost-1)
	requests := append([]*request{t}, l.requests[:n]...)
	l.requests = slices.Delete(l.requests, 0, n)
	return requests
}

// decided is a decision with the state that it was made on.
type decided struct {
	run.Decision
	before *history.State
	held   int // token that the input's worker holds, 0 = none
}

// decideAll decides about the first of some requests, and about those that follow for as long as they are plain. An error is the first
// one's: what another one meets may be the doing of a decision that is not stored yet, so it is asked again after that.
func (e *Engine) decideAll(ctx context.Context, l *live, requests []*request) ([]decided, error) {
	stored := l.state
	defer func() { l.state = stored }()
	var made []decided
	for i, t := range requests {
		d, err := e.decide(ctx, l, t.in, i == 0 && t.reservation.free())
		if err != nil && i == 0 {
			return nil, err
		}
		if i > 0 && (err != nil || !plain(d)) {
			break
		}
		made = append(made, decided{Decision: d, before: l.state, held: e.holder(t.in)})
		if !t.batchable() || !plain(d) {
			break
		}
		l.state = d.State
		for _, f := range d.Facts {
			l.remember(f)
		}
	}
	return made, nil
}

// plain reports whether a decision writes nothing but facts, leases and timers.
func plain(d run.Decision) bool {
	for _, f := range d.Facts {
		switch f.Body.(type) {
		case *history.TokenMade, *history.TokenHanded, *history.TokenForked, *history.StepStarted, *history.CallIntended, *history.CallFinished, *history.StepFinished,
			*history.StepFailed, *history.RouteTaken, *history.ItemStarted, *history.ItemEnded, *history.PathEnded, *history.BranchFailed, *history.Joined, *history.VarsSet,
			*history.TimerSet, *history.TimerGone, *history.LateResult:
		default:
			return false
		}
	}
	return true
}

// reset forgets what was thought of a run when its transition was not stored: outputs, too, may be of facts that others have written.
func (l *live) reset() {
	l.state = nil
	clear(l.outputs)
	l.cached = 0
}

// fillAll puts decisions that follow each other into one write, and gives their facts.
func (e *Engine) fillAll(ctx context.Context, b *storage.Batch, made []decided) ([]history.Fact, error) {
	if len(made) == 1 {
		d := made[0]
		if err := e.fill(ctx, b.Run, d.Decision, d.before, d.held); err != nil {
			return nil, err
		}
		e.meter.Fill(b, d.Facts)
		return d.Facts, e.fillSignals(b, d.Decision, d.before)
	}
	var facts []history.Fact
	for _, d := range made {
		w := &storage.RunWrite{Run: b.Run.Run}
		if err := e.fill(ctx, w, d.Decision, d.before, d.held); err != nil {
			return nil, err
		}
		follow(b.Run, w)
		facts = append(facts, d.Facts...)
	}
	e.meter.Fill(b, facts)
	return facts, nil
}

// follow adds a later write of a run to an earlier one: what it deletes the other has not put, and what it puts the other has not deleted.
func follow(w, later *storage.RunWrite) {
	w.Facts = append(w.Facts, later.Facts...)
	w.Leases = slices.DeleteFunc(w.Leases, func(l storage.Lease) bool {
		again := func(o storage.Lease) bool { return o.Token == l.Token }
		return slices.Contains(later.NoLease, l.Token) || slices.ContainsFunc(later.Leases, again)
	})
	w.NoLease = slices.DeleteFunc(w.NoLease, func(token int) bool {
		return slices.ContainsFunc(later.Leases, func(o storage.Lease) bool { return o.Token == token })
	})
	w.Leases, w.NoLease = append(w.Leases, later.Leases...), append(w.NoLease, later.NoLease...)
	w.Timers = slices.DeleteFunc(w.Timers, func(t storage.Timer) bool { return slices.Contains(later.NoTimer, t.ID) })
	w.Timers, w.NoTimer = append(w.Timers, later.Timers...), append(w.NoTimer, later.NoTimer...)
}
