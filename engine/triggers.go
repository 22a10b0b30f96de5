package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"sluice/engine/coerce"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Kinds of triggers that answer to something that happens; a schedule answers to the clock. A run's event has them as its type.
const (
	TriggerMessage  = "message"  // its subject is a channel's id
	TriggerReaction = "reaction" // its subject is the name of an emoji
	TriggerWebhook  = "webhook"  // its subject is the path
)

// ErrTriggerGone means that a flow's newest revision does not have the trigger any more.
var ErrTriggerGone = errors.New("the flow does not have this trigger any more")

// Listener is what a Directory is besides when it knows where the bot hears what is said.
type Listener interface {
	// Hears says whether the bot is a member of a channel.
	Hears(ctx context.Context, channel string) (bool, error)
}

// TriggerRows gives the rows of the triggers that a flow has from a revision on, besides schedules, and the ids of those that go. They
// are to be stored with its approval. approver is who approves, channel the flow's home. Errors: *UserError for a channel that nobody
// would be heard in, and for a webhook's path that another flow has.
func (e *Engine) TriggerRows(ctx context.Context, f *flow.Flow, revision int, approver, channel string) (put []storage.Trigger, gone []string, err error) {
	for i, t := range f.Triggers {
		row := storage.Trigger{Flow: f.Name, Revision: revision, Num: i, Owner: approver, Channel: channel}
		switch {
		case t.Message != nil:
			row.Kind = TriggerMessage
			row.Subject, err = e.heardChannel(ctx, f, t.Message.Channel, approver)
		case t.Reaction != nil:
			row.Kind, row.Subject = TriggerReaction, t.Reaction.Emoji
		case t.Webhook != nil:
			row.Kind, row.Subject = TriggerWebhook, t.Webhook.Path
			err = e.freePath(ctx, f, t.Webhook.Path)
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
	old, err := e.cfg.Store.TriggersOf(ctx, f.Name)
	for _, t := range old {
		gone = append(gone, t.ID)
	}
	return put, gone, err
}

// triggerID is the same for two triggers that cannot both be: no two flows have the same webhook.
func triggerID(t storage.Trigger) string {
	if t.Kind == TriggerWebhook {
		return "webhook:" + t.Subject
	}
	return fmt.Sprintf("%s/%s/%d", t.Flow, t.Kind, t.Num)
}

// heardChannel finds a channel by its name or id. It must be one that the bot is in, and the approver: what is said there becomes
// part of runs that others may read. That it exists is told to nobody else.
func (e *Engine) heardChannel(ctx context.Context, f *flow.Flow, name, approver string) (string, error) {
	if e.cfg.Directory == nil {
		return name, nil
	}
	unheard := &UserError{
		Code: "unheard", Text: fmt.Sprintf("%s starts by messages in %s, but there is no channel of that name that both you and I are in.", f.Name, name),
		Hint: "Look at the name. If it is right, join the channel and bring the bot in.",
	}
	ch, err := e.cfg.Directory.Resolve(ctx, name)
	if errors.Is(err, ErrUnknownName) || err == nil && ch.Kind != "channel" {
		return "", unheard
	}
	if err != nil {
		return "", fmt.Errorf("find the channel %s: %w", name, err)
	}
	members, err := e.cfg.Directory.Members(ctx, ch)
	if err != nil {
		return "", fmt.Errorf("list the members of %s: %w", name, err)
	}
	heard := true
	if l, ok := e.cfg.Directory.(Listener); ok {
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
func (e *Engine) freePath(ctx context.Context, f *flow.Flow, path string) error {
	rows, err := e.cfg.Store.Triggers(ctx, TriggerWebhook, path)
	if err != nil {
		return err
	}
	for _, t := range rows {
		if t.Flow != f.Name {
			return &UserError{
				Code: "path_taken", Text: fmt.Sprintf("%s starts by the webhook %s, and that path is not free.", f.Name, path),
				Hint: "Give it another path.",
			}
		}
	}
	return nil
}

// DecodeTrigger reads the trigger of a row as the flow has it.
func DecodeTrigger(row storage.Trigger) (flow.Trigger, error) {
	var t flow.Trigger
	if err := json.Unmarshal(row.Body, &t); err != nil {
		return t, fmt.Errorf("read trigger %s: %w", row.ID, err)
	}
	return t, nil
}

// MatchMessage gives the values of the named groups of a message trigger, without those that took no part. False: it does not match.
func MatchMessage(row storage.Trigger, text string) (values map[string]any, ok bool, err error) {
	t, err := DecodeTrigger(row)
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

// Occurrence is something that happened outside and that triggers answer to.
type Occurrence struct {
	Key     string         // says which one, such as a message's channel and time: a flow's triggers of a kind answer once to each
	Values  map[string]any // become the inputs that are called so; others are left out
	Payload map[string]any // of the run's event
	Actor   history.Actor
	By      string // the requester; empty = Actor.User
	Channel string // where the run's messages go, and its thread
	Thread  string
	// Accepted, Add and Surfaces are those of StartRequest.
	Accepted bool
	Add      func(*storage.Batch)
	Surfaces func(r storage.Run) []storage.Surface
}

// StartByTrigger begins a run because of something that happened, at most once. The rules are those of Start; whether the person may
// start the flow in this way is for the caller to check. Errors: ErrTriggerGone besides those of Start.
func (e *Engine) StartByTrigger(ctx context.Context, t storage.Trigger, o Occurrence) (Started, error) {
	if s, seen, err := e.seen(ctx, t, o); seen || err != nil {
		return s, err
	}
	c, err := e.compiled(ctx, t.Flow, 0)
	if err != nil {
		return Started{}, usererror.Flow(t.Flow, err)
	}
	if c.revision.Number != t.Revision {
		return Started{}, fmt.Errorf("%s: %w", t.ID, ErrTriggerGone)
	}
	s, err := e.Start(ctx, StartRequest{
		Flow: t.Flow, Revision: t.Revision, Inputs: coerce.Named(c.flow, o.Values), Event: map[string]any{"type": t.Kind, "payload": o.Payload},
		Actor: o.Actor, By: o.By, Channel: o.Channel, Thread: o.Thread, Surfaces: o.Surfaces, Accepted: o.Accepted,
		Add: func(b *storage.Batch) {
			b.Started = append(b.Started, storage.TriggerStart{Flow: t.Flow, Kind: t.Kind, Event: o.Key, Run: b.Run.Run.ID, At: e.Now()})
			if o.Add != nil {
				o.Add(b)
			}
		},
	})
	if errors.Is(err, storage.ErrStarted) {
		s, _, err = e.seen(ctx, t, o)
	}
	return s, err
}

// seen finds the run that has been started by what happened.
func (e *Engine) seen(ctx context.Context, t storage.Trigger, o Occurrence) (Started, bool, error) {
	was, err := e.cfg.Store.TriggerStart(ctx, t.Flow, t.Kind, o.Key)
	if errors.Is(err, storage.ErrNotFound) {
		return Started{}, false, nil
	}
	if err != nil {
		return Started{}, false, err
	}
	row, err := e.cfg.Store.Run(ctx, was.Run)
	if errors.Is(err, storage.ErrNotFound) {
		row, err = e.cfg.Store.RemovedRun(ctx, was.Run)
	}
	return Started{Run: row, Seen: true}, err == nil, err
}
