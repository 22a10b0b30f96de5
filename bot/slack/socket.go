package slack

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/slack-go/slack/socketmode"

	"sluice/bot/request"
	"sluice/storage"
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
	if a.forms.take(ctx, c, ev) {
		return
	}
	err := a.store(ctx, ev.Request.Type, ev.Request.Payload)
	if err == nil && ev.Request.Type == "events_api" {
		err = a.hint(ctx, ev.Request.Payload)
	}
	if err != nil {
		a.log.Error("a delivery was not stored", "type", ev.Request.Type, "error", err)
		return
	}
	a.ack(ctx, c, ev, nil)
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
	var env struct {
		EnvelopeID string          `json:"envelope_id"`
		Type       string          `json:"type"`
		Payload    json.RawMessage `json:"payload"`
	}
	if json.Unmarshal(bad.Message, &env) != nil || env.EnvelopeID == "" {
		return
	}
	a.log.Warn("an envelope of an unknown shape", "type", env.Type, "error", bad.Cause)
	if err := a.store(ctx, env.Type, env.Payload); err == nil {
		_ = c.AckCtx(ctx, env.EnvelopeID, nil)
	}
}

// concerns says which messages and reactions are part of the bot's work although they were not said to it.
type concerns interface {
	Message(ctx context.Context, channel, thread string) (bool, error)
	Reaction(ctx context.Context, channel, emoji string) (bool, error)
}

// store puts a delivery into the inbox, once. A message that was not said to the bot, and is no part of its work, is not stored.
func (a *App) store(ctx context.Context, kind string, payload json.RawMessage) error {
	d, wanted, err := a.address(ctx, kind, payload)
	if err != nil || !wanted {
		return err
	}
	d.Kind, d.Received = kind, time.Now().UTC()
	return a.inbox.Put(ctx, d)
}

// Arrived says that there is a new row in the inbox.
func (a *App) Arrived() { a.inbox.Arrived() }

// address gives a delivery's dedupe key, the thread that it belongs to, and the part of it that is needed; false when it would not be read.
func (a *App) address(ctx context.Context, kind string, payload json.RawMessage) (d storage.Inbox, wanted bool, err error) {
	switch kind {
	case "events_api":
		var e envelope
		if json.Unmarshal(payload, &e) != nil {
			return d, false, nil
		}
		return a.addressEvent(ctx, e)
	case "slash_commands", "interactive":
		var p struct {
			TriggerID string `json:"trigger_id"`
			ChannelID string `json:"channel_id"`
			Channel   struct {
				ID string `json:"id"`
			} `json:"channel"`
			Message struct {
				TS       string `json:"ts"`
				ThreadTS string `json:"thread_ts"`
			} `json:"message"`
			View struct {
				ID string `json:"id"`
			} `json:"view"`
		}
		if json.Unmarshal(payload, &p) != nil {
			return d, false, nil
		}
		sum := sha256.Sum256(payload)
		d.Key = kind + ":" + p.TriggerID + ":" + hex.EncodeToString(sum[:8])
		d.Thread, d.Payload = request.ThreadKey(p.ChannelID+p.Channel.ID+p.View.ID, cmp.Or(p.Message.ThreadTS, p.Message.TS)), payload
		return d, true, nil
	}
	return d, false, nil
}

// addressEvent is address for a message or a reaction. Of those only the parts that are read are stored.
func (a *App) addressEvent(ctx context.Context, e envelope) (d storage.Inbox, wanted bool, err error) {
	m := e.Event
	switch {
	case a.sees(m):
		d.Key = "reaction:" + strings.Join([]string{m.Item.Channel, m.Item.TS, m.Reaction, m.User, m.EventTS}, ":")
		d.Thread = request.ThreadKey(m.Item.Channel, m.Item.TS)
		if a.concerns != nil {
			wanted, err = a.concerns.Reaction(ctx, m.Item.Channel, m.emoji())
		}
	case a.hears(m):
		d.Key, d.Thread = "msg:"+m.Channel+":"+m.TS, request.ThreadKey(m.Channel, cmp.Or(m.ThreadTS, m.TS))
		wanted = a.addressed(m)
		if thread := m.ThreadTS; !wanted && a.concerns != nil {
			if thread == m.TS {
				thread = ""
			}
			wanted, err = a.concerns.Message(ctx, m.Channel, thread)
		}
	}
	if err != nil || !wanted {
		return d, false, err
	}
	d.Payload, err = json.Marshal(e)
	return d, true, err
}

var errUnknownDelivery = errors.New("a delivery of an unknown kind")
