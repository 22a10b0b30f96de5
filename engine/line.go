package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"sluice/engine/run"
	"sluice/storage"
)

// Runs with the same key stand in line when their flow says so (on_duplicate: queue). Who starts takes the key from the run that held it,
// and is right behind that one: the store lets one take it. A run goes on when every run before it is over.
//
// No transaction touches two runs. A run that ends leaves a letter to nobody; whoever handles it reads who is behind the run after the end
// is stored. A run that begins to wait writes a letter to itself; whoever handles it looks at the runs before it after its place is stored.
// At least one of the two sees the other, as with events.

// place is where a new run stands in its key's line.
type place struct {
	after string // id of the run that holds the key
	wait  string // name of the run before it that is not over; empty = it need not wait
}

type lineMove struct {
	Run string `json:"run"`
}

// placeAfter gives the place behind the holder of a key. A person's Run anyway does not wait, but those behind it wait for it, too. A
// schedule gives a reason because others would refuse it; here it waits like everybody.
func (e *Engine) placeAfter(ctx context.Context, holder string, q StartRequest) (place, error) {
	p := place{after: holder}
	if q.Anyway != "" && q.Actor.Via != run.ViaTimer {
		return p, nil
	}
	live, _, err := e.before(ctx, holder)
	p.wait = live.Name
	return p, err
}

// stand puts a new run into its place, with a letter to itself.
func (e *Engine) stand(b *storage.Batch, p place) {
	if p.after == "" {
		return
	}
	b.Run.TakeKey, b.Run.After = false, p.after
	b.Mail = append(b.Mail, e.lineLook(b.Run.Run.ID, b.Run.Run.ID))
}

// writeInLine stores a run that waits for nobody, behind the holder of its key if it may not take it.
func (e *Engine) writeInLine(ctx context.Context, b *storage.Batch) error {
	for {
		err := e.cfg.Store.Write(ctx, b)
		var taken *storage.KeyTakenError
		if !errors.As(err, &taken) {
			return err
		}
		e.stand(b, place{after: taken.Run})
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

// lineLook is a letter to a run. Letters about the ends of different runs are different ones: none is lost while another is handled.
func (e *Engine) lineLook(to, about string) storage.Timer {
	return storage.Timer{ID: "line/" + to + "/" + about, Run: to, Kind: mailLineLook, Due: e.Now()}
}

// LineLetter is what the id of the due row begins with that tells those behind a run in its key's line of its end.
const LineLetter = "line/"

func (e *Engine) lineMove(id string) (storage.Timer, error) {
	body, err := json.Marshal(lineMove{Run: id})
	if err != nil {
		err = fmt.Errorf("write a letter (%s): %w", mailLineMove, err)
	}
	return storage.Timer{ID: LineLetter + id, Kind: mailLineMove, Due: e.Now(), Body: body}, err
}

// before finds the nearest run of a line that is not over, from one on towards the front. It gives those that it passed. A run that is
// over stays so, and nobody is put between two: what was true stays true.
func (e *Engine) before(ctx context.Context, id string) (live storage.Run, passed []string, err error) {
	for id != "" {
		r, err := e.cfg.Store.Run(ctx, id)
		switch {
		case errors.Is(err, storage.ErrNotFound): // removed, so it was over
		case err != nil:
			return live, passed, err
		case !run.Status(r.Status).Final():
			return r, passed, nil
		}
		passed = append(passed, id)
		if id, err = e.cfg.Store.Before(ctx, id); err != nil {
			return live, passed, err
		}
	}
	return live, passed, nil
}

// moveLine tells the runs behind one that is over. Those that are over, too, are passed: they have told when they ended, but the line may
// have been longer then.
func (e *Engine) moveLine(ctx context.Context, t storage.Timer) error {
	var l lineMove
	if err := json.Unmarshal(t.Body, &l); err != nil {
		return err
	}
	b := &storage.Batch{NoMail: []string{t.ID}}
	for over := []string{l.Run}; len(over) > 0; over = over[1:] {
		behind, err := e.cfg.Store.Behind(ctx, over[0])
		if err != nil {
			return err
		}
		for _, id := range behind {
			r, err := e.cfg.Store.Run(ctx, id)
			switch {
			case errors.Is(err, storage.ErrNotFound) || err == nil && run.Status(r.Status).Final():
				over = append(over, id)
			case err != nil:
				return err
			default:
				b.Mail = append(b.Mail, e.lineLook(id, l.Run))
			}
		}
	}
	if err := e.cfg.Store.Write(ctx, b); err != nil {
		return err
	}
	e.wakeTimers()
	return nil
}

// lookInLine lets a run go on when its turn has come, and says anew whom it waits for when that has changed.
func (e *Engine) lookInLine(ctx context.Context, t storage.Timer) error {
	front, err := e.cfg.Store.Before(ctx, t.Run)
	if err != nil {
		return err
	}
	live, passed, err := e.before(ctx, front)
	if err != nil {
		return err
	}
	var in run.Input = run.Pause{At: e.Now(), Actor: run.Actor{Via: run.ViaRun}, Scope: run.HoldKey, Reason: live.Name}
	left := &storage.Batch{NoMail: []string{t.ID}}
	if live.ID == "" {
		in = run.Resume{At: e.Now(), Actor: run.Actor{Via: run.ViaRun}, Scope: run.HoldKey}
		left.OutOfLine = append(passed, t.Run)
	}
	_, err = e.transition(ctx, t.Run, in, func(b *storage.Batch) {
		answered(t)(b)
		b.OutOfLine = append(b.OutOfLine, left.OutOfLine...)
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
func (e *Engine) RunAnyway(ctx context.Context, id string, actor run.Actor, reason string, inbox ...int64) (left []run.Hold, err error) {
	in := run.Resume{At: e.Now(), Actor: actor, Scope: run.HoldKey, Reason: reason}
	m, err := e.transition(ctx, id, in, func(b *storage.Batch) { b.InboxDone = inbox })
	switch {
	case errors.Is(err, run.ErrOver):
		return nil, &UserError{Code: "over", Text: "This run is over already.", Err: err}
	case errors.Is(err, run.ErrNotHeld):
		return nil, &UserError{Code: "not_queued", Text: "This run does not wait for another one.", Err: err}
	case err != nil:
		return nil, err
	}
	return m.state.Holds, nil
}

// queuedError says of a run that it is queued, and behind which; nil = it is not.
func (e *Engine) queuedError(ctx context.Context, id string) error {
	row, err := e.cfg.Store.Run(ctx, id)
	if err != nil {
		return err
	}
	st, err := run.DecodeState(row.State)
	if err != nil {
		return err
	}
	h := st.Hold(run.HoldKey)
	if h == nil {
		return nil
	}
	return &UserError{
		Code: "queued", Text: fmt.Sprintf("Nobody has paused this run: it is queued behind %s, which is for the same thing.", h.Reason),
		Hint: fmt.Sprintf("It goes on by itself when %s is over. “Run anyway” at its card lets it go on now.", h.Reason),
	}
}
