package engine

import (
	"context"
	"errors"
	"fmt"

	"sluice/engine/authority"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/people"
	"sluice/engine/run"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Say takes what somebody says to the agents of a run: as the answer to the one that waits for it, else for the next one that will. False: no
// agent of the run listens to this person. Errors: *usererror.Error (it cannot be kept).
func (e *Engine) Say(ctx context.Context, runID string, actor history.Actor, text string, inbox ...int64) (bool, error) {
	row, err := e.cfg.Store.Run(ctx, runID)
	if err != nil {
		return false, err
	}
	c, err := e.revisions.Load(ctx, row.Flow, row.Revision)
	if err != nil {
		return false, fmt.Errorf("load the flow of a conversation: %w", err)
	}
	if history.Status(row.Status).Final() || !c.Flow.Rules.Conversational {
		return false, nil
	}
	asked := gate.Body{Opened: history.GateOpened{Kind: history.GateTurn}}
	err = e.MayDecide(ctx, authority.Decide, row, asked, actor)
	if _, no := errors.AsType[*people.NotAllowedError](err); no {
		return false, nil
	} else if err != nil {
		return false, err
	}
	in := run.Said{At: e.Now(), Actor: actor, Text: e.cfg.Redactor.Redact(text)}
	_, err = e.runner.Transition(ctx, row.ID, in, func(b *storage.Batch) { b.InboxDone = inbox })
	switch {
	case errors.Is(err, run.ErrOver), errors.Is(err, run.ErrNoListener):
		return false, nil
	case errors.Is(err, run.ErrFull):
		return false, &usererror.Error{
			Code: "enough_said", Text: "The agent is still at work and has not read your earlier messages: this one is not kept.", Hint: "Say it again once the agent has answered.", Err: err,
		}
	}
	return err == nil, err
}
