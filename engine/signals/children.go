package signals

import (
	"context"
	"encoding/json"
	"errors"

	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/usererror"
	"sluice/storage"
)

// startChild starts the run that a subflow node asked for, under the id that was derived for it. The signal must still be there: it is
// gone when another process has started the run, or when the parent does not wait for it any more.
func (s *Signals) startChild(ctx context.Context, t storage.Timer) error {
	var l ChildStart
	if err := json.Unmarshal(t.Body, &l); err != nil {
		return err
	}
	parent, err := s.Store.Run(ctx, l.Parent)
	if err != nil {
		return err
	}
	err = s.StartChild(ctx, parent, t.Run, l, t.ID)
	var ue *usererror.Error
	switch {
	case errors.Is(err, storage.ErrConflict):
		return s.dropSignal(ctx, t)
	case errors.As(err, &ue):
		s.Log.Warn("a subflow could not be started", "parent", parent.Name, "flow", l.Flow, "error", err)
		over := run.ChildOver{
			At: s.Now(), Child: t.Run, Status: history.Cancelled,
			Error: &history.NodeError{Type: history.ErrorSubflow, Message: ue.Text, Permanent: true},
		}
		_, err = s.Runner.Transition(ctx, parent.ID, over, answered(t))
	}
	return err
}

// deliverCancel ends a child that its parent does not wait for any more.
func (s *Signals) deliverCancel(ctx context.Context, t storage.Timer) error {
	var l childCancel
	if err := json.Unmarshal(t.Body, &l); err != nil {
		return err
	}
	by := l.By
	by.Via = history.ViaRun
	in := run.Cancel{At: s.Now(), Actor: by, Reason: l.Parent + " does not wait for it any more"}
	_, err := s.Runner.Transition(ctx, t.Run, in, answered(t))
	return err
}

// deliverOver tells a run that the child that it waits for has ended, with what the child gave.
func (s *Signals) deliverOver(ctx context.Context, t storage.Timer) error {
	var l childOver
	if err := json.Unmarshal(t.Body, &l); err != nil {
		return err
	}
	child, err := s.Store.Run(ctx, l.Child)
	if err != nil {
		return err
	}
	in := run.ChildOver{At: s.Now(), Child: child.ID, Name: child.Name, Status: l.Status, Reason: l.Reason}
	if l.Status == history.Succeeded {
		if in.Output, in.Ending, err = s.Runner.Result(ctx, child.ID); err != nil {
			return err
		}
	}
	_, err = s.Runner.Transition(ctx, t.Run, in, answered(t))
	return err
}
