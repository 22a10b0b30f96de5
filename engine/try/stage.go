package try

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/run/compile"
	"sluice/engine/run/scope"
)

// stage is one run in memory: the real machine, with facts that are not stored and acts that are not performed.
type stage struct {
	program *compile.Program
	context run.Context
	state   *history.State
	facts   []history.Fact
	acts    map[int]run.Perform // what a worker would perform now, by token
	now     time.Time
	url     string // of the run
}

func newStage(p *compile.Program, c run.Context, now time.Time) stage {
	return stage{program: p, context: c, state: &history.State{}, acts: map[int]run.Perform{}, now: now}
}

// clone gives a stage that goes on by itself. States and facts are never changed, so that both share them.
func (s *stage) clone() stage {
	c := *s
	c.facts, c.acts = slices.Clip(s.facts), maps.Clone(s.acts)
	return c
}

// decide asks the machine about an input, with the outputs that it needs. Nothing moves.
func (s *stage) decide(in run.Input, t scope.Trial) (run.Decision, error) {
	c := s.context
	c.Trial = t
	reads := &scope.Reads{URL: &s.url, Outputs: map[int64]history.Output{}}
	if len(s.facts) > 0 {
		reads.Start, _ = s.facts[0].Body.(*history.RunStarted)
	}
	for {
		d, err := run.Decide(s.program, s.state, in, reads, &c)
		var need *scope.Need
		if !errors.As(err, &need) {
			return d, err
		}
		fresh := false
		for _, seq := range need.Facts {
			if _, known := reads.Outputs[seq]; known {
				continue
			}
			out, ok := s.output(seq)
			if !ok {
				return d, fmt.Errorf("fact %d holds no output", seq)
			}
			reads.Outputs[seq], fresh = out, true
		}
		if !fresh {
			return d, fmt.Errorf("the machine asks again: %w", err)
		}
		if r, ok := t.(interface{ restart() }); ok {
			r.restart()
		}
	}
}

// take moves the stage on by what was decided.
func (s *stage) take(d run.Decision) {
	s.state = d.State
	s.facts = append(s.facts, d.Facts...)
	for _, e := range d.Effects {
		if p, ok := e.(run.Perform); ok {
			s.acts[p.Token] = p
		}
	}
	for id, p := range s.acts {
		if t := s.state.Token(id); t == nil || t.Phase != history.PhaseStarted || t.Epoch != p.Epoch || t.Step != p.Step {
			delete(s.acts, id)
		}
	}
}

// output gives what a fact holds, gathering it if it is that of a foreach.
func (s *stage) output(seq int64) (history.Output, bool) {
	if seq < 1 || seq > int64(len(s.facts)) {
		return history.Output{}, false
	}
	f := s.facts[seq-1]
	items, ok := history.ItemsOf(f)
	if !ok {
		return history.ReadOf(f)
	}
	ended := s.facts[items.After:]
	outputs := map[int64]history.Output{}
	for _, need := range items.Needs(ended) {
		outputs[need], _ = s.output(need)
	}
	return items.Gather(ended, outputs), true
}

// act gives the act under way with the lowest token.
func (s *stage) act() (run.Perform, bool) {
	for _, id := range slices.Sorted(maps.Keys(s.acts)) {
		return s.acts[id], true
	}
	return run.Perform{}, false
}

// ready gives the first token that a worker could take.
func (s *stage) ready() (history.Token, bool) {
	for _, t := range s.state.Tokens {
		if t.Phase == history.PhaseReady {
			return t, true
		}
	}
	return history.Token{}, false
}

// timer gives the timer to pass next of those that a token itself waits for.
func (s *stage) timer() (history.Timer, bool) {
	var next history.Timer
	found := false
	for _, tm := range s.state.Timers {
		if (tm.Kind == history.TimerWait || tm.Kind == history.TimerRetry) && (!found || tm.Due.Before(next.Due)) {
			next, found = tm, true
		}
	}
	return next, found
}

// until moves the clock on, never back.
func (s *stage) until(t time.Time) time.Time {
	if t.After(s.now) {
		s.now = t
	}
	return s.now
}
