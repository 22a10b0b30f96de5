package runner

import (
	"context"
	"slices"

	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/storage"
)

// Transitions of one run follow each other. When many workers perform steps of the same run, as after a split, their inputs wait for its lock:
// the worker that gets the lock decides about all inputs that wait, in order, and stores the decisions in one transaction.

// request is an input and its result.
type request struct {
	in          run.Input
	add         func(*storage.Batch)
	reservation *reservation

	over  bool // guarded by the run's lock, as are the next two
	moved *Moved
	err   error
}

// end stores the result of the request. It returns 1, which callers add up.
func (t *request) end(m *Moved, err error) int {
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

// takeBatch takes a request out of the queue, and others that wait there. The request is the first, since its worker makes the transition.
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

// decideAll decides about the first of some requests, and about those that follow as long as their decisions are plain. An error is that of the
// first one: a decision that is not stored yet may be the cause of an error of another, so that one is decided again later.
func (x *Runner) decideAll(ctx context.Context, l *live, requests []*request) ([]decided, error) {
	stored := l.state
	defer func() { l.state = stored }()
	var made []decided
	for i, t := range requests {
		d, err := x.decide(ctx, l, t.in, i == 0 && t.reservation.free())
		if err != nil && i == 0 {
			return nil, err
		}
		if i > 0 && (err != nil || !plain(d)) {
			break
		}
		made = append(made, decided{Decision: d, before: l.state, held: x.holder(t.in)})
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
		case *history.TokenMade, *history.TokenHanded, *history.FrameOpened, *history.StepStarted, *history.CallIntended, *history.CallFinished, *history.StepFinished,
			*history.StepFailed, *history.RouteTaken, *history.ItemStarted, *history.ItemEnded, *history.PathEnded, *history.BranchFailed, *history.Joined, *history.VarsSet,
			*history.TimerSet, *history.TimerGone, *history.LateResult:
		default:
			return false
		}
	}
	return true
}
