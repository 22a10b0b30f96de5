package operate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"sluice/bot/card"
	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/trigger"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Start handles "run refund order_id=A-1001". The pair anyway="reason" runs beside a run with the same key.
func (st *Starts) Start(ctx context.Context, in request.Incoming, c request.Command) error {
	name, err := c.Name("Which flow?", "For example: `/flow run refund order_id=A-1001`. `/flow list` shows your flows.")
	if err != nil {
		return err
	}
	f, err := st.startable(ctx, in, name)
	if err != nil {
		return err
	}
	doc, err := st.head(ctx, f)
	if err != nil {
		return err
	}
	if c, err = c.Named(append(form.Names(runForm(doc).Fields), anywayReason), 1); err != nil {
		return err
	}
	inputs := c.Texts()
	reason := inputs[anywayReason]
	delete(inputs, anywayReason)
	return st.startWith(ctx, in, f, doc, inputs, reason)
}

// anywayReason is the name beside the inputs under which a person says why a run is started beside one for the same thing.
const anywayReason = "anyway"

// startWith starts a flow with what somebody entered for its inputs.
func (st *Starts) startWith(ctx context.Context, in request.Incoming, f storage.Flow, doc *flow.Flow, entered map[string]string, anyway string) error {
	asked := runForm(doc)
	inputs, err := st.Access.Inputs(ctx, in, asked.Fields, entered)
	if wrong, ok := errors.AsType[*form.Problems](err); ok {
		return st.badInputs(ctx, in, f.Name, wrong)
	}
	if err != nil {
		return err
	}
	maps.DeleteFunc(inputs, func(_ string, v any) bool { return v == "" })
	happened := in
	if trigger.ReadsMessage(doc) {
		happened.Kind = request.KindMessage
		if happened.Text, _ = inputs[trigger.MessageInput].(string); strings.TrimSpace(happened.Text) == "" {
			return st.badInputs(ctx, in, f.Name, noMessage(f.Name))
		}
		delete(inputs, trigger.MessageInput)
	}
	return st.startFlow(ctx, in, f, started{inputs, event(happened), anyway}, asked.Understood(inputs)...)
}

// noMessage asks for the message of a flow that reads the one which starts it.
func noMessage(name string) error {
	why := "Needed: this flow works with the message that starts it."
	return &form.Problems{Fields: map[string]string{trigger.MessageInput: why}, Err: &usererror.Error{
		Code: "no_message", Text: fmt.Sprintf("Nothing was started: %s works with the message that starts it.", name),
		Hint: fmt.Sprintf("Write that message in its channel, or give one here: `/flow run %s message=\"...\"`.", name),
	}}
}

// badInputs tells a person who typed inputs what is wrong, with a button to fill them in; a form shows it beside its fields.
func (st *Starts) badInputs(ctx context.Context, in request.Incoming, name string, err error) error {
	if in.Kind == request.KindSubmit {
		return err
	}
	c := st.Replies.Refusal(err)
	c.Buttons = []card.Button{surface.FormButton("Fill in a form…", form.Ref{Owner: form.OfRun, Subject: name})}
	return st.Replies.Say(ctx, in, c)
}

// started is what a run is given: its inputs, what started it, and a reason to start it beside a run for the same thing.
type started struct {
	inputs, event map[string]any
	anyway        string
}

// startFlow starts a run. understood says to the person how their words were read.
func (st *Starts) startFlow(ctx context.Context, in request.Incoming, f storage.Flow, with started, understood ...string) error {
	if with.anyway == "" {
		if r, found, err := st.pressedBefore(ctx, in, f, with); err != nil {
			return err
		} else if found {
			return st.Replies.Say(ctx, in, startAnother(r))
		}
	}
	s, err := st.Engine.Start(ctx, engine.StartRequest{
		Flow: f.Name, Inputs: with.inputs, Actor: in.Actor(), Channel: f.Channel, Anyway: with.anyway, Event: with.event,
		Add: func(batch *storage.Batch) { batch.InboxDone = append(batch.InboxDone, in.Inbox) },
		Surfaces: func(r storage.Run) []storage.Surface {
			said := card.Card{Text: card.Textf("*%s* started.", r.Name)}
			for _, line := range understood {
				said.Context = append(said.Context, card.Plain(line))
			}
			switch elsewhere := in.Channel != f.Channel; {
			case r.Status == string(history.Paused), !elsewhere && len(understood) == 0:
				return nil
			case elsewhere:
				said.Text = card.Textf("*%s* started in %s.", r.Name, card.Channel(f.Channel))
			}
			return []storage.Surface{st.Replies.Private(in, said)}
		},
	})
	if ue, ok := errors.AsType[*usererror.Error](err); ok && ue.Code == "bad_inputs" {
		return st.badInputs(ctx, in, f.Name, err)
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
	payload := map[string]any{"message": in.Text, "from": in.User, "channel": in.Channel, "thread": in.Thread}
	if in.Kind == request.KindMention {
		payload["ts"] = in.TS
	}
	return map[string]any{"type": kind, "payload": payload}
}

// Duplicate shows the run that holds the key, who started it, and how to run anyway.
func Duplicate(command string, r storage.Run) card.Card {
	reason := card.Textf("With a reason of your own: `%s run %s … anyway=\"why\"`", command, r.Flow)
	if r.Title == "" { // the run was removed: only its audit is left
		return card.Card{
			Text: card.Textf("Nothing was started: *%s* was the same thing, asked for by %s, %s. It ended %s and has been removed since.",
				r.Name, surface.Person(r.By), card.Date(r.Started), card.Date(r.Ended)),
			Context: []card.Text{reason},
		}
	}
	return card.Card{
		Text: card.Textf("Nothing was started: *%s* is the same thing (%s), asked for by %s, %s. It %s.",
			r.Title, r.Key, surface.Person(r.By), card.Date(r.Started), isNow(r)),
		Buttons: []card.Button{
			{Action: "run.show", Label: "Show " + r.Name, Value: r.Name},
			surface.AnywayButton(form.OfAnyway, r.ID),
		},
		Context: []card.Text{reason},
	}
}

// isNow says where a run stands, as the end of a sentence about it.
func isNow(r storage.Run) string {
	switch word := standing(r); word {
	case "failed", "timed out":
		return "has " + word
	default:
		return "is " + word
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

// Now starts a flow without required inputs from its card.
func (st *Starts) Now(ctx context.Context, in request.Incoming) error {
	f, err := st.startable(ctx, in, in.Value)
	if err != nil {
		return err
	}
	return st.startFlow(ctx, in, f, started{inputs: map[string]any{}, event: event(in)})
}
