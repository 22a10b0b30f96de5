package run

import (
	"sluice/engine/history"
)

// defers reports whether a token must wait before its node: it has just reached the node, and the run has an open gate.
func (m *machine) defers(t history.Token) bool {
	fresh := t.Attempt == 0 && t.Done == 0 && !t.Resume
	return m.Program.Flow().Rules.PauseAll && fresh && len(m.State.Gates) > 0
}

// release lets the next deferred token go on, once no gate is open and every other token has ended or waits.
func (m *machine) release() bool {
	if len(m.State.Deferred) == 0 || len(m.State.Gates) > 0 {
		return false
	}
	for _, t := range m.State.Tokens {
		switch t.Phase {
		case history.PhaseReady, history.PhaseStarted, history.PhaseHeld, history.PhaseTimer, history.PhaseMessage:
			return false
		}
	}
	id := m.State.Deferred[0]
	m.emit(m.Token(id), &history.TokenReleased{})
	m.Queue = append(m.Queue, id)
	return true
}
