package run

import (
	"fmt"
	"slices"
)

type (
	// TokenDeferred lets a token wait its turn before a node that it has reached while somebody is asked, where the flow's rules
	// want that (flow.Rules.PauseAll).
	TokenDeferred struct{}
	// TokenReleased lets the first token go on that waits its turn.
	TokenReleased struct{}
)

// FactKind names the kind.
func (*TokenDeferred) FactKind() FactKind { return "token_deferred" }

// FactKind names the kind.
func (*TokenReleased) FactKind() FactKind { return "token_released" }

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

// undefer takes a token out of those that wait their turn.
func (s *State) undefer(token int) {
	if !slices.Contains(s.Deferred, token) {
		return
	}
	s.Deferred = slices.DeleteFunc(slices.Clone(s.Deferred), func(id int) bool { return id == token })
	if len(s.Deferred) == 0 {
		s.Deferred = nil
	}
}

// defers reports whether a token must wait its turn: it has newly reached its node, and somebody is asked.
func (m *machine) defers(t Token) bool {
	fresh := t.Attempt == 0 && t.Done == 0 && !t.Resume
	return m.p.flow.Rules.PauseAll && fresh && len(m.s.Gates) > 0
}

// release lets the next token go on that waits its turn, once nobody is asked any more and what went on meanwhile has come to
// its end or waits as well.
func (m *machine) release() bool {
	if len(m.s.Deferred) == 0 || len(m.s.Gates) > 0 {
		return false
	}
	for _, t := range m.s.Tokens {
		switch t.Phase {
		case PhaseReady, PhaseStarted, PhaseHeld, PhaseTimer:
			return false
		}
	}
	id := m.s.Deferred[0]
	m.emit(m.tok(id), &TokenReleased{})
	m.todo = append(m.todo, id)
	return true
}
