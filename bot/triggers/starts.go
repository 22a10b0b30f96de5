package triggers

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/operate"
	"sluice/bot/request"
	"sluice/engine"
	"sluice/engine/authority"
	"sluice/engine/people"
	"sluice/engine/trigger"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Message is what somebody wrote in a channel, as Incoming has it.
type Message struct {
	User   string
	Thread string // "" = not in a thread
	Text   string
	Files  []request.File
}

// ErrNoMessage means that a message is not there any more.
var ErrNoMessage = errors.New("there is no such message")

// Starter starts runs by what people do in a channel.
type Starter struct {
	Engine  *engine.Engine
	Store   Store
	Access  *request.Access
	Replies *request.Replies
	Slack   Slack
	Log     *slog.Logger
}

// Slack gives the message that a reaction was put on.
type Slack interface {
	// Message reads a message of a channel that the bot is in. ErrNoMessage: it is gone.
	Message(ctx context.Context, channel, ts string) (Message, error)
}

// Store holds triggers, and what belongs to them.
type Store interface {
	DraftInThread(ctx context.Context, channel, thread string) (storage.Draft, error)
	Flow(ctx context.Context, name string) (storage.Flow, error)
	PendingInThread(ctx context.Context, thread string, limit int) ([]storage.Inbox, error)
	PutInbox(ctx context.Context, m storage.Inbox) (fresh bool, err error)
	Revision(ctx context.Context, flow string, number int) (storage.Revision, error)
	Runs(ctx context.Context, q storage.RunQuery) ([]storage.Run, error)
	SurfaceAt(ctx context.Context, channel, ts string) (storage.Surface, error)
	Triggers(ctx context.Context, kind, subject string) ([]storage.Trigger, error)
	TriggersOf(ctx context.Context, flow string) ([]storage.Trigger, error)
}

// Start starts a run of each flow that answers to what happened.
func (st *Starter) Start(ctx context.Context, in request.Incoming) error {
	if in.Kind == request.KindReaction {
		return st.byReaction(ctx, in)
	}
	return st.byMessage(ctx, in)
}

// listening lists the triggers that listen to what was overheard.
func listening(ctx context.Context, store Store, in request.Incoming) ([]storage.Trigger, error) {
	if in.Kind == request.KindReaction {
		rows, err := store.Triggers(ctx, trigger.Reaction, in.Emoji)
		return slices.DeleteFunc(rows, func(t storage.Trigger) bool { return t.Channel != in.Channel }), err
	}
	return store.Triggers(ctx, trigger.Message, in.Channel)
}

// byMessage starts a run of each flow that answers to a message in this channel. A reply in a thread starts none: it belongs to
// what is discussed there.
func (st *Starter) byMessage(ctx context.Context, in request.Incoming) error {
	if in.Thread != "" && in.Thread != in.TS {
		return st.Replies.Write(ctx, in, &storage.Batch{})
	}
	rows, err := listening(ctx, st.Store, in)
	if err != nil {
		return err
	}
	var found []answered
	for _, t := range rows {
		values, ok := st.match(t, in.Text)
		if n := len(found); ok && (n == 0 || found[n-1].trigger.Flow != t.Flow) { // they come by flow: the first that matches counts
			found = append(found, answered{t, values})
		}
	}
	if len(found) == 0 {
		return st.Replies.Write(ctx, in, &storage.Batch{}) // people are not looked up for each message they write
	}
	if err := st.Access.May(ctx, in, authority.StartByMessage, people.About{}); err != nil {
		return err
	}
	said := Message{User: in.User, Text: in.Text, Files: in.Files}
	return st.startAnswering(ctx, in, found, said)
}

// answered is a trigger and what it takes from what has happened.
type answered struct {
	trigger storage.Trigger
	values  map[string]any
}

// match matches a text with a message trigger. A trigger that cannot be read is left out, so that it does not stop the others.
func (st *Starter) match(t storage.Trigger, text string) (map[string]any, bool) {
	values, ok, err := trigger.MatchMessage(t, text)
	if err != nil {
		st.Log.Error("a trigger is left out", "trigger", t.ID, "error", err)
	}
	return values, ok
}

// byReaction starts a run of each flow that answers to the emoji in this channel. The members of the channel may start it, and the flow's owner.
// The values come from the message that it was put on, by the patterns of the flow's message triggers.
func (st *Starter) byReaction(ctx context.Context, in request.Incoming) error {
	rows, err := listening(ctx, st.Store, in)
	if err != nil {
		return err
	}
	var found []answered
	for _, t := range rows {
		if n := len(found); n > 0 && found[n-1].trigger.Flow == t.Flow {
			continue
		}
		f, err := st.Store.Flow(ctx, t.Flow)
		if err != nil {
			return err
		}
		ok, err := request.Allowed(st.Access.May(ctx, in, authority.StartByReaction, people.About{Home: t.Channel, Owner: f.Owner}))
		if err != nil {
			return err
		}
		if ok {
			found = append(found, answered{trigger: t})
		}
	}
	if len(found) == 0 {
		return st.Replies.Write(ctx, in, &storage.Batch{})
	}
	said, err := st.Slack.Message(ctx, in.Channel, in.TS)
	if errors.Is(err, ErrNoMessage) {
		return st.Replies.Write(ctx, in, &storage.Batch{})
	}
	if err != nil {
		return err
	}
	for i := range found {
		if found[i].values, err = st.valuesFrom(ctx, found[i].trigger.Flow, said.Text); err != nil {
			return err
		}
	}
	return st.startAnswering(ctx, in, found, said)
}

// valuesFrom reads a text as the flow's message triggers do.
func (st *Starter) valuesFrom(ctx context.Context, flow, text string) (map[string]any, error) {
	rows, err := st.Store.TriggersOf(ctx, flow)
	if err != nil {
		return nil, err
	}
	for _, t := range rows {
		if t.Kind != trigger.Message {
			continue
		}
		if values, ok := st.match(t, text); ok {
			return values, nil
		}
	}
	return nil, nil
}

// startAnswering starts the runs. Each start is unique; the delivery is done when all have been tried, and the person is told of those that
// failed. A kill in between starts nothing twice and leaves nothing out.
func (st *Starter) startAnswering(ctx context.Context, in request.Incoming, found []answered, said Message) error {
	if said.Thread == "" {
		said.Thread = in.TS
	}
	var told []storage.Surface
	for _, a := range found {
		payload, err := st.payload(ctx, in, a, said)
		if err != nil {
			return err
		}
		s, err := st.Engine.StartByTrigger(ctx, a.trigger, engine.Occurrence{
			Key: in.Channel + "/" + in.TS, Values: a.values, Payload: payload, Actor: in.Actor(), Channel: in.Channel, Thread: said.Thread,
		})
		c, err := st.startedBy(ctx, in, a, s, err)
		if err != nil {
			return err
		}
		if c != nil {
			told = append(told, st.Replies.Private(in, *c))
		}
	}
	st.Replies.Wake()
	return st.Replies.Write(ctx, in, &storage.Batch{Surfaces: told})
}

// payload is the payload of the run's event: what was said, with dots in the place of values that became sensitive inputs.
func (st *Starter) payload(ctx context.Context, in request.Incoming, a answered, said Message) (map[string]any, error) {
	sensitive, err := sensitive(ctx, st.Store, a.trigger.Flow, a.trigger.Revision)
	if errors.Is(err, storage.ErrNotFound) {
		sensitive, err = func(string) bool { return true }, nil // nothing will start
	}
	if err != nil {
		return nil, err
	}
	text := said.Text
	for name, value := range a.values {
		if value, _ := value.(string); value != "" && sensitive(name) {
			text = strings.ReplaceAll(text, value, "•••")
		}
	}
	out := map[string]any{"message": text, "from": said.User, "channel": in.Channel, "thread": said.Thread, "ts": in.TS}
	if len(said.Files) > 0 {
		out["files"] = filesOf(said.Files)
	}
	if in.Kind == request.KindReaction {
		out["reaction"] = in.Emoji
	}
	return out, nil
}

func filesOf(files []request.File) []any {
	list := make([]any, len(files))
	for i, f := range files {
		list[i] = f.Fields()
	}
	return list
}

// startedBy says what the person is told of a start; nothing when there is a run to be seen.
func (st *Starter) startedBy(ctx context.Context, in request.Incoming, a answered, s engine.Started, err error) (*card.Card, error) {
	var ue *usererror.Error
	switch {
	case errors.Is(err, engine.ErrTriggerGone):
		return nil, nil
	case errors.As(err, &ue):
		st.Log.Info("a trigger did not start a run", "trigger", a.trigger.ID, "code", ue.Code, "error", ue.Err)
		c := st.Replies.Refusal(request.Refuse(ue.Code, card.Textf("%s did not start *%s*. %s", cause(in), a.trigger.Flow, ue.Text), request.HintOf(ue)))
		return &c, nil
	case err != nil:
		return nil, err
	case s.Duplicate:
		return st.sameBy(ctx, in, a, s)
	case s.Behind != "" && !s.Seen:
		return &card.Card{Text: operate.Queued(st.Replies.Command, s)}, nil
	}
	return nil, nil
}

// cause names what a person did.
func cause(in request.Incoming) card.Text {
	if in.Kind == request.KindReaction {
		return card.Textf("Your %s", card.Emoji(in.Emoji))
	}
	return card.Textf("Your message")
}

// sameBy tells of the run that holds the key: with its title and buttons to people who may see it.
func (st *Starter) sameBy(ctx context.Context, in request.Incoming, a answered, s engine.Started) (*card.Card, error) {
	ok, err := request.Allowed(st.Access.MayRun(ctx, in, authority.ReadRun, s.Run))
	if err != nil {
		return nil, err
	}
	if !ok {
		return &card.Card{Text: card.Textf("%s did not start *%s*: it has been started for the same thing already.", cause(in), a.trigger.Flow)}, nil
	}
	c := operate.Duplicate(st.Replies.Command, s.Run)
	return &c, nil
}

// Wants reports whether something that was overheard would have started a run, as far as can be seen without asking Slack.
func (st *Starter) Wants(ctx context.Context, in request.Incoming) (bool, error) {
	rows, err := listening(ctx, st.Store, in)
	return slices.ContainsFunc(rows, func(t storage.Trigger) bool {
		if t.Kind != trigger.Message {
			return true
		}
		_, ok := st.match(t, in.Text)
		return ok && in.Thread == ""
	}), err
}
