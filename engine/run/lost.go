package run

import (
	"sluice/engine/history"
)

// takeLost dispatches the token of a dead worker to another one. A step that had started is repeated under the same key, unless its act could
// then happen twice: a person is asked about that.
func takeLost(m *machine, in Lost) error {
	t, err := m.held(in.Token, in.Epoch)
	if err != nil {
		return err
	}
	if t.Phase != history.PhaseReady && t.Phase != history.PhaseStarted {
		return ErrFenced
	}
	reason := in.Reason
	if reason == "" {
		reason = "crash"
	}
	m.emit(t, &history.TokenHanded{Epoch: t.Epoch + 1, Reason: reason})
	m.made[t.ID] = true
	m.Queue = append(m.Queue, t.ID)
	return nil
}
