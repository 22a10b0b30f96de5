package run

import (
	"errors"

	"sluice/engine/history"
)

// Errors of Pause and Resume. Nothing moves.
var (
	// ErrHeld means that the run is paused already for this reason.
	ErrHeld = errors.New("the run is paused already")
	// ErrNotHeld means that nothing of this scope holds the run.
	ErrNotHeld = errors.New("the run is not paused")
)

func takePause(m *machine, in Pause) error {
	switch {
	case m.State.Seq == 0:
		return history.ErrNotStarted
	case m.State.Status.Final():
		return ErrOver
	case in.Scope == history.HoldKey:
		return requeue(m, in)
	case m.State.Hold(in.Scope) != nil:
		return ErrHeld
	}
	m.emit(history.Token{}, &history.RunPaused{Scope: in.Scope, Reason: in.Reason})
	return nil
}

// requeue stores which run a queued one waits for now. A run whose turn has come is never queued again: such an input is outdated.
func requeue(m *machine, in Pause) error {
	switch h := m.State.Hold(history.HoldKey); {
	case h == nil:
		return ErrNotHeld
	case h.Reason == in.Reason:
		return ErrHeld
	}
	m.emit(history.Token{}, &history.RunPaused{Scope: history.HoldKey, Reason: in.Reason})
	return nil
}

// takeResume removes a hold. When the last one goes, every held token is dispatched, and every timer that fired meanwhile is due again
// (State.Kept).
func takeResume(m *machine, in Resume) error {
	switch {
	case m.State.Seq == 0:
		return history.ErrNotStarted
	case m.State.Status.Final():
		return ErrOver
	case m.State.Hold(in.Scope) == nil:
		return ErrNotHeld
	}
	var held []int
	for _, t := range m.State.Tokens {
		if t.Phase == history.PhaseHeld {
			held = append(held, t.ID)
		}
	}
	m.emit(history.Token{}, &history.RunResumed{Scope: in.Scope, Reason: in.Reason})
	for _, id := range held {
		m.dispatch(id) // does nothing while another hold is left
	}
	return nil
}
