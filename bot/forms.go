package bot

import (
	"context"
	"errors"

	"sluice/bot/card"
	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/people"
	"sluice/engine/usererror"
)

// Form makes the form that a button opens. When there is none for this person, the card says why.
func (b *Bot) Form(ctx context.Context, in request.Incoming) (form.Form, *card.Card, error) {
	f, err := b.formOf(ctx, in)
	if err == nil {
		b.access.FillIDs(ctx, f.Fields)
		return f, nil, nil
	}
	refused, err := b.refused(err)
	return f, refused, err
}

func (b *Bot) formOf(ctx context.Context, in request.Incoming) (form.Form, error) {
	in, err := b.access.Located(ctx, in)
	if err != nil {
		return form.Form{}, err
	}
	owner, ref, err := b.ownerOf(ctx, in)
	if err != nil {
		return form.Form{}, err
	}
	return owner.form(ctx, in, ref)
}

// ownerOf finds the record of the form that a delivery names, for a person who may use it.
func (b *Bot) ownerOf(ctx context.Context, in request.Incoming) (owner, form.Ref, error) {
	ref, err := form.ParseRef(in.Value)
	if err != nil {
		return owner{}, ref, request.ErrHidden
	}
	found, known := b.owners()[ref.Owner]
	err = b.admit(ctx, in, found.guests)
	if err == nil && !known {
		err = request.ErrHidden
	}
	return found, ref, err
}

// owner makes the forms of one kind, and takes what people send with them.
type owner struct {
	form   func(context.Context, request.Incoming, form.Ref) (form.Form, error)
	submit func(context.Context, request.Incoming, form.Ref) error
	guests bool // as in verb
}

// owners has the record of each kind of form.
func (b *Bot) owners() map[form.Owner]owner {
	return map[form.Owner]owner{
		form.OfGate:     {b.gates.Form, b.gates.Submit, true},
		form.OfAsk:      {b.gates.Form, b.gates.AskByName, true},
		form.OfCall:     {b.gates.Form, b.gates.EditCall, true},
		form.OfRun:      {b.starts.Form, b.starts.Submit, false},
		form.OfDraft:    {b.drafts.Questions.Form, b.drafts.Questions.Submit, false},
		form.OfNeeds:    {b.drafts.Needs.Form, b.drafts.Needs.Submit, false},
		form.OfNew:      {b.drafts.Beginnings.Form, b.drafts.Beginnings.Submit, false},
		form.OfMoves:    {b.runs.Form, b.runs.Submit, false},
		form.OfEdit:     {b.drafts.Continuing.Form, b.drafts.Continuing.Submit, false},
		form.OfSchedule: {b.holds.Form, b.holds.Submit, false},
		form.OfAnyway:   {b.starts.AnywayForm, b.starts.AnywaySubmit, false},
		form.OfAhead:    {b.starts.AheadForm, b.starts.AheadSubmit, false},
		form.OfChange:   {b.drafts.Words.Form, b.drafts.Words.Submit, false},
	}
}

// submitted takes what somebody entered in a form.
func (b *Bot) submitted(ctx context.Context, in request.Incoming) error {
	owner, ref, err := b.ownerOf(ctx, in)
	if err != nil {
		return err
	}
	return owner.submit(ctx, in, ref)
}

// FormNotOpened tells a person that Slack did not open the form that they asked for, with a button to try again.
func (b *Bot) FormNotOpened(ctx context.Context, in request.Incoming) error {
	const text = ":information_source: Slack gave me too little time to open the form, so nothing was sent. Press the button to open it again."
	return b.replies.Say(ctx, in, card.Card{Text: card.Textf(text), Buttons: []card.Button{{Action: surface.OpenForm, Label: "Open the form…", Value: in.Value, Style: card.Primary}}})
}

// refused is the card for a mistake of the person; a fault stays an error.
func (b *Bot) refused(err error) (*card.Card, error) {
	if no, ok := errors.AsType[*people.NotAllowedError](err); ok && len(no.Who) > 0 {
		return &card.Card{Text: request.MayNot(no)}, nil
	}
	if denied, ok := request.AsDenied(err); ok {
		err = request.Denied(denied)
	}
	if ue, ok := errors.AsType[*usererror.Error](err); ok {
		if ue.Err != nil {
			b.Log.Info("refused", "code", ue.Code, "error", ue.Err)
		}
		c := b.replies.Refusal(err)
		return &c, nil
	}
	return nil, err
}
