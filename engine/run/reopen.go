package run

import (
	"errors"
	"time"

	"sluice/engine/history"
)

// ErrNotExpired means that the run did not stop because this gate timed out, or that it went on since.
var ErrNotExpired = errors.New("the run did not stop at this gate")

// Reopen opens a gate again that expired without an answer. Its caller has checked that the person could have decided the gate.
type Reopen struct {
	At    time.Time
	Actor history.Actor
	Step  int // of the gate
}

func (Reopen) input() {}

// takeReopen closes the question about the timeout and opens the gate again, with a new deadline. A gate inside a branch cannot be opened again:
// its branch has failed, and the join has counted that.
func takeReopen(m *machine, in Reopen) error {
	switch {
	case m.State.Seq == 0:
		return history.ErrNotStarted
	case m.State.Status.Final():
		return ErrOver
	}
	for _, t := range m.State.Tokens {
		g := m.State.Gate(t.Gate)
		if t.Step != in.Step || t.Phase != history.PhaseFailed || g == nil || g.Kind != history.GateFailure || m.State.LastError == nil || m.State.LastError.Type != history.ErrorGate {
			continue
		}
		m.closeGate(*g, &history.GateDecided{Gate: g.ID, Choice: history.ChoiceReopen})
		m.emit(t, &history.RunReopened{Reason: history.ChoiceReopen})
		m.Queue = append(m.Queue, t.ID)
		return nil
	}
	return ErrNotExpired
}
