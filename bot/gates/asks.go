package gates

import (
	"context"
	"errors"

	"sluice/bot/card"
	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/engine"
	"sluice/engine/people"
	"sluice/engine/run"
	"sluice/engine/usererror"
	"sluice/storage"
)

// AskByName asks a person to answer a gate, as another person chose in a form.
func (gs *Gates) AskByName(ctx context.Context, in request.Incoming, ref form.Ref) error {
	g, _, err := gs.gate(ctx, ref.Subject)
	if err != nil {
		return err
	}
	if err := gs.Engine.MayAnswer(ctx, g, in.Actor()); err != nil {
		return err
	}
	chosen, err := gs.Access.Directory.Resolve(ctx, in.Form[form.FieldPerson])
	if errors.Is(err, people.ErrUnknownName) || err == nil && chosen.Kind != "user" {
		return beside(form.FieldPerson, &usererror.Error{Code: "not_decider", Text: "Nobody here is called that."})
	}
	if err != nil {
		return err
	}
	err = gs.Engine.AskByName(ctx, ref.Subject, in.Actor(), chosen.ID, in.Inbox)
	if no, ok := errors.AsType[*usererror.Error](err); ok && no.Code == "not_decider" {
		return beside(form.FieldPerson, no)
	}
	if err != nil {
		return gs.late(ctx, in, err)
	}
	return gs.Replies.After(ctx, in, card.Textf("I ask %s in a direct message.", card.User(chosen.ID)))
}

// Delegate handles "delegate refund-1 @bob": AskByName in words. In a run's thread the run need not be named.
func (gs *Gates) Delegate(ctx context.Context, in request.Incoming, c request.Command) error {
	r, rest, open, err := gs.runInQuestion(ctx, in, c)
	if err != nil {
		return err
	}
	if len(open) == 0 {
		return nothingAsked(r)
	}
	if len(rest) != 1 {
		return &usererror.Error{Code: "no_person", Text: "Who should answer the question?", Hint: "Name one person who may, for example: `/flow delegate " + r.Name + " @bob`."}
	}
	var mine []storage.Gate
	for _, g := range open {
		ok, err := request.Allowed(gs.Engine.MayAnswer(ctx, g, in.Actor()))
		if err != nil {
			return err
		}
		if ok {
			mine = append(mine, g)
		}
	}
	if len(mine) > 1 {
		return severalAsked()
	}
	g := open[0] // refused with those who may answer it
	if len(mine) == 1 {
		g = mine[0]
	}
	in.Form = map[string]string{form.FieldPerson: rest[0]}
	return gs.AskByName(ctx, in, form.Ref{Subject: g.ID})
}

// EditCall sets the arguments of a call that waits for approval, as a person entered them.
func (gs *Gates) EditCall(ctx context.Context, in request.Incoming, ref form.Ref) error {
	err := gs.Engine.EditCall(ctx, ref.Subject, in.Actor(), in.Form, ref.Shown, in.Inbox)
	if wrong, ok := errors.AsType[*run.FormError](err); ok {
		fields := map[string]string{}
		for name, problem := range wrong.Fields {
			fields[name] = "This " + problem + "."
		}
		return &form.Problems{Fields: fields, Err: err}
	}
	if err != nil {
		return gs.late(ctx, in, err)
	}
	return gs.Replies.After(ctx, in, card.Textf("Changed. The question is asked with these arguments now; nothing was called yet."))
}

// beside puts a refusal beside the field that it is about.
func beside(field string, e *usererror.Error) error {
	return &form.Problems{Fields: map[string]string{field: e.Text}, Err: e}
}

// late turns the error of a gate that is decided already into a sentence for the person; other errors stay.
func (gs *Gates) late(ctx context.Context, in request.Incoming, err error) error {
	if decided, ok := errors.AsType[*engine.DecidedError](err); ok {
		return gs.Replies.SayText(ctx, in, decidedWords(decided))
	}
	return request.HideMissing(err)
}
