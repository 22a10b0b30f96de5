package run

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// HoldScope says what was paused when a run is held: the run itself, its flow, or everything; or that it waits for its turn.
type HoldScope string

// What was paused. A run goes on when none of them holds it any more.
const (
	HoldRun  HoldScope = "run"
	HoldFlow HoldScope = "flow"
	HoldAll  HoldScope = "all"
	// HoldKey is not of a pause: an earlier run with the same key is not over. A run begins with it (Start.Behind), or never has it.
	HoldKey HoldScope = "key"
)

// Hold is a reason why a run is paused.
type Hold struct {
	Scope  HoldScope `json:"scope"`
	By     Actor     `json:"by"`
	Reason string    `json:"reason,omitempty"`
	Since  time.Time `json:"since"`
}

// Errors of Pause and Resume. Nothing moves.
var (
	// ErrHeld means that the run is paused already for this reason.
	ErrHeld = errors.New("the run is paused already")
	// ErrNotHeld means that nothing of this scope holds the run.
	ErrNotHeld = errors.New("the run is not paused")
)

type (
	// Pause holds the run: steps in flight come to their end, no other starts, and timers wait.
	Pause struct {
		At     time.Time
		Actor  Actor
		Scope  HoldScope
		Reason string
	}
	// Resume takes a hold away. When it was the last one the run goes on.
	Resume struct {
		At     time.Time
		Actor  Actor
		Scope  HoldScope
		Reason string
	}
)

func (Pause) input()  {}
func (Resume) input() {}

type (
	// RunPaused adds a hold. While there is one, a token that could go on is held where it stands.
	RunPaused struct {
		Scope  HoldScope `json:"scope"`
		Reason string    `json:"reason,omitempty"`
	}
	// RunResumed takes a hold away. With the last one the held tokens can go on.
	RunResumed struct {
		Scope  HoldScope `json:"scope"`
		Reason string    `json:"reason,omitempty"`
	}
	// TimerKept takes a due row away whose timer fired while the run was paused. The row comes back when the run goes on.
	TimerKept struct {
		ID int `json:"id"`
	}
)

// FactKind names the kind.
func (*RunPaused) FactKind() FactKind { return "run_paused" }

// FactKind names the kind.
func (*RunResumed) FactKind() FactKind { return "run_resumed" }

// FactKind names the kind.
func (*TimerKept) FactKind() FactKind { return "timer_kept" }

// Hold gives what holds the run in a scope, or nil. The pointer is good until the next Apply.
func (s *State) Hold(scope HoldScope) *Hold {
	for i := range s.Holds {
		if s.Holds[i].Scope == scope {
			return &s.Holds[i]
		}
	}
	return nil
}

func (b *RunPaused) apply(s *State, f Fact) error {
	if h := s.Hold(b.Scope); h != nil {
		if b.Scope != HoldKey {
			return fmt.Errorf("the run is held by %s already", b.Scope)
		}
		h.Reason = b.Reason
		return nil
	}
	s.Holds = append(s.Holds, Hold{Scope: b.Scope, By: f.Actor, Reason: b.Reason, Since: f.At})
	return nil
}

func (b *RunResumed) apply(s *State, _ Fact) error {
	if s.Hold(b.Scope) == nil {
		return fmt.Errorf("the run is not held by %s", b.Scope)
	}
	s.Holds = slices.DeleteFunc(s.Holds, func(h Hold) bool { return h.Scope == b.Scope })
	if len(s.Holds) > 0 {
		return nil
	}
	s.Holds = nil
	for i := range s.Tokens {
		if t := &s.Tokens[i]; t.Phase == PhaseHeld {
			t.Phase = PhaseReady
		}
	}
	for i := range s.Timers {
		s.Timers[i].Kept = false
	}
	return nil
}

func (b *TimerKept) apply(s *State, _ Fact) error {
	tm := s.Timer(b.ID)
	if tm == nil {
		return fmt.Errorf("no timer %d", b.ID)
	}
	tm.Kept = true
	return nil
}

// hold keeps tokens that could go on where they are. It follows every fact of a paused run.
func (s *State) hold() {
	for i := range s.Tokens {
		if t := &s.Tokens[i]; t.Phase == PhaseReady {
			t.Phase = PhaseHeld
		}
	}
}

// Kept lists the timers that fired while the run was paused.
func (s *State) Kept() []Timer {
	return slices.DeleteFunc(slices.Clone(s.Timers), func(t Timer) bool { return !t.Kept })
}

// busy reports whether a step is under way.
func (s *State) busy() bool {
	return slices.ContainsFunc(s.Tokens, func(t Token) bool { return t.Phase == PhaseStarted })
}

func (m *machine) pause(in Pause) error {
	switch {
	case m.s.Seq == 0:
		return errNotStarted
	case m.s.Status.Final():
		return ErrOver
	case in.Scope == HoldKey:
		return m.requeue(in)
	case m.s.Hold(in.Scope) != nil:
		return ErrHeld
	}
	m.emit(Token{}, &RunPaused{Scope: in.Scope, Reason: in.Reason})
	return nil
}

// requeue says anew which run a queued one waits for. One whose turn has come is never put back: who says so has old news.
func (m *machine) requeue(in Pause) error {
	switch h := m.s.Hold(HoldKey); {
	case h == nil:
		return ErrNotHeld
	case h.Reason == in.Reason:
		return ErrHeld
	}
	m.emit(Token{}, &RunPaused{Scope: HoldKey, Reason: in.Reason})
	return nil
}

// resume takes a hold away. With the last one every held token is handed to whoever claims it; timers that fired meanwhile are due
// again (State.Kept), each for itself.
func (m *machine) resume(in Resume) error {
	switch {
	case m.s.Seq == 0:
		return errNotStarted
	case m.s.Status.Final():
		return ErrOver
	case m.s.Hold(in.Scope) == nil:
		return ErrNotHeld
	}
	var held []int
	for _, t := range m.s.Tokens {
		if t.Phase == PhaseHeld {
			held = append(held, t.ID)
		}
	}
	m.emit(Token{}, &RunResumed{Scope: in.Scope, Reason: in.Reason})
	for _, id := range held {
		m.dispatch(id) // nothing happens while another hold is left
	}
	return nil
}
