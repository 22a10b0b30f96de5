package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/people"
	"sluice/engine/run"
	"sluice/engine/tool"
	"sluice/engine/usererror"
	"sluice/storage"
)

// EditCall sets arguments of a call that waits for a person's permission, by name; a text is read as the tool's parameter wants it, and an empty one
// leaves the argument out. Who may answer may do that. Nothing is called by it: the question is asked about these arguments from then on, and an
// answer to what was seen before decides nothing. Errors: *people.NotAllowedError, *DecidedError, *usererror.Error (with a *run.FormError: what is wrong with
// which argument).
func (e *Engine) EditCall(ctx context.Context, gateID string, actor history.Actor, values map[string]string, shown string, inbox ...int64) error {
	g, body, err := e.openGate(ctx, gateID, actor)
	if err != nil {
		return err
	}
	call := body.Opened.Call
	if call == nil {
		return &usererror.Error{Code: "no_call", Text: "This question is not about a call: there are no arguments to change."}
	}
	t, ok := e.cfg.Tools.Lookup(call.Tool)
	if !ok {
		return &usererror.Error{Code: "no_tool", Text: fmt.Sprintf("The tool %s is not installed any more.", call.Tool)}
	}
	given, _ := history.Decode(call.Args).(map[string]any)
	set, wrong := tool.EditArgs(t, given, values)
	if len(wrong) > 0 {
		form := &run.FormError{Fields: wrong}
		return &usererror.Error{Code: "bad_answer", Text: "The arguments are not complete: " + form.Words() + ".", Err: form}
	}
	if len(set) == 0 {
		return &usererror.Error{Code: "no_edit", Text: "Nothing was changed: the arguments are what they were."}
	}
	in := run.Edit{At: e.Now(), Actor: actor, Gate: g.Num, Set: redacted(e.cfg.Redactor, set), Shown: shown}
	_, err = e.runner.Transition(ctx, g.Run, in, func(b *storage.Batch) { b.InboxDone = inbox })
	if errors.Is(err, run.ErrSent) {
		return &usererror.Error{Code: "sent", Text: "The call was tried before with these arguments and may have taken effect, so they cannot be changed any more.", Err: err}
	}
	if err != nil {
		return e.answerError(ctx, GateAnswer{Gate: gateID, Shown: shown}, body, err)
	}
	return nil
}

// AskByName has somebody asked who may answer a gate, by somebody else who may. Both keep their right. Errors: *people.NotAllowedError (of the one who
// asks), *DecidedError, *usererror.Error.
func (e *Engine) AskByName(ctx context.Context, gateID string, actor history.Actor, user string, inbox ...int64) error {
	g, body, err := e.openGate(ctx, gateID, actor)
	if err != nil {
		return err
	}
	err = e.MayAnswer(ctx, g, history.Actor{User: user})
	_, no := errors.AsType[*people.NotAllowedError](err)
	switch {
	case no:
		return &usererror.Error{Code: "not_decider", Text: "This person may not answer the question, so they cannot be asked to."}
	case err != nil:
		return err
	case user == actor.User:
		return &usererror.Error{Code: "not_decider", Text: "That is you: choose somebody else."}
	case slices.ContainsFunc(body.Asks, func(a gate.Ask) bool { return a.User == user }):
		return &usererror.Error{Code: "not_decider", Text: "This person was asked by name already."}
	}
	in := run.AskByName{At: e.Now(), Actor: actor, Gate: g.Num, User: user}
	if _, err = e.runner.Transition(ctx, g.Run, in, func(b *storage.Batch) { b.InboxDone = inbox }); err != nil {
		return e.answerError(ctx, GateAnswer{Gate: gateID}, body, err)
	}
	return nil
}

// openGate gives a gate that is open and that somebody may answer.
func (e *Engine) openGate(ctx context.Context, gateID string, actor history.Actor) (storage.Gate, gate.Body, error) {
	g, err := e.cfg.Store.Gate(ctx, gateID)
	if err != nil {
		return g, gate.Body{}, err
	}
	body, err := gate.Decode(g)
	if err != nil {
		return g, body, err
	}
	if err := e.MayAnswer(ctx, g, actor); err != nil {
		return g, body, err
	}
	if g.Status != gate.Open {
		return g, body, &DecidedError{Choice: g.Choice, By: g.By, At: g.Decided}
	}
	return g, body, nil
}
