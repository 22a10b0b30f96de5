package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sluice/engine/authority"
	"sluice/engine/history"
	"sluice/engine/people"
	"sluice/engine/schedule"
	"sluice/engine/usererror"
	"sluice/storage"
)

// startScheduled starts the run of a schedule's fire.
func (e *Engine) startScheduled(ctx context.Context, f schedule.Start) error {
	s := f.Schedule
	_, err := e.Start(ctx, StartRequest{
		Flow: s.Flow, Inputs: f.Inputs, Channel: s.Channel, By: s.Owner,
		Actor: history.Actor{User: s.Owner, Via: history.ViaTimer},
		Event: map[string]any{"type": "schedule", "schedule": s.ID, "at": f.At.Format(time.RFC3339)},
		// The owner of the schedule asked for one run per fire: the repetition is recorded with its reason.
		Anyway: "schedule " + s.Cron,
		Add:    f.Add,
	})
	return err
}

// mayFire checks that a schedule's owner may still start the flow: its runs are theirs. A *usererror.Error says that they may not.
func (e *Engine) mayFire(ctx context.Context, s storage.Schedule) error {
	if e.cfg.Directory == nil {
		return nil // there are no people
	}
	f, err := e.cfg.Store.Flow(ctx, s.Flow)
	if err != nil {
		return usererror.Flow(s.Flow, err)
	}
	p, err := e.Principal(ctx, history.Actor{User: s.Owner})
	if err == nil {
		err = e.May(ctx, p, authority.Start, people.AboutFlow(f))
	}
	if denied, ok := errors.AsType[*authority.Denied](err); ok {
		why := "not in its channel any more"
		if denied.Code != authority.Hidden {
			why = "not an active member of this workspace any more"
		}
		return &usererror.Error{
			Code: "schedule_owner", Text: fmt.Sprintf("The owner of the schedule may not start %s any more: they are %s.", s.Flow, why),
			Hint: "Make the schedule anew, in your name.", Err: err,
		}
	}
	return err
}
