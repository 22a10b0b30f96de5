package try

import (
	"errors"
	"fmt"
	"time"

	"sluice/engine/history"
	"sluice/engine/run"
)

// hold is something that happened to the recorded run as a whole: it was paused, or went on, or was forked from another one, or its person said
// something that is kept for its agents.
type hold struct {
	event
	paused  *history.RunPaused
	resumed *history.RunResumed
	forked  *run.Fork
	said    *history.WordsKept
	actor   history.Actor
}

// open notes what held the run when it began: it was queued behind another one, or something was paused.
func (r *record) open(b *history.RunPaused, by history.Actor) {
	if b.Scope == history.HoldKey {
		r.behind = b.Reason
		return
	}
	r.paused = append(r.paused, run.Pause{Actor: by, Scope: b.Scope, Reason: b.Reason})
}

// hold notes what happens to the run as a whole.
func (r *record) hold(f history.Fact) {
	h := hold{event: event{seq: f.Seq, at: f.At}, actor: f.Actor}
	switch b := f.Body.(type) {
	case *history.RunPaused:
		if f.Seq == r.opening+1 {
			r.opening++
			r.open(b, f.Actor)
			return
		}
		h.paused = b
	case *history.RunResumed:
		h.resumed = b
	case *history.RunForked:
		h.forked = &run.Fork{Actor: f.Actor, From: b.From, Origin: b.Origin, Generation: b.Generation, Reason: b.Reason}
	case *history.WordsKept:
		h.said = b
	case *history.OutputKept:
		fork := r.holds[len(r.holds)-1].forked
		fork.Keep = append(fork.Keep, run.KeptOutput{Node: f.Node, Output: b.Output})
		return
	default:
		return
	}
	r.holds = append(r.holds, h)
}

// held is what happened next to the recorded run as a whole. Time that nobody let the run use counts for no limit, and what came
// meanwhile had to wait: so pauses are repeated. What a forked run took over it takes over again. Words
// that were kept for an agent at work are said again.
func (r *replay) held() (move, bool) {
	n := r.used["hold"]
	if n >= len(r.record.holds) {
		return move{}, false
	}
	h := r.record.holds[n]
	return move{h.seq, h.at, func(at time.Time) run.Input {
		r.used["hold"]++
		switch {
		case h.forked != nil:
			fork := *h.forked
			fork.At = at
			return fork
		case h.resumed != nil:
			return run.Resume{At: at, Actor: h.actor, Scope: h.resumed.Scope, Reason: h.resumed.Reason}
		case h.said != nil:
			return run.Said{At: at, Actor: h.actor, Text: h.said.Text}
		}
		return run.Pause{At: at, Actor: h.actor, Scope: h.paused.Scope, Reason: h.paused.Reason}
	}}, true
}

// cut leaves of a decision what lies before the point from which a forked run has its own history: that may be inside of one.
func (r *replay) cut(d run.Decision) (run.Decision, error) {
	n := r.used["hold"]
	if n >= len(r.record.holds) || r.record.holds[n].forked == nil {
		return d, nil
	}
	for i := range d.Facts {
		before := d.Facts[:i+1]
		if r.latest+int64(r.repeated(before)) != r.record.holds[n].seq-1 {
			continue
		}
		s := r.state.Clone()
		for _, f := range before {
			if err := history.Apply(s, f); err != nil {
				return d, fmt.Errorf("go back to the fork point: %w", err)
			}
		}
		return run.Decision{Facts: before, State: s}, nil
	}
	return d, nil
}

// errHeld tells that nothing comes of what happened to the run as a whole: a candidate may have come further than the run had.
func errHeld(err error) bool {
	return errors.Is(err, run.ErrHeld) || errors.Is(err, run.ErrNotHeld) || errors.Is(err, run.ErrForkPoint)
}
