// Package trigger has the rows of flows' triggers that answer to something that happens: which rows a flow has from a revision on, and whether
// a message matches one.
//
// The package starts nothing: package engine does (StartByTrigger), and bot hears what happens. Schedules answer to the clock: engine/schedule.
//
// A new kind of trigger needs:
//
//	the document   its fields and words, engine/flow/trigger.go; its checks, engine/flow/validate/triggers.go; the words for its keys,
//	               engine/flow/file/shape.go
//	its rows       a kind and a case in TriggerRows, here
//	the delivery   the event, its inbox row, the fields that are stored of it and what it asks of the bot, bot/slack/events.go, and the kind
//	               that it has there, bot/request/incoming.go (Overheard sends it to the start); cmd/sluice/manifest.yaml asks Slack for it
//	the start      which rows listen to what was overheard (listening: the bot then handles it), and the runs that it starts,
//	               bot/triggers/starts.go
//	plain words    engine/planner/lower/trigger.go makes a trigger out of words and back. Without them it is for files alone
//
// cmd/check/trigger_test.go holds this list.
package trigger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"sluice/engine/flow"
	"sluice/engine/people"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Kinds of triggers that answer to something that happens; a schedule answers to the clock. A run's event has them as its type.
const (
	Message  = "message"  // its subject is a channel's id
	Reaction = "reaction" // its subject is the name of an emoji
	Webhook  = "webhook"  // its subject is the path
)

// Listener is what a Directory is besides when it knows where the bot hears what is said.
type Listener interface {
	// Hears says whether the bot is a member of a channel.
	Hears(ctx context.Context, channel string) (bool, error)
}

// Store is the part of the store that has the triggers.
type Store interface {
	Triggers(ctx context.Context, kind, subject string) ([]storage.Trigger, error)
	TriggersOf(ctx context.Context, flow string) ([]storage.Trigger, error)
}

// Triggers makes the rows of triggers.
type Triggers struct {
	store     Store
	directory people.Directory
}

// New makes rows for a store; a nil directory takes every channel as it is named.
func New(store Store, directory people.Directory) *Triggers {
	return &Triggers{store: store, directory: directory}
}

// TriggerRows gives the rows of the triggers that a flow has from a revision on, besides schedules, and the ids of those that go. They
// are to be stored with its approval. approver is who approves, channel the flow's home. Errors: *usererror.Error for a channel that nobody
// would be heard in, and for a webhook's path that another flow has.
func (x *Triggers) TriggerRows(ctx context.Context, f *flow.Flow, revision int, approver, channel string) (put []storage.Trigger, gone []string, err error) {
	for i, t := range f.Triggers {
		row := storage.Trigger{Flow: f.Name, Revision: revision, Num: i, Owner: approver, Channel: channel}
		switch {
		case t.Message != nil:
			row.Kind = Message
			row.Subject, err = x.heardChannel(ctx, f, t, approver)
		case t.Reaction != nil:
			row.Kind, row.Subject = Reaction, t.Reaction.Emoji
			if t.Reaction.Channel != "" {
				row.Channel, err = x.heardChannel(ctx, f, t, approver)
			}
		case t.Webhook != nil:
			row.Kind, row.Subject = Webhook, t.Webhook.Path
			err = x.freePath(ctx, f, t.Webhook.Path)
		default:
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if row.Body, err = json.Marshal(t); err != nil {
			return nil, nil, err
		}
		row.ID = triggerID(row)
		put = append(put, row)
	}
	old, err := x.store.TriggersOf(ctx, f.Name)
	for _, t := range old {
		gone = append(gone, t.ID)
	}
	return put, gone, err
}

// triggerID is the same for two triggers that cannot both be: no two flows have the same webhook.
func triggerID(t storage.Trigger) string {
	if t.Kind == Webhook {
		return "webhook:" + t.Subject
	}
	return fmt.Sprintf("%s/%s/%d", t.Flow, t.Kind, t.Num)
}

// heardChannel finds the channel that a trigger names, by its name or id. It must be one that the bot is in, and the approver: what is said there
// becomes part of runs that others may read. That it exists is told to nobody else.
func (x *Triggers) heardChannel(ctx context.Context, f *flow.Flow, t flow.Trigger, approver string) (string, error) {
	in, event := t.Channel()
	name := *in
	if x.directory == nil {
		return name, nil
	}
	unheard := &usererror.Error{
		Code: "unheard", Text: fmt.Sprintf("%s starts by %ss in %s, but there is no channel of that name that both you and I are in.", f.Name, event, name),
	}
	ch, err := x.directory.Resolve(ctx, name)
	if errors.Is(err, people.ErrUnknownName) || err == nil && ch.Kind != "channel" {
		return "", unheard
	}
	if err != nil {
		return "", fmt.Errorf("find the channel %s: %w", name, err)
	}
	members, err := x.directory.Members(ctx, ch)
	if err != nil {
		return "", fmt.Errorf("list the members of %s: %w", name, err)
	}
	heard := true
	if l, ok := x.directory.(Listener); ok {
		if heard, err = l.Hears(ctx, ch.ID); err != nil {
			return "", fmt.Errorf("look whether I am in %s: %w", name, err)
		}
	}
	if !heard || !slices.Contains(members, approver) {
		return "", unheard
	}
	return ch.ID, nil
}

// freePath refuses the path of another flow's webhook, without a word about that flow.
func (x *Triggers) freePath(ctx context.Context, f *flow.Flow, path string) error {
	rows, err := x.store.Triggers(ctx, Webhook, path)
	if err != nil {
		return err
	}
	for _, t := range rows {
		if t.Flow != f.Name {
			return &usererror.Error{
				Code: "path_taken", Text: fmt.Sprintf("%s starts by the webhook %s, and that path is not free.", f.Name, path),
				Hint: "Give it another path.",
			}
		}
	}
	return nil
}

// Decode reads the trigger of a row as the flow has it.
func Decode(row storage.Trigger) (flow.Trigger, error) {
	var t flow.Trigger
	if err := json.Unmarshal(row.Body, &t); err != nil {
		return t, fmt.Errorf("read trigger %s: %w", row.ID, err)
	}
	return t, nil
}

// MatchMessage gives the values of the named groups of a message trigger, without those that took no part. False: it does not match.
func MatchMessage(row storage.Trigger, text string) (values map[string]any, ok bool, err error) {
	t, err := Decode(row)
	if err != nil || t.Message == nil {
		return nil, false, err
	}
	re, err := regexp.Compile(t.Message.Match)
	if err != nil {
		return nil, false, fmt.Errorf("read trigger %s: %w", row.ID, err)
	}
	at := re.FindStringSubmatchIndex(text)
	if at == nil {
		return nil, false, nil
	}
	values = map[string]any{}
	for i, name := range re.SubexpNames() {
		if name != "" && at[2*i] >= 0 {
			values[name] = text[at[2*i]:at[2*i+1]]
		}
	}
	return values, true, nil
}

// MessageInput is the name under which a person gives the message of a flow that reads the one which starts it.
const MessageInput = "message"

// ReadsMessage reports whether a flow that messages start reads the one that did. One with an input of that name is given it there.
func ReadsMessage(f *flow.Flow) bool {
	return f.Input(MessageInput) == nil && slices.ContainsFunc(f.Triggers, func(t flow.Trigger) bool { return t.Message != nil }) && bytes.Contains(flow.Canonical(f), []byte("event.payload.message"))
}
