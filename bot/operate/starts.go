package operate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sluice/bot/card"
	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine"
	"sluice/engine/history"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Start handles "run refund order_id=A-1001". The pair anyway="reason" runs beside a run with the same key.
func (st *Starts) Start(ctx context.Context, in request.Incoming, c request.Command) error {
	name := c.Arg(0)
	if name == "" {
		return &usererror.Error{Code: "no_name", Text: "Which flow?", Hint: "For example: `/flow run refund order_id=A-1001`. `/flow list` shows your flows."}
	}
	if extra := c.Args[1:]; len(extra) > 0 {
		return &usererror.Error{
			Code: "bad_inputs", Text: fmt.Sprintf("I cannot read %q: inputs are written name=value.", strings.Join(extra, " ")),
			Hint: `For example: order_id=A-1001 note="two words".`,
		}
	}
	reason := ""
	if r, ok := c.Pairs["anyway"]; ok {
		reason = fmt.Sprint(r)
		delete(c.Pairs, "anyway")
	}
	return st.startFlow(ctx, in, name, c.Pairs, reason)
}

func (st *Starts) startFlow(ctx context.Context, in request.Incoming, name string, inputs map[string]any, anyway string) error {
	f, err := st.startable(ctx, in, name)
	if err != nil {
		return err
	}
	s, err := st.Engine.Start(ctx, engine.StartRequest{
		Flow: name, Inputs: inputs, Actor: in.Actor(), Channel: f.Channel, Anyway: anyway, Event: event(in),
		Add: func(batch *storage.Batch) { batch.InboxDone = append(batch.InboxDone, in.Inbox) },
		Surfaces: func(r storage.Run) []storage.Surface {
			if in.Channel == f.Channel || r.Status == string(history.Paused) {
				return nil
			}
			return []storage.Surface{st.Replies.Private(in, card.Card{Text: card.Textf("*%s* started in %s.", r.Name, card.Channel(f.Channel))})}
		},
	})
	if ue, ok := errors.AsType[*usererror.Error](err); ok && ue.Code == "bad_inputs" && in.Kind != request.KindSubmit {
		c := st.Replies.Refusal(err)
		c.Buttons = []card.Button{surface.FormButton("Fill in a form…", form.Ref{Owner: form.OfRun, Subject: name})}
		return st.Replies.Say(ctx, in, c)
	}
	if err != nil {
		return err
	}
	if s.Duplicate {
		return st.Replies.Say(ctx, in, Duplicate(st.Replies.Command, s.Run))
	}
	if s.Behind != "" {
		return st.Replies.After(ctx, in, Queued(st.Replies.Command, s))
	}
	st.Replies.Wake()
	return nil
}

func event(in request.Incoming) map[string]any {
	kind := map[request.Kind]string{request.KindCommand: "command", request.KindMention: "mention", request.KindClick: "button", request.KindMessage: "message"}[in.Kind]
	return map[string]any{"type": kind, "payload": map[string]any{"message": in.Text, "from": in.User, "channel": in.Channel, "thread": in.Thread}}
}

// Duplicate shows the run that holds the key, who started it, and how to run anyway.
func Duplicate(command string, r storage.Run) card.Card {
	reason := card.Textf("With a reason of your own: `%s run %s … anyway=\"why\"`", command, r.Flow)
	if r.Title == "" { // only its trail is left: there is nothing to show or to repeat
		return card.Card{
			Text: card.Textf("Nothing was started: *%s* was the same thing, asked for by %s, %s. It ended %s and has been removed since.",
				r.Name, surface.Person(r.By), card.Date(r.Started), card.Date(r.Ended)),
			Context: []card.Text{reason},
		}
	}
	return card.Card{
		Text: card.Textf("Nothing was started: *%s* is the same thing (%s), asked for by %s, %s. It is %s.",
			r.Title, r.Key, surface.Person(r.By), card.Date(r.Started), standing(r)),
		Buttons: []card.Button{
			{Action: "run.show", Label: "Show " + r.Name, Value: r.Name},
			{
				Action: "run.anyway", Label: "Run anyway", Value: r.ID, Style: card.Danger,
				Confirm: &card.Confirm{Title: "Run it again?", Text: r.Name + " has run for the same thing. What it did may happen a second time. Your name is recorded.", Yes: "Run anyway", No: "Do not run"},
			},
		},
		Context: []card.Text{reason},
	}
}

func standing(r storage.Run) string {
	_, word := surface.Standing(r)
	return strings.ToLower(word)
}

// Queued says which run a new one waits for.
func Queued(command string, s engine.Started) card.Text {
	return card.Textf("*%s* is queued behind *%s*, which is for the same thing (%s). It goes on by itself when that one is over; `%s show %s` shows it.",
		s.Run.Name, s.Behind, s.Run.Key, command, s.Run.Name)
}

// GoAhead lets a queued run go on, on a person's confirmed word.
func (st *Starts) GoAhead(ctx context.Context, in request.Incoming) error {
	r, err := st.Access.ClickedRun(ctx, in)
	if err != nil {
		return err
	}
	if err := st.operates(ctx, in, r); err != nil {
		return err
	}
	left, err := st.Engine.RunAnyway(ctx, r.ID, in.Actor(), "confirmed", in.Inbox)
	if err != nil {
		return err
	}
	return st.resumed(ctx, in, r, left)
}

// Anyway repeats a run with the same inputs, on a person's confirmed word.
func (st *Starts) Anyway(ctx context.Context, in request.Incoming) error {
	r, err := st.Access.ClickedRun(ctx, in)
	if err != nil {
		return err
	}
	start, err := st.Engine.StartOf(ctx, r.ID)
	if err != nil {
		return err
	}
	return st.startFlow(ctx, in, r.Flow, start.Inputs, "confirmed beside "+r.Name)
}

// Now starts a flow without required inputs from its card.
func (st *Starts) Now(ctx context.Context, in request.Incoming) error {
	return st.startFlow(ctx, in, in.Value, map[string]any{}, "")
}
