package operate

import (
	"context"

	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/engine/authority"
	"sluice/storage"
)

// Cancel handles "cancel refund-1".
func (rs *Runs) Cancel(ctx context.Context, in request.Incoming, c request.Command) error {
	name, err := c.Name("Which run?", "For example: `/flow cancel refund-1`. `/flow runs` shows your runs.")
	if err != nil {
		return err
	}
	r, err := rs.Access.Run(ctx, in, name)
	if err != nil {
		return err
	}
	return rs.cancelRun(ctx, in, r)
}

// CancelClicked handles the button of a run's card.
func (rs *Runs) CancelClicked(ctx context.Context, in request.Incoming) error {
	r, err := rs.Access.ClickedRun(ctx, in)
	if err != nil {
		return err
	}
	return rs.cancelRun(ctx, in, r)
}

func (rs *Runs) cancelRun(ctx context.Context, in request.Incoming, r storage.Run) error {
	if err := rs.Access.MayRun(ctx, in, authority.Cancel, r); err != nil {
		return err
	}
	if err := rs.Engine.Cancel(ctx, r.ID, in.Actor(), "", in.Inbox); err != nil {
		return err
	}
	return rs.Replies.Done(ctx, in, card.Textf("*%s* is cancelled.", r.Name))
}
