package history

import (
	"fmt"
	"slices"
	"time"
)

// HoldScope is the scope of a hold: the run itself, its flow, or everything; or the run waits in the key queue.
type HoldScope string

// Scopes of a pause. A run goes on when no pause holds it any more.
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

type (
	// RunPaused adds a hold. While there is one, a token that could move stays before its node.
	RunPaused struct {
		Scope  HoldScope `json:"scope"`
		Reason string    `json:"reason,omitempty"`
	}
	// RunResumed removes a hold. When the last one goes, the held tokens can move.
	RunResumed struct {
		Scope  HoldScope `json:"scope"`
		Reason string    `json:"reason,omitempty"`
	}
	// TimerKept removes a timer that fired while the run was paused. It is set again when the run goes on.
	TimerKept struct {
		ID int `json:"id"`
	}
)

// Hold gives the hold of a scope, or nil. The pointer is good until the next Apply.
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

// hold holds the tokens that could move. It follows every fact of a paused run.
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

type (
	// TokenDeferred has a token wait before the node that it has reached, because the run has an open gate and the flow's rules ask for that
	// (flow.Rules.PauseAll).
	TokenDeferred struct{}
	// TokenReleased releases the first deferred token.
	TokenReleased struct{}
)

func (b *TokenDeferred) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	t.Phase = PhaseDeferred
	i := slices.IndexFunc(s.Deferred, func(id int) bool {
		o := s.Token(id)
		return o != nil && o.Step > t.Step
	})
	if i < 0 {
		i = len(s.Deferred)
	}
	s.Deferred = slices.Insert(s.Deferred, i, t.ID)
	return nil
}

func (b *TokenReleased) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	if len(s.Deferred) == 0 || s.Deferred[0] != t.ID {
		return fmt.Errorf("it is not the turn of token %d", t.ID)
	}
	t.Phase = PhaseReady
	s.undefer(t.ID)
	return nil
}

// undefer removes a token from the deferred ones.
func (s *State) undefer(token int) {
	if !slices.Contains(s.Deferred, token) {
		return
	}
	s.Deferred = slices.DeleteFunc(slices.Clone(s.Deferred), func(id int) bool { return id == token })
	if len(s.Deferred) == 0 {
		s.Deferred = nil
	}
}
