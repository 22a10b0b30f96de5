package gates

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/engine"
	"sluice/engine/gate"
	"sluice/engine/run"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Form asks for the answer to a gate. A person who may not answer is refused before they enter anything.
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
	var f form.Form
	switch ref.Owner {
	case form.OfAsk:
		f = form.Ask(g.ID, body.Opened)
	case form.OfCall:
		if body.Opened.Call == nil {
			return f, request.ErrHidden
		}
		t, _ := gs.Tools.Lookup(body.Opened.Call.Tool) // of one that is gone the arguments are shown as they are
		f = form.Call(g.ID, body.Opened, t.Params)
	default:
		schema, err := gs.gives(ctx, g)
		if err != nil {
			return f, err
		}
		f = form.Giving(form.Gate(g.ID, body.Opened, ref.Choice), schema)
	}
	f.Ref.Shown = ref.Shown
	return f, nil
}

// Submit answers a gate with what somebody entered.
func (gs *Gates) Submit(ctx context.Context, in request.Incoming, ref form.Ref) error {
	g, body, err := gs.gate(ctx, ref.Subject)
	if err != nil {
		return err
	}
	a := engine.GateAnswer{Shown: ref.Shown, Choice: in.Form[form.FieldChoice], Note: in.Form[form.FieldNote], Text: in.Form[form.FieldText], Form: map[string]any{}}
	if choices := body.Opened.Choices; ref.Choice > 0 && ref.Choice <= len(choices) {
		a.Choice = choices[ref.Choice-1]
	}
	if form.TakesValue(body.Opened.Kind, a.Choice) {
		schema, err := gs.gives(ctx, g)
		if err != nil {
			return err
		}
		if a.Value, err = valueOf(schema, in.Form); err != nil {
			return err
		}
	}
	for name := range body.Opened.Form {
		if v := in.Form[name]; v != "" {
			a.Form[name] = v
		}
	}
	err = gs.decide(ctx, in, g, a)
	if wrong, ok := errors.AsType[*run.FormError](err); ok {
		beside := map[string]string{}
		for _, f := range form.Gate(g.ID, body.Opened, ref.Choice).Fields {
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
	if err != nil {
		return g, gate.Body{}, request.HideMissing(err)
	}
	body, err := gate.Decode(g)
	return g, body, err
}

// settled reads what was entered in the fields of an open question as a flow knows it. A file that was sent along is the value of the field
// that asks for one. A person who may not answer is told nothing of the fields.
func (gs *Gates) settled(ctx context.Context, in request.Incoming, g storage.Gate, a engine.GateAnswer) (engine.GateAnswer, error) {
	body, err := gate.Decode(g)
	if err != nil || g.Status != "open" || len(body.Opened.Form) == 0 {
		return a, err
	}
	fields, entered := form.Gate(g.ID, body.Opened, 1+slices.Index(body.Opened.Choices, a.Choice)).Fields, map[string]string{}
	for name, v := range a.Form {
		entered[name] = fmt.Sprint(v)
	}
	for _, f := range fields {
		if f.Kind == form.File && len(in.Files) > 0 && entered[f.Name] == "" {
			entered[f.Name] = in.Files[0].Value()
		}
	}
	values, wrong, err := form.Settle(fields, entered, gs.Access.Here(ctx, in))
	if err != nil {
		return a, err
	}
	if len(wrong) > 0 {
		if err := gs.Engine.MayAnswer(ctx, g, in.Actor()); err != nil {
			return a, err
		}
		return a, form.Wrong("bad_answer", fields, wrong)
	}
	a.Form = map[string]any{}
	for name, v := range values {
		a.Form[name] = v
	}
	return a, nil
}
