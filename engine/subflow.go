package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"sluice/engine/coerce"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/signals"
	"sluice/engine/usererror"
	"sluice/storage"
)

// startChild stores the run that a subflow node asked for, under the id that was derived for it, with its first facts. What can be mended by a person is a *usererror.Error.
func (e *Engine) startChild(ctx context.Context, parent storage.Run, id string, l signals.ChildStart, signal string) error {
	rev, err := e.childRevision(ctx, parent, l.Flow)
	if err != nil {
		return err
	}
	c, err := e.revisions.Load(ctx, rev.Flow, rev.Number)
	if err != nil {
		return err
	}
	if err := e.CheckOwn(ctx, c.Flow, rev); err != nil {
		return err
	}
	inputs, err := coerce.Inputs(c.Flow, l.Inputs)
	if err != nil {
		return err
	}
	q := StartRequest{
		Flow: rev.Flow, By: parent.By, Channel: parent.Channel, Thread: parent.Thread, Actor: history.Actor{User: parent.By, Via: history.ViaRun},
		Event: map[string]any{"type": "subflow", "payload": map[string]any{"run": parent.Name, "from": parent.By, "channel": parent.Channel}},
		Add:   func(b *storage.Batch) { b.Run.Take = signal },
	}
	row, start, err := e.newRun(ctx, c, rev, q, inputs)
	if err != nil {
		return err
	}
	row.ID, row.Parent, row.Title = id, parent.ID, parent.Title
	start.Title, start.Parent, start.Depth = parent.Title, parent.ID, l.Depth
	if c.Flow.Run.OnDuplicate == flow.DuplicateQueue {
		if q.Anyway, err = e.queue.Within(ctx, parent, row); err != nil {
			return err
		}
		start.Reason = q.Anyway
	}
	_, err = e.create(ctx, c, row, start, q)
	var taken *storage.KeyTakenError
	if !errors.As(err, &taken) {
		return err
	}
	holder, err := e.cfg.Store.Run(ctx, taken.Run)
	switch {
	case err != nil:
		return err
	case holder.Parent != parent.ID:
		return &usererror.Error{
			Code: "duplicate", Text: fmt.Sprintf("%s has run for the same thing (%s): the run %s.", rev.Flow, row.Key, holder.Name),
		}
	}
	q.Anyway = "again for " + parent.Name
	start.Reason, start.DuplicateOf = q.Anyway, holder.Name
	_, err = e.create(ctx, c, row, start, q)
	return err
}

// childRevision finds the revision that was approved together with the parent's: what was approved is what runs.
func (e *Engine) childRevision(ctx context.Context, parent storage.Run, name string) (storage.Revision, error) {
	of, err := e.cfg.Store.Revision(ctx, parent.Flow, parent.Revision)
	if err != nil || name == parent.Flow { // a flow that runs itself runs the same revision
		return of, err
	}
	var lock flow.Lock
	if err := json.Unmarshal(of.Lock, &lock); err != nil {
		return of, fmt.Errorf("read the lock of %s revision %d: %w", of.Flow, of.Number, err)
	}
	rev, err := e.cfg.Store.RevisionByHash(ctx, name, lock.Subflows[name])
	if errors.Is(err, storage.ErrNotFound) {
		return rev, &usererror.Error{
			Code: "no_flow", Text: fmt.Sprintf("The version of %s that was approved with %s version %d does not exist.", name, of.Flow, of.Number), Err: err,
		}
	}
	return rev, err
}
