package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/storage"
)

// Runs with the same key wait for each other when their flow says so (on_duplicate: queue). A run that starts takes the key from the run
// that held it and is queued right behind that one: the store lets one run take it. A run goes on when every run before it is over.
//
// No transaction touches two runs. A run that ends leaves a due row; the process that handles it reads which runs are behind after the end
// is stored. A run that begins to wait sends a signal to itself; the process that handles it looks at the runs before it after its entry is
// stored. At least one of the two sees the other, as with events.

// queuePosition is where a new run is in its key's queue.
type queuePosition struct {
	after string // id of the run that holds the key
	wait  string // name of the run before it that is not over; empty = it need not wait
}

type queueMove struct {
	Run string `json:"run"`
}

// positionAfter gives the place behind the holder of a key. A person's Run anyway does not wait, but those behind it wait for it, too. A
// schedule gives a reason because other rules would refuse its start; here it waits like any run.
func (e *Engine) positionAfter(ctx context.Context, holder string, q StartRequest) (queuePosition, error) {
	p := queuePosition{after: holder}
	if q.Anyway != "" && q.Actor.Via != history.ViaTimer {
		return p, nil
	}
	live, _, err := e.before(ctx, holder)
	p.wait = live.Name
	return p, err
}

// join queues a new run at its position, with a signal to itself.
func (e *Engine) join(b *storage.Batch, p queuePosition) {
	if p.after == "" {
		return
	}
	b.Run.TakeKey, b.Run.After = false, p.after
	b.Signals = append(b.Signals, e.queueLook(b.Run.Run.ID, b.Run.Run.ID))
}

// writeInQueue stores a run that need not wait, behind the holder of its key if it may not take it.
func (e *Engine) writeInQueue(ctx context.Context, b *storage.Batch) error {
	for {
		err := e.cfg.Store.Write(ctx, b)
		var taken *storage.KeyTakenError
		if !errors.As(err, &taken) {
			return err
		}
		e.join(b, queuePosition{after: taken.Run})
	}
}

// within gives a reason for a child not to wait: a run that it lies within has the same key, and would wait for it in turn.
func (e *Engine) within(ctx context.Context, outer, child storage.Run) (reason string, err error) {
	for {
		if outer.Flow == child.Flow && outer.Key == child.Key {
			return "inside " + outer.Name, nil
		}
		if outer.Parent == "" {
			return "", nil
		}
		if outer, err = e.cfg.Store.Run(ctx, outer.Parent); err != nil {
			return "", err
		}
	}
}

// queueLook is a signal to a run. Signals about the ends of different runs have different ids: none is lost while another is handled.
func (e *Engine) queueLook(to, about string) storage.Timer {
	return storage.Timer{ID: "line/" + to + "/" + about, Run: to, Kind: signalQueueLook, Due: e.Now()}
}

// QueueMovePrefix begins the id of the due row that tells the runs behind one that it is over.
const QueueMovePrefix = "line/"

func (e *Engine) queueMove(id string) (storage.Timer, error) {
	body, err := json.Marshal(queueMove{Run: id})
	if err != nil {
		err = fmt.Errorf("write a signal (%s): %w", signalQueueMove, err)
	}
	return storage.Timer{ID: QueueMovePrefix + id, Kind: signalQueueMove, Due: e.Now(), Body: body}, err
}

// before finds the nearest run of a key queue that is not over, from one on towards the front. It gives those that it passed. A run that is
// over stays so, and nobody is put between two: what was true stays true.
func (e *Engine) before(ctx context.Context, id string) (live storage.Run, passed []string, err error) {
	for id != "" {
		r, err := e.cfg.Store.Run(ctx, id)
		switch {
		case errors.Is(err, storage.ErrNotFound): // removed, so it was over
		case err != nil:
			return live, passed, err
		case !history.Status(r.Status).Final():
			return r, passed, nil
		}
		passed = append(passed, id)
		if id, err = e.cfg.Store.Before(ctx, id); err != nil {
			return live, passed, err
		}
	}
	return live, passed, nil
}

// moveQueue tells the runs behind one that is over. Those that are over, too, are passed: they have told when they ended, but the queue may
// have been longer then.
func (e *Engine) moveQueue(ctx context.Context, t storage.Timer) error {
	var l queueMove
	if err := json.Unmarshal(t.Body, &l); err != nil {
		return err
	}
	b := &storage.Batch{NoSignals: []string{t.ID}}
	for over := []string{l.Run}; len(over) > 0; over = over[1:] {
		behind, err := e.cfg.Store.Behind(ctx, over[0])
		if err != nil {
			return err
		}
		for _, id := range behind {
			r, err := e.cfg.Store.Run(ctx, id)
			switch {
			case errors.Is(err, storage.ErrNotFound) || err == nil && history.Status(r.Status).Final():
				over = append(over, id)
			case err != nil:
				return err
			default:
				b.Signals = append(b.Signals, e.queueLook(id, l.Run))
			}
		}
	}
	if err := e.cfg.Store.Write(ctx, b); err != nil {
		return err
	}
	e.wakeTimers()
	return nil
}

// lookInQueue lets a run go on when its turn has come, and stores which run it waits for now when that has changed.
func (e *Engine) lookInQueue(ctx context.Context, t storage.Timer) error {
	front, err := e.cfg.Store.Before(ctx, t.Run)
	if err != nil {
		return err
	}
	live, passed, err := e.before(ctx, front)
	if err != nil {
		return err
	}
	var in run.Input = run.Pause{At: e.Now(), Actor: history.Actor{Via: history.ViaRun}, Scope: history.HoldKey, Reason: live.Name}
	left := &storage.Batch{NoSignals: []string{t.ID}}
	if live.ID == "" {
		in = run.Resume{At: e.Now(), Actor: history.Actor{Via: history.ViaRun}, Scope: history.HoldKey}
		left.LeaveQueue = append(passed, t.Run)
	}
	_, err = e.runner.Transition(ctx, t.Run, in, func(b *storage.Batch) {
		answered(t)(b)
		b.LeaveQueue = append(b.LeaveQueue, left.LeaveQueue...)
	})
	for _, settled := range []error{run.ErrHeld, run.ErrNotHeld, run.ErrOver, storage.ErrNotFound} {
		if errors.Is(err, settled) {
			return e.cfg.Store.Write(ctx, left)
		}
	}
	return err
}

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
