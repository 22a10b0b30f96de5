package slack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"

	slackgo "github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"
)

// event stores a delivery and acknowledges it after that. A delivery that cannot be stored is not acknowledged: Slack sends events again.
func (a *App) event(ctx context.Context, c *socketmode.Client, ev socketmode.Event) {
	if ev.Type == socketmode.EventTypeErrorBadMessage {
		a.ackUnread(ctx, c, ev)
		return
	}
	if ev.Request == nil || ev.Request.EnvelopeID == "" {
		return
	}
	d, err := read(ev.Request.Type, ev.Request.Payload)
	if err != nil {
		a.log.Warn("a delivery cannot be read", "type", ev.Request.Type, "error", err)
		a.ack(ctx, c, ev, nil)
		return
	}
	if a.forms.take(ctx, c, ev, d) {
		return
	}
	over := func(err error) {
		if err == nil {
			err = a.hint(ctx, d)
		}
		if err != nil {
			a.log.Error("a delivery was not stored", "type", ev.Request.Type, "error", err)
			return
		}
		a.ack(ctx, c, ev, nil)
	}
	row, wanted, err := a.address(ctx, d)
	if err != nil || !wanted {
		over(err)
		return
	}
	a.inbox.Take(row, over)
}

// ack tells Slack that a delivery has arrived, with what it is to do where the delivery asks for that.
func (a *App) ack(ctx context.Context, c *socketmode.Client, ev socketmode.Event, answer any) {
	if err := c.AckCtx(ctx, ev.Request.EnvelopeID, answer); err != nil {
		a.log.Warn("a delivery was not acknowledged", "type", ev.Request.Type, "error", err)
	}
}

// ackUnread acknowledges an envelope that the client library could not read, so that Slack does not send it for ever.
func (a *App) ackUnread(ctx context.Context, c *socketmode.Client, ev socketmode.Event) {
	bad, ok := ev.Data.(*socketmode.ErrorBadMessage)
	if !ok {
		return
	}
	var env socketmode.Request
	if json.Unmarshal(bad.Message, &env) != nil || env.EnvelopeID == "" {
		return
	}
	a.log.Warn("an envelope of an unknown shape", "type", env.Type, "error", bad.Cause)
	d, err := read(env.Type, env.Payload)
	if err != nil || a.store(ctx, d) == nil {
		_ = c.AckCtx(ctx, env.EnvelopeID, nil)
	}
}

// store puts a delivery into the inbox, once. A message that was not said to the bot, and is no part of its work, is not stored.
func (a *App) store(ctx context.Context, d delivery) error {
	row, wanted, err := a.address(ctx, d)
	if err != nil || !wanted {
		return err
	}
	_, err = a.inbox.Put(ctx, row)
	return err
}

// Arrived says that there is a new row in the inbox.
func (a *App) Arrived() { a.inbox.Arrived() }

// key is the dedupe key of a delivery without a number of its own.
func (d delivery) key(trigger string) string {
	sum := sha256.Sum256(d.payload)
	return d.kind + ":" + trigger + ":" + hex.EncodeToString(sum[:8])
}

// submissionKey is the dedupe key of what was sent with a modal: the same values sent once more, because Slack did not hear that they had arrived,
// are the same delivery. A modal that went on with another form has another place.
func submissionKey(v slackgo.View) string {
	sum := sha256.New()
	_, _ = sum.Write([]byte(v.PrivateMetadata))
	if v.State != nil {
		_ = json.NewEncoder(sum).Encode(v.State.Values) // names and texts; in the order of the names
	}
	return inboxSubmission + ":" + v.ID + ":" + hex.EncodeToString(sum.Sum(nil)[:8])
}

// fields are the names of fields that are kept, each with those of the objects in it.
type fields map[string]fields

// keptOfShortcut are the parts of a message's shortcut that are read.
var keptOfShortcut = fields{
	"type": nil, "callback_id": nil, "trigger_id": nil, "response_url": nil, "user": {"id": nil, "team_id": nil}, "channel": {"id": nil}, "message_ts": nil,
	"message": {"text": nil, "ts": nil, "thread_ts": nil},
}

// kept reduces an object, or each object of a list, to the fields that are kept.
func kept(from json.RawMessage, names fields) (json.RawMessage, error) {
	if names == nil || string(from) == "null" {
		return from, nil
	}
	if len(from) > 0 && from[0] == '[' {
		var all []json.RawMessage
		if err := json.Unmarshal(from, &all); err != nil {
			return nil, err
		}
		for i := range all {
			var err error
			if all[i], err = kept(all[i], names); err != nil {
				return nil, err
			}
		}
		return json.Marshal(all)
	}
	var all, out map[string]json.RawMessage
	if err := json.Unmarshal(from, &all); err != nil {
		return nil, err
	}
	out = map[string]json.RawMessage{}
	for name, value := range all {
		inside, keep := names[name]
		if !keep {
			continue
		}
		var err error
		if out[name], err = kept(value, inside); err != nil {
			return nil, err
		}
	}
	return json.Marshal(out)
}

var errUnknownDelivery = errors.New("a delivery of an unknown kind")
