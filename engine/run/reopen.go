package run

import (
	"errors"
	"time"
)

// ErrNotExpired means that the run did not stop because this gate timed out, or that it went on since.
var ErrNotExpired = errors.New("the run did not stop at this gate")

// Reopen asks once more what nobody answered in time. Who may say so was checked before: whoever could have decided.
type Reopen struct {
	At    time.Time
	Actor Actor
	Step  int // of the gate
}

func (Reopen) input() {}

// reopen closes the question what to do about the timeout and opens the gate anew, with a new deadline. A gate inside a branch has
// failed its branch, and what its fork made of that is not for its deciders to undo.
func (m *machine) reopen(in Reopen) error {
	switch {
	case m.s.Seq == 0:
		return errNotStarted
	case m.s.Status.Final():
		return ErrOver
	}
	for _, t := range m.s.Tokens {
		g := m.s.Gate(t.Gate)
		if t.Step != in.Step || t.Phase != PhaseFailed || g == nil || g.Kind != GateFailure || m.s.LastError == nil || m.s.LastError.Type != ErrorGate {
			continue
		}
		m.closeGate(*g, &GateDecided{Gate: g.ID, Choice: ChoiceReopen})
		m.emit(t, &RunReopened{Reason: ChoiceReopen})
		m.todo = append(m.todo, t.ID)
		return nil
	}
	return ErrNotExpired
}
