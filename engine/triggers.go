package engine

import (
	"context"
	"errors"
	"fmt"

	"sluice/engine/coerce"
	"sluice/engine/history"
	"sluice/engine/usererror"
	"sluice/storage"
)

// ErrTriggerGone means that a flow's newest revision does not have the trigger any more.
var ErrTriggerGone = errors.New("the flow does not have this trigger any more")

// Occurrence is something that happened outside and that triggers answer to.
type Occurrence struct {
	Key     string         // says which one, such as a message's channel and time: a flow's triggers of a kind answer once to each
	Values  map[string]any // become the inputs that are called so; others are left out
	Payload map[string]any // of the run's event
	Actor   history.Actor
	By      string // the requester; empty = Actor.User
	Channel string // where the run's messages go, and its thread
	Thread  string
	// Accepted, Add and Surfaces are those of StartRequest.
	Accepted bool
	Add      func(*storage.Batch)
	Surfaces func(r storage.Run) []storage.Surface
}

// StartByTrigger begins a run because of something that happened, at most once. The rules are those of Start; whether the person may
// start the flow in this way is for the caller to check. Errors: ErrTriggerGone besides those of Start.
func (e *Engine) StartByTrigger(ctx context.Context, t storage.Trigger, o Occurrence) (Started, error) {
	if s, seen, err := e.seen(ctx, t, o); seen || err != nil {
		return s, err
	}
	c, err := e.revisions.Load(ctx, t.Flow, 0)
	if err != nil {
		return Started{}, usererror.Flow(t.Flow, err)
	}
	if c.Row.Number != t.Revision {
		return Started{}, fmt.Errorf("%s: %w", t.ID, ErrTriggerGone)
	}
	s, err := e.Start(ctx, StartRequest{
		Flow: t.Flow, Revision: t.Revision, Inputs: coerce.Named(c.Flow, o.Values), Event: map[string]any{"type": t.Kind, "payload": o.Payload},
		Actor: o.Actor, By: o.By, Channel: o.Channel, Thread: o.Thread, Surfaces: o.Surfaces, Accepted: o.Accepted,
		Add: func(b *storage.Batch) {
			b.Started = append(b.Started, storage.TriggerStart{Flow: t.Flow, Kind: t.Kind, Event: o.Key, Run: b.Run.Run.ID, At: e.Now()})
			if o.Add != nil {
				o.Add(b)
			}
		},
	})
	if errors.Is(err, storage.ErrStarted) {
		s, _, err = e.seen(ctx, t, o)
	}
	return s, err
}

// seen finds the run that has been started by what happened.
func (e *Engine) seen(ctx context.Context, t storage.Trigger, o Occurrence) (Started, bool, error) {
	was, err := e.cfg.Store.TriggerStart(ctx, t.Flow, t.Kind, o.Key)
	if errors.Is(err, storage.ErrNotFound) {
		return Started{}, false, nil
	}
	if err != nil {
		return Started{}, false, err
	}
	row, err := e.cfg.Store.Run(ctx, was.Run)
	if errors.Is(err, storage.ErrNotFound) {
		row, err = e.cfg.Store.RemovedRun(ctx, was.Run)
	}
	return Started{Run: row, Seen: true}, err == nil, err
}

// CheckValues checks the inputs of a run that a trigger starts, before its start is accepted. *usererror.Error: they do not fit.
func (e *Engine) CheckValues(ctx context.Context, t storage.Trigger, values map[string]any) error {
	c, err := e.revisions.Load(ctx, t.Flow, 0)
	if err != nil {
		return usererror.Flow(t.Flow, err)
	}
	_, err = coerce.Inputs(c.Flow, coerce.Named(c.Flow, values))
	return err
}
