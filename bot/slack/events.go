package slack

import (
	"cmp"
	"context"
	"strings"
	"time"

	slackgo "github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"

	"sluice/bot/request"
	"sluice/storage"
)

// A new event needs a row in events, the fields that are read of it in keptOfEvent, and a case in address and in incoming.

// events makes the values that events are decoded into, by type. A mention has all that a message has.
var events = map[string]func() any{
	"message":               func() any { return new(slackevents.MessageEvent) },
	"app_mention":           func() any { return new(slackevents.MessageEvent) },
	"reaction_added":        func() any { return new(slackevents.ReactionAddedEvent) },
	"member_joined_channel": func() any { return new(slackevents.MemberJoinedChannelEvent) },
	"app_home_opened":       func() any { return new(slackevents.AppHomeOpenedEvent) },
	"channel_archive":       func() any { return new(channelClosed) },
	"group_archive":         func() any { return new(channelClosed) },
	"channel_left":          func() any { return new(channelClosed) },
	"group_left":            func() any { return new(channelClosed) },
	"user_change":           func() any { return new(slackevents.UserChangeEvent) },

	"subteam_members_changed": func() any { return new(slackevents.SubteamMembersChangedEvent) },

	"channel_unarchive": func() any { return new(channelReopened) },
	"group_unarchive":   func() any { return new(channelReopened) },
}

// keptOfEvent are the parts of messages and reactions that are read. Nothing else of them is stored.
var keptOfEvent = fields{"event_id": nil, "event": {
	"type": nil, "subtype": nil, "channel": nil, "channel_type": nil, "user": nil, "bot_id": nil, "team": nil, "user_team": nil, "text": nil, "ts": nil, "thread_ts": nil,
	"reaction": nil, "event_ts": nil, "item": {"type": nil, "channel": nil, "ts": nil},
	"files": {"id": nil, "name": nil, "mimetype": nil, "size": nil, "mode": nil, "url_private": nil, "url_private_download": nil},
}}

// address gives a delivery's inbox row: with a dedupe key, the thread that it belongs to, and the part of it that is needed; false when it
// would not be read.
func (a *App) address(ctx context.Context, d delivery) (row storage.Inbox, wanted bool, err error) {
	row = storage.Inbox{Kind: d.kind, Payload: d.payload, Received: time.Now().UTC()}
	switch e := d.data.(type) {
	case *slackevents.ReactionAddedEvent:
		row.Key = "reaction:" + strings.Join([]string{e.Item.Channel, e.Item.Timestamp, e.Reaction, e.User, e.EventTimestamp}, ":")
		row.Thread = request.ThreadKey(e.Item.Channel, e.Item.Timestamp)
		wanted, err = a.wantsReaction(ctx, e)
	case *slackevents.MessageEvent:
		row.Key = "msg:" + e.Channel + ":" + e.TimeStamp
		row.Thread = request.ThreadKey(e.Channel, cmp.Or(e.ThreadTimeStamp, e.TimeStamp))
		wanted, err = a.wantsMessage(ctx, e)
	case *slackgo.SlashCommand:
		row.Key, row.Thread = d.key(e.TriggerID), request.ThreadKey(e.ChannelID, "")
		return row, true, nil
	case *slackgo.InteractionCallback:
		if row.Key = d.key(e.TriggerID); e.Type == slackgo.InteractionTypeViewSubmission {
			row.Key = submissionKey(e.View)
		}
		if e.Type == slackgo.InteractionTypeMessageAction {
			row.Payload, err = kept(d.payload, keptOfShortcut)
		}
		if e.View.Type == slackgo.VTHomeTab {
			row.Payload, err = withoutHome(d.payload)
		}
		row.Thread = request.ThreadKey(e.Channel.ID+e.View.ID, cmp.Or(e.Message.ThreadTimestamp, e.Message.Timestamp))
		return row, err == nil, err
	}
	if err != nil || !wanted {
		return storage.Inbox{}, false, err
	}
	row.Payload, err = kept(d.payload, keptOfEvent)
	return row, err == nil, err
}

// incoming is what a delivery asks of the bot. False: nothing.
func (a *App) incoming(ctx context.Context, d delivery) (in request.Incoming, ok bool, err error) {
	switch e := d.data.(type) {
	case *slackevents.ReactionAddedEvent:
		in, ok = request.Incoming{Kind: request.KindReaction, User: e.User, Channel: e.Item.Channel, TS: e.Item.Timestamp, Emoji: emoji(e)}, a.sees(e)
	case *slackevents.MessageEvent:
		if ok = a.hears(e); ok {
			in, err = a.said(ctx, e)
		}
	case *slackgo.SlashCommand:
		in, ok = request.Incoming{Kind: request.KindCommand, User: e.UserID, Team: e.TeamID, Channel: e.ChannelID, Text: e.Text, Reply: e.ResponseURL}, true
	case *slackgo.InteractionCallback:
		if d.kind == inboxSubmission {
			in, ok = submission(e)
		} else {
			in, ok = click(e)
		}
		if e.Type == slackgo.InteractionTypeMessageAction {
			in, ok = a.chosen(e)
		}
	}
	if ok && err == nil {
		in, err = a.located(ctx, in)
	}
	return in, ok, err
}

// concerns says which messages and reactions the bot handles although they were not said to it.
type concerns interface {
	Heard(ctx context.Context, in request.Incoming) (bool, error)
}

func (a *App) wantsReaction(ctx context.Context, r *slackevents.ReactionAddedEvent) (bool, error) {
	if !a.sees(r) || a.concerns == nil {
		return false, nil
	}
	return a.concerns.Heard(ctx, request.Incoming{Kind: request.KindReaction, Channel: r.Item.Channel, Emoji: emoji(r)})
}

func (a *App) wantsMessage(ctx context.Context, m *slackevents.MessageEvent) (bool, error) {
	if !a.hears(m) {
		return false, nil
	}
	if a.addressed(m) || a.concerns == nil {
		return a.addressed(m), nil
	}
	in := request.Incoming{Kind: request.KindMessage, Channel: m.Channel, Thread: m.ThreadTimeStamp}
	if in.Thread == m.TimeStamp {
		in.Thread = ""
	}
	return a.concerns.Heard(ctx, in)
}

// sees says whether an event is a person's reaction to a message.
func (a account) sees(r *slackevents.ReactionAddedEvent) bool {
	return r.Item.Type == "message" && r.User != "" && r.User != a.user
}

// emoji is the reaction without its skin tone, which Slack says as in +1::skin-tone-3.
func emoji(r *slackevents.ReactionAddedEvent) string {
	name, _, _ := strings.Cut(r.Reaction, "::")
	return name
}
