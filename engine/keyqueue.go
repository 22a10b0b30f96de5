package engine

import (
	"context"
	"errors"
	"fmt"

	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/storage"
)

// RunAnyway lets a run go on that is queued behind another one with the same key. Those behind it still wait for both. Who may do that
// is for the caller to check.
func (e *Engine) RunAnyway(ctx context.Context, id string, actor history.Actor, reason string, inbox ...int64) (left []history.Hold, err error) {
	in := run.Resume{At: e.Now(), Actor: actor, Scope: history.HoldKey, Reason: reason}
	m, err := e.runner.Transition(ctx, id, in, func(b *storage.Batch) { b.InboxDone = inbox })
	switch {
	case errors.Is(err, run.ErrOver):
		return nil, &UserError{Code: "over", Text: "This run is over already.", Err: err}
	case errors.Is(err, run.ErrNotHeld):
		return nil, &UserError{Code: "not_queued", Text: "This run does not wait for another one.", Err: err}
	case err != nil:
		return nil, err
	}
	return m.State.Holds, nil
}

// queuedError says of a run that it is queued, and behind which; nil = it is not.
func (e *Engine) queuedError(ctx context.Context, id string) error {
	row, err := e.cfg.Store.Run(ctx, id)
	if err != nil {
		return err
	}
	st, err := history.DecodeState(row.State)
	if err != nil {
		return err
	}
	h := st.Hold(history.HoldKey)
	if h == nil {
		return nil
	}
	return &UserError{
		Code: "queued", Text: fmt.Sprintf("No person has paused this run: it is queued behind %s, which is for the same thing.", h.Reason),
		Subject: h.Reason,
	}
}
