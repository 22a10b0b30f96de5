package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/usererror"
	"sluice/storage"
)

// PauseRun holds one run: steps in flight finish, no other starts. Who may do that is for the caller to check.
func (e *Engine) PauseRun(ctx context.Context, id string, actor history.Actor, reason string, inbox ...int64) error {
	in := run.Pause{At: e.Now(), Actor: actor, Scope: history.HoldRun, Reason: reason}
	_, err := e.runner.Transition(ctx, id, in, func(b *storage.Batch) { b.InboxDone = inbox })
	switch {
	case errors.Is(err, run.ErrOver):
		return &usererror.Error{Code: "over", Text: "This run is over already.", Err: err}
	case errors.Is(err, run.ErrHeld):
		return &usererror.Error{Code: "paused", Text: "This run is paused already.", Hint: "It waits until a person resumes it.", Err: err}
	}
	return err
}

// ResumeRun takes a run's own pause away, and says what holds it all the same.
func (e *Engine) ResumeRun(ctx context.Context, id string, actor history.Actor, reason string, inbox ...int64) (left []history.Hold, err error) {
	in := run.Resume{At: e.Now(), Actor: actor, Scope: history.HoldRun, Reason: reason}
	m, err := e.runner.Transition(ctx, id, in, func(b *storage.Batch) { b.InboxDone = inbox })
	switch {
	case errors.Is(err, run.ErrOver):
		return nil, &usererror.Error{Code: "over", Text: "This run is over already.", Err: err}
	case errors.Is(err, run.ErrNotHeld):
		if err := e.queuedError(ctx, id); err != nil {
			return nil, err
		}
		return nil, &usererror.Error{Code: "not_paused", Text: "Nobody has paused this run by itself.", Err: err}
	case err != nil:
		return nil, err
	}
	return m.State.Holds, nil
}

// RunAnyway lets a run go on that is queued behind another one with the same key. Those behind it still wait for both. Who may do that
// is for the caller to check.
func (e *Engine) RunAnyway(ctx context.Context, id string, actor history.Actor, reason string, inbox ...int64) (left []history.Hold, err error) {
	in := run.Resume{At: e.Now(), Actor: actor, Scope: history.HoldKey, Reason: reason}
	m, err := e.runner.Transition(ctx, id, in, func(b *storage.Batch) { b.InboxDone = inbox })
	switch {
	case errors.Is(err, run.ErrOver):
		return nil, &usererror.Error{Code: "over", Text: "This run is over already.", Err: err}
	case errors.Is(err, run.ErrNotHeld):
		return nil, &usererror.Error{Code: "not_queued", Text: "This run does not wait for another one.", Err: err}
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
	return &usererror.Error{
		Code: "queued", Text: fmt.Sprintf("No person has paused this run: it is queued behind %s, which is for the same thing.", h.Reason),
		Subject: h.Reason,
	}
}

// PauseFlow holds all runs of a flow, those that start from now on included; flow "" = everything. It gives how many live runs it
// holds. add may put more into the transaction that makes it so. A person who starts a run is refused, a schedule starts none until it
// goes on, and then follows its catch-up rule; a run that starts in another way, such as one that was accepted before, begins held.
func (e *Engine) PauseFlow(ctx context.Context, flow string, actor history.Actor, reason string, add func(*storage.Batch)) (held int, err error) {
	p, err := e.runner.Pauses.Read(ctx)
	if err != nil {
		return 0, err
	}
	if row, ok := p.Of(flow); ok {
		return 0, pausedError(row, "")
	}
	who, err := json.Marshal(actor)
	if err != nil {
		return 0, err
	}
	b := &storage.Batch{Pause: []storage.Pause{{Flow: flow, Actor: who, Reason: reason, Since: e.Now()}}}
	held, _, err = e.change(ctx, b, add, storage.LiveQuery{Flow: flow}, run.Resume{})
	return held, err
}

// ResumeFlow takes the pause of a flow away, or that of everything, and gives how many runs go on.
func (e *Engine) ResumeFlow(ctx context.Context, flow string, actor history.Actor, reason string, add func(*storage.Batch)) (released int, err error) {
	p, err := e.runner.Pauses.Read(ctx)
	if err != nil {
		return 0, err
	}
	if _, ok := p.Of(flow); !ok {
		return 0, &usererror.Error{Code: "not_paused", Text: flowWords(flow) + " is not paused.", Hint: "There is nothing to resume."}
	}
	b := &storage.Batch{Unpause: []string{flow}}
	_, released, err = e.change(ctx, b, add, storage.LiveQuery{Flow: flow, Status: string(history.Paused)}, run.Resume{Actor: actor, Reason: reason})
	e.wake.Up() // for schedules that were due meanwhile
	return released, err
}

func (e *Engine) change(ctx context.Context, b *storage.Batch, add func(*storage.Batch), q storage.LiveQuery, resumed run.Resume) (held, released int, err error) {
	if add != nil {
		add(b)
	}
	if err := e.cfg.Store.Write(ctx, b); err != nil {
		return 0, 0, err
	}
	if _, err := e.runner.Pauses.Read(ctx); err != nil {
		return 0, 0, err
	}
	return e.runner.Visit(ctx, q, resumed)
}

func flowWords(flow string) string {
	if flow == "" {
		return "Everything"
	}
	return flow
}

// pausedError says who paused what, and why; more says what follows.
func pausedError(row storage.Pause, more string) error {
	var by history.Actor
	_ = json.Unmarshal(row.Actor, &by) // without a name the sentence still holds
	text := flowWords(row.Flow) + " is paused"
	if name := cmp.Or(by.Name, by.User); name != "" {
		text += " by " + name
	}
	if row.Reason != "" {
		text += " (" + row.Reason + ")"
	}
	return &usererror.Error{Code: "paused", Text: text + "." + more, Subject: row.Flow}
}
