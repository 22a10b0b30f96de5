package slack

import (
	"context"
	"encoding/json"
)

// Surfaces hears what Slack says about the messages that show surfaces, and about their channels; *project.Projector does.
type Surfaces interface {
	// Reachable is called when messages of a channel may be accepted again; with "" those of the whole workspace.
	Reachable(ctx context.Context, channel string) error
	// Deleted is called when a message was deleted, whether by a person or a bot.
	Deleted(ctx context.Context, channel, ts string) error
}

// hint passes on what an event says about a message or a channel. Such an event is not stored: the state that it speaks of is looked up, so that hearing it
// twice, or never, changes when something is sent and not what.
func (a *App) hint(ctx context.Context, payload json.RawMessage) error {
	var e struct {
		Event struct {
			Type      string `json:"type"`
			Subtype   string `json:"subtype"`
			Channel   string `json:"channel"`
			User      string `json:"user"`
			DeletedTS string `json:"deleted_ts"`
			Message   struct {
				Subtype string `json:"subtype"`
				TS      string `json:"ts"`
			} `json:"message"`
		} `json:"event"`
	}
	if a.cfg.Surfaces == nil || json.Unmarshal(payload, &e) != nil {
		return nil // an event of another shape
	}
	m := e.Event
	switch {
	case m.Type == "member_joined_channel" && m.User == a.botUser, m.Type == "channel_unarchive", m.Type == "group_unarchive":
		return a.cfg.Surfaces.Reachable(ctx, m.Channel)
	case m.Type == "message" && m.Subtype == "message_deleted":
		return a.cfg.Surfaces.Deleted(ctx, m.Channel, m.DeletedTS)
	case m.Type == "message" && m.Subtype == "message_changed" && m.Message.Subtype == "tombstone": // deleted, with replies under it
		return a.cfg.Surfaces.Deleted(ctx, m.Channel, m.Message.TS)
	}
	return nil
}

// reconnected says that Slack can be reached again, if it accepts the bot token too. When it does not, sending goes on to be tried.
func (a *App) reconnected(ctx context.Context) {
	if a.cfg.Surfaces == nil {
		return
	}
	_, err := a.api.AuthTestContext(ctx)
	if err == nil {
		err = a.cfg.Surfaces.Reachable(ctx, "")
	}
	if err != nil && ctx.Err() == nil {
		a.log.Warn("the connection to Slack is back, and messages are not sent yet", "error", err)
	}
}
