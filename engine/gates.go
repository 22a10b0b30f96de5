package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"sluice/engine/authority"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/run"
	"sluice/engine/usererror"
	"sluice/storage"
)

// GateAnswer is one person's answer, from whatever button, modal, command or prompt.
type GateAnswer struct {
	Gate   string        // id
	Row    *storage.Gate // of Gate, when the caller has just read it
	Actor  history.Actor
	Choice string
	Note   string
	Text   string
	Form   map[string]any
	Value  json.RawMessage
	Shown  string // hash of what they saw; without it an answer decides nothing
	Inbox  []int64
}

// Answered is what an answer led to.
type Answered struct {
	Decided bool // false: the vote counts, more are needed
	Again   bool // the person had given this answer before: nothing is stored
	Gate    storage.Gate
}

// DecidedError means that somebody else was first.
type DecidedError struct {
	Choice string
	By     string // user id; empty for timeout or cancel
	At     time.Time
}

// Error says what was decided.
func (e *DecidedError) Error() string {
	return fmt.Sprintf("already decided: %s", e.Choice)
}

// Answer is the one function that decides gates: it looks up who may answer, then the machine takes the first valid
// decision. Errors: *people.NotAllowedError, *DecidedError, *usererror.Error (not a choice, a field is missing), storage.ErrNotFound.
func (e *Engine) Answer(ctx context.Context, a GateAnswer) (Answered, error) {
	g, err := e.answered(ctx, a)
	if err != nil {
		return Answered{}, err
	}
	row, err := e.cfg.Store.Run(ctx, g.Run)
	if err != nil {
		return Answered{}, err
	}
	body, err := gate.Decode(g)
	if err != nil {
		return Answered{}, err
	}
	action := authority.Decide
	if g.Status != gate.Open {
		action = authority.ReadGate
	}
	if err := e.MayDecide(ctx, action, row, body, a.Actor); err != nil {
		return Answered{}, err
	}
	if g.Status != gate.Open {
		return Answered{}, &DecidedError{Choice: g.Choice, By: g.By, At: g.Decided}
	}
	in := run.Answer{
		At: e.Now(), Actor: a.Actor, Gate: g.Num, Choice: a.Choice, Note: e.cfg.Redactor.Redact(a.Note), Text: e.cfg.Redactor.Redact(a.Text), Form: redacted(e.cfg.Redactor, a.Form), Value: e.cfg.Redactor.RedactJSON(a.Value), Shown: a.Shown,
	}
	_, err = e.runner.Transition(ctx, g.Run, in, func(b *storage.Batch) { b.InboxDone = append(b.InboxDone, a.Inbox...) })
	again := errors.Is(err, history.ErrVoted)
	if err != nil && !again {
		return Answered{}, e.answerError(ctx, a, body, err)
	}
	g, err = e.cfg.Store.Gate(ctx, a.Gate)
	return Answered{Decided: g.Status != gate.Open, Again: again, Gate: g}, err
}

// answered gives the gate that an answer is for.
func (e *Engine) answered(ctx context.Context, a GateAnswer) (storage.Gate, error) {
	if a.Row != nil {
		return *a.Row, nil
	}
	return e.cfg.Store.Gate(ctx, a.Gate)
}

func (e *Engine) answerError(ctx context.Context, a GateAnswer, body gate.Body, err error) error {
	switch {
	case errors.Is(err, run.ErrNoGate), errors.Is(err, run.ErrOver):
		g, gerr := e.cfg.Store.Gate(ctx, a.Gate)
		if gerr != nil {
			return gerr
		}
		return &DecidedError{Choice: g.Choice, By: g.By, At: g.Decided}
	case errors.Is(err, run.ErrShown):
		if a.Shown == "" {
			return &usererror.Error{Code: "not_shown", Text: "Nobody can decide on what they have not been shown.", Hint: "Answer where the whole question is to be seen.", Err: err}
		}
		return &usererror.Error{Code: "stale", Text: "What you saw is not what is asked any more.", Err: err}
	case errors.Is(err, run.ErrChoice):
		return &usererror.Error{
			Code: "bad_choice", Text: fmt.Sprintf("%q is not one of the answers.", a.Choice), Hint: "Choose one of: " + strings.Join(body.Opened.Choices, ", ") + ".", Err: err,
		}
	}
	var form *run.FormError
	if errors.As(err, &form) {
		return &usererror.Error{Code: "bad_answer", Text: "The answer is not complete: " + form.Words() + ".", Err: err}
	}
	return err
}

// Reopen asks a question once more that was not answered in time, when the run stopped there: with a new gate and a new deadline. A person
// who could have decided the gate may say so. Errors: *people.NotAllowedError, *usererror.Error, storage.ErrNotFound.
func (e *Engine) Reopen(ctx context.Context, gateID string, actor history.Actor, inbox ...int64) error {
	g, err := e.cfg.Store.Gate(ctx, gateID)
	if err != nil {
		return err
	}
	row, err := e.cfg.Store.Run(ctx, g.Run)
	if err != nil {
		return err
	}
	body, err := gate.Decode(g)
	if err != nil {
		return err
	}
	if err := e.MayDecide(ctx, authority.Reopen, row, body, actor); err != nil {
		return err
	}
	if g.Choice != history.ChoiceTimeout {
		return &usererror.Error{Code: "not_expired", Text: "This question did not time out."}
	}
	in := run.Reopen{At: e.Now(), Actor: actor, Step: body.Step}
	_, err = e.runner.Transition(ctx, g.Run, in, func(b *storage.Batch) { b.InboxDone = inbox })
	switch {
	case errors.Is(err, run.ErrOver):
		return &usererror.Error{Code: "over", Text: "This run is over already.", Err: err}
	case errors.Is(err, run.ErrNotExpired):
		return &usererror.Error{
			Code: "not_stopped", Text: "The run does not stand at this question any more.", Err: err,
		}
	}
	return err
}
