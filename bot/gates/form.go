package gates

import (
	"context"
	"errors"

	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/engine"
	"sluice/engine/gate"
	"sluice/engine/run"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Form asks for the answer to a gate. A person who may not answer is told so before they enter anything.
func (gs *Gates) Form(ctx context.Context, in request.Incoming, ref form.Ref) (form.Form, error) {
	g, body, err := gs.gate(ctx, ref.Subject)
	if err != nil {
		return form.Form{}, err
	}
	if err := gs.Engine.MayAnswer(ctx, g, in.Actor()); err != nil {
		return form.Form{}, err
	}
	if g.Status != "open" {
		return form.Form{}, &usererror.Error{Code: "no_gate", Text: "This question was answered meanwhile: there is nothing to fill in.", Hint: "Its card says what came of it."}
	}
	f := form.Gate(g.ID, body.Opened, ref.Choice)
	f.Ref.Shown = ref.Shown
	return f, nil
}

// Submit answers a gate with what somebody entered.
func (gs *Gates) Submit(ctx context.Context, in request.Incoming, ref form.Ref) error {
	g, body, err := gs.gate(ctx, ref.Subject)
	if err != nil {
		return err
	}
	fields := form.Gate(g.ID, body.Opened, ref.Choice).Fields
	entered, wrong, err := form.Settle(fields, in.Form, gs.Access.Here(ctx, in))
	if err != nil {
		return err
	}
	if len(wrong) > 0 && g.Status == "open" {
		if err := gs.Engine.MayAnswer(ctx, g, in.Actor()); err != nil {
			return err
		}
		return form.Wrong("bad_answer", fields, wrong)
	}
	in.Form = entered
	a := engine.GateAnswer{Shown: ref.Shown, Choice: in.Form[form.FieldChoice], Note: in.Form[form.FieldNote], Text: in.Form[form.FieldText], Form: map[string]any{}}
	if choices := body.Opened.Choices; ref.Choice > 0 && ref.Choice <= len(choices) {
		a.Choice = choices[ref.Choice-1]
	}
	if value := in.Form[form.FieldValue]; value != "" {
		a.Value = rawValue(value)
	}
	for name := range body.Opened.Form {
		if v := in.Form[name]; v != "" {
			a.Form[name] = v
		}
	}
	err = gs.decide(ctx, in, g, a)
	if wrong, ok := errors.AsType[*run.FormError](err); ok {
		beside := map[string]string{}
		for _, f := range fields {
			if text, ok := wrong.Fields[f.Name]; ok {
				beside[f.Name] = "This " + text + "."
			}
		}
		if len(beside) == len(wrong.Fields) {
			return &form.Problems{Fields: beside, Err: err}
		}
	}
	return err
}

func (gs *Gates) gate(ctx context.Context, id string) (storage.Gate, gate.Body, error) {
	g, err := gs.Store.Gate(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		return g, gate.Body{}, request.ErrHidden
	}
	if err != nil {
		return g, gate.Body{}, err
	}
	body, err := gate.Decode(g)
	return g, body, err
}
