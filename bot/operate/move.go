package operate

import (
	"context"
	"strconv"

	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/engine/authority"
	"sluice/engine/people"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Move handles "move refund [4]", which says what would fit, "move refund [4] all", which moves what fits, and "move refund-1 [4]".
func (rs *Runs) Move(ctx context.Context, in request.Incoming, c request.Command) error {
	to, all, err := moveWords(c)
	if err != nil {
		return err
	}
	r, ok, err := rs.Access.ReadableRun(ctx, in, c.Arg(0))
	if err != nil {
		return err
	}
	if ok {
		return rs.moveRun(ctx, in, r, to)
	}
	f, err := rs.Access.Flow(ctx, in, c.Arg(0))
	if err != nil {
		return rs.nothingCalled(ctx, in, c.Arg(0), err)
	}
	if all {
		return rs.moveFitting(ctx, in, f, to)
	}
	p, err := rs.Engine.MovePlan(ctx, f.Name, to)
	if err != nil {
		return err
	}
	text := card.Plain(p.String())
	if len(p.Fits) > 0 {
		text = card.Textf("%s `%s move %s %d all` moves what fits, and asks its open questions anew.", text, rs.Replies.Command, f.Name, p.To)
	}
	return rs.Replies.SayText(ctx, in, text)
}

// moveWords reads the revision, 0 = the newest, and whether all runs that fit are meant.
func moveWords(c request.Command) (to int, all bool, err error) {
	bad := &usererror.Error{
		Code: "bad_move", Text: "Name a run or a flow, and the version if it is not the newest.",
		Hint: "For example: `/flow move refund` (says what fits), `/flow move refund 4 all`, `/flow move refund-1 4`.",
	}
	words := c.Args
	if n := len(words); n > 1 && words[n-1] == everything {
		words, all = words[:n-1], true
	}
	switch len(words) {
	case 1:
		return 0, all, nil
	case 2:
		if to, err = strconv.Atoi(words[1]); err == nil && to > 0 {
			return to, all, nil
		}
	}
	return 0, false, bad
}

func (rs *Runs) moveRun(ctx context.Context, in request.Incoming, r storage.Run, to int) error {
	f, err := rs.Store.Flow(ctx, r.Flow)
	if err != nil {
		return err
	}
	if err := rs.moves(ctx, in, f); err != nil {
		return err
	}
	if err := rs.Engine.Move(ctx, r.ID, to, in.Actor(), in.Inbox); err != nil {
		return err
	}
	now, err := rs.Store.Run(ctx, r.ID)
	if err != nil {
		return err
	}
	return rs.Replies.After(ctx, in, card.Textf("*%s* is on version %d now. Its open questions are asked anew.", r.Name, now.Revision))
}

func (rs *Runs) moveFitting(ctx context.Context, in request.Incoming, f storage.Flow, to int) error {
	if err := rs.moves(ctx, in, f); err != nil {
		return err
	}
	n, err := rs.Engine.MoveFitting(ctx, f.Name, to, in.Actor())
	if err != nil {
		return err
	}
	rs.Replies.Wake()
	return rs.Replies.SayText(ctx, in, card.Textf("Moved %s of *%s*. Their open questions are asked anew.", request.Count(n, "run"), f.Name))
}

// moves refuses people who may not put runs on another revision.
func (rs *Runs) moves(ctx context.Context, in request.Incoming, f storage.Flow) error {
	err := rs.Access.May(ctx, in, authority.OperateFlow, people.AboutFlow(f))
	return request.Because(err, card.Textf("Only the flow's owner, approvers and admins may put its runs on another version. %s", request.OwnedBy(f)), "")
}
