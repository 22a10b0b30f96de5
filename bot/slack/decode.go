package slack

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"sluice/bot/request"
	"sluice/bot/triggers"
	"sluice/storage"
)

// envelope is the part of an Events API payload that matters here.
type envelope struct {
	EventID string  `json:"event_id"`
	Event   message `json:"event"`
}

type message struct {
	Type        string `json:"type"`
	Subtype     string `json:"subtype"`
	Channel     string `json:"channel"`
	ChannelType string `json:"channel_type"`
	User        string `json:"user"`
	BotID       string `json:"bot_id"`
	Team        string `json:"team"`
	UserTeam    string `json:"user_team"`
	Text        string `json:"text"`
	TS          string `json:"ts"`
	ThreadTS    string `json:"thread_ts"`
	Files       []file `json:"files"`
	// of a reaction
	Reaction string `json:"reaction"`
	EventTS  string `json:"event_ts"`
	Item     struct {
		Type    string `json:"type"`
		Channel string `json:"channel"`
		TS      string `json:"ts"`
	} `json:"item"`
}

// hears says whether an event is a person's new message. Edits, deletions and bots (this one too) are left alone.
func (a *App) hears(m message) bool {
	if m.Type != "message" && m.Type != "app_mention" {
		return false
	}
	return (m.Subtype == "" || m.Subtype == "file_share" || m.Subtype == "thread_broadcast") && m.BotID == "" && m.User != "" && m.User != a.botUser
}

// addressed says whether a message is said to the bot: with a mention, or in a direct message.
func (a *App) addressed(m message) bool {
	return strings.Contains(m.Text, a.mention()) || strings.HasPrefix(m.Channel, "D")
}

// mention is how Slack writes the bot's name in a text.
func (a *App) mention() string { return "<@" + a.botUser + ">" }

// emoji is the reaction without its skin tone, which Slack says as in +1::skin-tone-3.
func (m message) emoji() string {
	name, _, _ := strings.Cut(m.Reaction, "::")
	return name
}

// sees says whether an event is a person's reaction to a message.
func (a *App) sees(m message) bool {
	return m.Type == "reaction_added" && m.Item.Type == "message" && m.User != "" && m.User != a.botUser
}

// decode turns an inbox row into our own words. False: there is nothing to do.
func (a *App) decode(ctx context.Context, row storage.Inbox) (request.Incoming, bool, error) {
	var in request.Incoming
	var ok bool
	var err error
	switch row.Kind {
	case triggers.InboxHook:
		return request.Incoming{Kind: request.KindHook, Payload: row.Payload, Inbox: row.ID}, true, nil
	case "events_api":
		in, ok, err = a.decodeEvent(ctx, row.Payload)
	case "slash_commands":
		in, ok, err = a.decodeCommand(row.Payload)
	case "interactive":
		in, ok, err = a.decodeClick(row.Payload)
	case "view_submission":
		in, ok, err = decodeSubmission(row.Payload)
	default:
		err = fmt.Errorf("%w: %s", errUnknownDelivery, row.Kind)
	}
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

func (a *App) decodeEvent(ctx context.Context, payload []byte) (request.Incoming, bool, error) {
	var e envelope
	if err := json.Unmarshal(payload, &e); err != nil {
		return request.Incoming{}, false, fmt.Errorf("read an event: %w", err)
	}
	m := e.Event
	if a.sees(m) {
		return request.Incoming{Kind: request.KindReaction, User: m.User, Channel: m.Item.Channel, TS: m.Item.TS, Emoji: m.emoji()}, true, nil
	}
	if !a.hears(m) {
		return request.Incoming{}, false, nil
	}
	team := m.UserTeam
	if team == "" {
		team = m.Team
	}
	in := request.Incoming{Kind: request.KindMessage, User: m.User, Team: team, Channel: m.Channel, Thread: m.ThreadTS, TS: m.TS, Text: m.Text}
	files, err := a.filesOf(ctx, m)
	if err != nil {
		return request.Incoming{}, false, err
	}
	in.Files = files
	if a.addressed(m) {
		in.Kind = request.KindMention
		in.Text = strings.TrimLeft(strings.TrimSpace(strings.Replace(m.Text, a.mention(), "", 1)), ":, ")
	}
	return in, true, nil
}

func (a *App) decodeCommand(payload []byte) (request.Incoming, bool, error) {
	var c struct {
		User      string `json:"user_id"`
		Team      string `json:"team_id"`
		UserTeam  string `json:"user_team_id"`
		Channel   string `json:"channel_id"`
		Text      string `json:"text"`
		ReplyURL  string `json:"response_url"`
		TriggerID string `json:"trigger_id"`
	}
	if err := json.Unmarshal(payload, &c); err != nil {
		return request.Incoming{}, false, fmt.Errorf("read a command: %w", err)
	}
	return request.Incoming{Kind: request.KindCommand, User: c.User, Team: c.Team, Channel: c.Channel, Text: c.Text, Reply: c.ReplyURL}, true, nil
}

func (a *App) decodeClick(payload []byte) (request.Incoming, bool, error) {
	var c struct {
		Type string `json:"type"`
		User struct {
			ID     string `json:"id"`
			TeamID string `json:"team_id"`
		} `json:"user"`
		Channel struct {
			ID string `json:"id"`
		} `json:"channel"`
		Container struct {
			Channel   string `json:"channel_id"`
			MessageTS string `json:"message_ts"`
			ThreadTS  string `json:"thread_ts"`
		} `json:"container"`
		Message struct {
			ThreadTS string `json:"thread_ts"`
		} `json:"message"`
		ReplyURL string `json:"response_url"`
		Actions  []struct {
			ActionID string `json:"action_id"`
			Value    string `json:"value"`
			Selected struct {
				Value string `json:"value"`
			} `json:"selected_option"`
		} `json:"actions"`
	}
	if err := json.Unmarshal(payload, &c); err != nil {
		return request.Incoming{}, false, fmt.Errorf("read a click: %w", err)
	}
	if c.Type != "block_actions" || len(c.Actions) == 0 {
		return request.Incoming{}, false, nil
	}
	in := request.Incoming{
		Kind: request.KindClick, User: c.User.ID, Team: c.User.TeamID, Channel: c.Channel.ID, Thread: c.Message.ThreadTS, TS: c.Container.MessageTS,
		Action: c.Actions[0].ActionID, Value: c.Actions[0].Value, Chosen: c.Actions[0].Selected.Value, Reply: c.ReplyURL,
	}
	if in.Channel == "" {
		in.Channel = c.Container.Channel
	}
	if in.Thread == "" {
		in.Thread = c.Container.ThreadTS
	}
	return in, true, nil
}
