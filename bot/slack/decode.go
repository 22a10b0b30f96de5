package slack

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	slackgo "github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"

	"sluice/bot/request"
	"sluice/bot/triggers"
	"sluice/storage"
)

// delivery is what Slack delivered, decoded: data is a pointer to a type of slack-go, channelClosed or channelReopened. It is nil for an event that says nothing to us.
type delivery struct {
	kind    string
	payload json.RawMessage
	data    any
}

// channelClosed is an event after which a channel takes no messages of the bot: it was archived, or the bot has left it.
type channelClosed struct {
	Channel string `json:"channel"`
}

// channelReopened is an event after which an archived channel takes messages again.
type channelReopened struct {
	Channel string `json:"channel"`
}

// inboxSubmission is the kind of the inbox rows of forms that were sent. Other kinds are those of Socket Mode's envelopes.
const inboxSubmission = "view_submission"

// read decodes a delivery, as it comes from Slack or out of the inbox.
func read(kind string, payload json.RawMessage) (delivery, error) {
	d := delivery{kind: kind, payload: payload}
	switch kind {
	case "events_api":
		var envelope struct {
			Event json.RawMessage `json:"event"`
		}
		if err := json.Unmarshal(payload, &envelope); err != nil {
			return d, fmt.Errorf("read an event: %w", err)
		}
		if envelope.Event == nil {
			return d, nil
		}
		return d, d.event(envelope.Event)
	case "slash_commands":
		d.data = new(slackgo.SlashCommand)
	case "interactive", inboxSubmission:
		d.data = new(slackgo.InteractionCallback)
	default:
		return d, fmt.Errorf("%w: %s", errUnknownDelivery, kind)
	}
	if err := json.Unmarshal(payload, d.data); err != nil {
		return d, fmt.Errorf("read a delivery of the kind %s: %w", kind, err)
	}
	return d, nil
}

// event decodes what an event says.
func (d *delivery) event(from json.RawMessage) error {
	var is struct {
		Type string `json:"type"`
	}
	err := json.Unmarshal(from, &is)
	if data := events[is.Type]; err == nil && data != nil {
		d.data = data()
		err = json.Unmarshal(from, d.data)
	}
	if err != nil {
		return fmt.Errorf("read an event of the type %q: %w", is.Type, err)
	}
	return nil
}

// hears says whether an event is a person's new message. Edits, deletions and messages of bots are not.
func (a account) hears(m *slackevents.MessageEvent) bool {
	return (m.SubType == "" || m.SubType == slackgo.MsgSubTypeFileShare || m.SubType == slackgo.MsgSubTypeThreadBroadcast) && m.BotID == "" && m.User != "" && m.User != a.user
}

// decode turns an inbox row into our own words. False: there is nothing to do.
func (a *App) decode(ctx context.Context, row storage.Inbox) (request.Incoming, bool, error) {
	if row.Kind == triggers.InboxHook {
		return request.Incoming{Kind: request.KindHook, Payload: row.Payload, Inbox: row.ID}, true, nil
	}
	d, err := read(row.Kind, row.Payload)
	if err != nil {
		return request.Incoming{}, false, err
	}
	in, ok, err := a.incoming(ctx, d)
	if err != nil || !ok {
		return in, false, err
	}
	in.Inbox = row.ID
	in.Direct = strings.HasPrefix(in.Channel, "D")
	in.Text = strings.TrimSpace(a.people.plain(ctx, in.Text))
	if p, err := a.people.Person(ctx, in.User); err == nil {
		in.Name = p.Name
	}
	return in, true, nil
}

// said is a message that somebody wrote.
func (a *App) said(ctx context.Context, m *slackevents.MessageEvent) (request.Incoming, error) {
	in := request.Incoming{
		Kind: request.KindMessage, User: m.User, Team: cmp.Or(m.UserTeam, m.Message.Team), Channel: m.Channel, Thread: m.ThreadTimeStamp, TS: m.TimeStamp, Text: m.Text,
	}
	var err error
	if in.Files, err = a.filesOf(ctx, m); err != nil {
		return in, err
	}
	if a.addressed(m) {
		in.Kind = request.KindMention
		in.Text = strings.TrimLeft(a.withoutMention(m.Text), ":, ")
	}
	return in, nil
}

// The shortcuts of the app, as the manifest names them.
const (
	shortcutNew     = "flow_new"
	shortcutMessage = "flow_from_message"
)

// chosen is a message of which somebody makes a flow.
func (a *App) chosen(c *slackgo.InteractionCallback) (request.Incoming, bool) {
	return request.Incoming{
		Kind: request.KindShortcut, User: c.User.ID, Team: c.User.TeamID, Channel: c.Channel.ID, Thread: c.Message.ThreadTimestamp,
		TS: cmp.Or(c.Message.Timestamp, c.MessageTs), Text: a.withoutMention(c.Message.Text), Reply: c.ResponseURL,
	}, c.CallbackID == shortcutMessage
}

// click is a click on a button, or a choice in a select.
func click(c *slackgo.InteractionCallback) (request.Incoming, bool) {
	if c.Type != slackgo.InteractionTypeBlockActions || len(c.ActionCallback.BlockActions) == 0 {
		return request.Incoming{}, false
	}
	action := c.ActionCallback.BlockActions[0]
	return request.Incoming{
		Kind: request.KindClick, User: c.User.ID, Team: c.User.TeamID, Channel: cmp.Or(c.Channel.ID, c.Container.ChannelID),
		Thread: cmp.Or(c.Message.ThreadTimestamp, c.Container.ThreadTs), TS: c.Container.MessageTs,
		Action: action.ActionID, Value: action.Value, Chosen: action.SelectedOption.Value, Reply: c.ResponseURL,
		Home: c.View.Type == slackgo.VTHomeTab,
	}, true
}
