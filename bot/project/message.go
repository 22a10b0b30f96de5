package project

import (
	"context"
	"errors"
	"time"

	"sluice/bot/surface"
	"sluice/engine/history"
	"sluice/engine/outbox"
	"sluice/storage"
)

// nowhere is the code of a refusal that is not Slack's: no message can ever go where this one is to go.
const nowhere = "nowhere"

// Nowhere says of a message that no message can ever go where it is to go.
func Nowhere(err error) error { return &surface.RefusedError{Code: nowhere, Err: err} }

// withdrawn is the stored body of a message that was taken back before it was posted.
var withdrawn = &history.NodeError{Type: history.ErrorWithdrawn, Message: "the message was taken back before it was posted"}

// ready looks whether it is the turn of what a step or a tool says. It waits while its run is paused and while an earlier one of its run is
// not there, and is taken back when its run does not wait for it any more. False: the row says why, or the end of the earlier one wakes the loop.
func (d *delivery) ready() (bool, error) {
	b, err := outbox.Decode(d.s)
	if err != nil {
		return false, d.settle(&surface.RefusedError{Code: "bad_message", Err: err})
	}
	if d.s.TS != "" || b.Refused != "" {
		return false, d.done()
	}
	state, err := d.Engine.MessageState(d.ctx, d.s.ID, b)
	switch {
	case err != nil:
		return false, err
	case state == outbox.Held:
		return false, d.done() // resuming the run makes the surface stale again
	case state == outbox.Withdrawn && d.s.Tries == 0 && !b.Seek:
		if err := messageOver(d.Projector, d.ctx, &d.s, Outcome{}); err != nil {
			return false, err
		}
		return false, d.done()
	}
	if first, err := d.earlier(b); err != nil || first != "" {
		d.holdBack(d.ID, time.Second)
		d.after(first, d.ID)
		return false, err
	}
	if !b.Own || d.s.Thread != "" {
		return true, nil
	}
	return d.inThread()
}

// done notes that there is nothing to do about the surface as it is.
func (d *delivery) done() error {
	d.s.Shown, d.s.RetryAt, d.s.Blocked, d.s.BlockedAt = d.wanted, time.Time{}, "", time.Time{}
	d.followers()
	return d.save()
}

// earlier finds a message of the same run that goes to the same place, or has the same key, and has to be there, or given up, first.
func (d *delivery) earlier(b outbox.Body) (id string, err error) {
	all, err := d.Engine.Store().SurfacesOf(d.ctx, d.s.Ref)
	if err != nil {
		return "", err
	}
	for _, o := range all {
		if o.ID == d.s.ID || o.TS != "" || !o.Created.Before(d.s.Created) {
			continue
		}
		other, err := outbox.Decode(o)
		if err == nil && other.Refused == "" && o.Shown < o.Wanted && (other.Key == b.Key || other.To == b.To && other.Thread == b.Thread) {
			return o.ID, nil
		}
	}
	return "", nil
}

// messageOver tells the run the result of its message, and notes that on the row. A crash after it has told finds the message by its key, and tells
// again.
func messageOver(p *Projector, ctx context.Context, s *storage.Surface, o Outcome) error {
	b, err := outbox.Decode(*s)
	if err != nil || o.Blocked != "" {
		return err
	}
	var nerr *history.NodeError
	switch {
	case o.Refused == nowhere:
		nerr = &history.NodeError{Type: "ParameterError", Message: o.Why.Error(), Permanent: true}
	case o.Refused == "no_text":
		nerr = &history.NodeError{Type: "ParameterError", Message: "The message has no text: the values that it is made of are empty.", Permanent: true}
	case o.Refused != "":
		nerr = &history.NodeError{Type: "SlackError", Message: "Slack answered: " + o.Refused, Permanent: true}
	case o.TS == "":
		nerr = withdrawn
	}
	if err := p.engine.MessageOver(ctx, *s, b, nerr); err != nil || nerr == nil {
		return err
	}
	return b.Refuse(s, nerr.Message)
}

// messageRun is the id of the run that the surface of a message belongs to, and of the one that a person or a trigger started.
func messageRun(ctx context.Context, store surface.Runs, s storage.Surface) (string, error) {
	r, err := surface.Root(ctx, store, surface.RefID(s.Ref))
	if errors.Is(err, storage.ErrNotFound) {
		return surface.RefID(s.Ref), nil
	}
	return r.ID, err
}
