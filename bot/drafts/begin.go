package drafts

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/people"
	"sluice/engine/planner/outline"
	"sluice/engine/usererror"
)

// Beginnings drafts new flows of what people enter in a form, and of messages.
type Beginnings struct{ *Words }

// Form asks for the description of a new flow, with the words of a message where an answer has kept them.
func (bg *Beginnings) Form(ctx context.Context, in request.Incoming, ref form.Ref) (form.Form, error) {
	var kept request.Incoming
	if ref.Subject != "" {
		var err error
		if kept, err = bg.kept(ctx, in, ref.Subject); err != nil {
			return form.Form{}, err
		}
	}
	f := form.New(kept.Text, kept.Channel, !in.Direct)
	f.Ref = ref
	return f, nil
}

// kept is the delivery that a private answer keeps for its person.
func (bg *Beginnings) kept(ctx context.Context, in request.Incoming, id string) (request.Incoming, error) {
	var kept request.Incoming
	body, err := bg.Replies.Kept(ctx, in, id)
	if err == nil && json.Unmarshal(body.Again, &kept) != nil {
		err = request.ErrHidden
	}
	return kept, err
}

// Submit drafts a flow of what somebody entered.
func (bg *Beginnings) Submit(ctx context.Context, in request.Incoming, _ form.Ref) error {
	text, at := strings.TrimSpace(in.Form[form.FieldText]), in
	if to := in.Form[form.FieldPlace]; to != "" {
		at.Channel, at.Home = to, false
	}
	at.Thread, at.Text, at.Direct = "", text, strings.HasPrefix(at.Channel, "D")
	wrong, err := bg.place(ctx, in, at.Channel)
	if err != nil {
		return err
	}
	fields := map[string]string{}
	if wrong != "" {
		fields[form.FieldPlace] = wrong
	}
	if _, ok := outline.Read(text, in.User); !ok && bg.plan.drafter(in) == nil {
		sentence, _ := outline.Unread(text)
		fields[form.FieldText] = "I cannot read “" + card.Shorten(sentence, 200) + "” as a step. Say who or what does something, such as: tell #team hello. Or: ask @ana to approve."
	}
	if len(fields) > 0 {
		return form.Wrong("bad_description", form.New("", "", false).Fields, fields)
	}
	if err := bg.From(ctx, at, text); err != nil || at.Channel == in.Channel {
		return err
	}
	return bg.Replies.After(ctx, in, card.Textf("The draft is in %s.", card.Channel(at.Channel)))
}

// place says why a draft of this person cannot be in a channel; "" = it can.
func (bg *Beginnings) place(ctx context.Context, in request.Incoming, channel string) (string, error) {
	hears, err := bg.Access.Hears(ctx, channel)
	if err != nil {
		return "", err
	}
	if !hears {
		return "I am not in this channel. Write /invite @" + bg.Replies.Name + " there, or choose another one.", nil
	}
	if channel == in.Channel {
		return "", nil
	}
	members, err := bg.Directory.Members(ctx, people.Principal{Kind: "channel", ID: channel})
	if err != nil {
		return "", err
	}
	if !slices.Contains(members, in.User) {
		return "You are not in this channel. Join it, or choose another one.", nil
	}
	return "", nil
}

// OfMessage drafts a flow of a message, in its thread. Words that cannot be read are kept, so that they can be changed in a form.
func (bg *Beginnings) OfMessage(ctx context.Context, in request.Incoming) error {
	if strings.TrimSpace(in.Text) == "" {
		return &usererror.Error{Code: "no_words", Text: "This message has no words of which a flow could be made.", Hint: "Use it on a message that says what should happen, step by step."}
	}
	if err := bg.Access.Present(ctx, in); err != nil {
		return err
	}
	if _, ok := outline.Read(in.Text, in.User); ok || bg.plan.drafter(in) != nil {
		return bg.From(ctx, in, in.Text)
	}
	again, err := json.Marshal(in)
	if err != nil {
		return err
	}
	s := bg.Replies.Private(in, card.Card{})
	sentence, _ := outline.Unread(in.Text)
	c := card.Card{
		Text:    card.Textf("I made no draft: I cannot read “%s” as a step. The words are kept: say in them who or what does something, such as “tell #team hello” or “ask @ana to approve”.", card.Shorten(sentence, 300)),
		Buttons: []card.Button{surface.FormButton("Change the words…", form.Ref{Owner: form.OfNew, Subject: s.ID})},
	}
	return bg.Replies.Keep(ctx, in, s, surface.PrivateBody{Card: c, Again: again})
}
