package slack

import (
	"context"
	"fmt"
	"slices"
	"strings"

	slackgo "github.com/slack-go/slack"

	"sluice/bot/triggers"
)

// Message reads one message: among its channel's, and when it is a reply, in its thread.
func (a *App) Message(ctx context.Context, channel, ts string) (triggers.Message, error) {
	m, found, err := a.one(ctx, channel, "", ts)
	if err != nil {
		return triggers.Message{}, fmt.Errorf("read a message: %w", err)
	}
	if !found {
		m, found, err = a.one(ctx, channel, ts, ts)
		if err != nil && !hasCode(err, "thread_not_found", "message_not_found") {
			return triggers.Message{}, fmt.Errorf("read a reply: %w", err)
		}
	}
	if !found {
		return triggers.Message{}, triggers.ErrNoMessage
	}
	said := triggers.Message{User: m.User, Text: strings.TrimSpace(a.people.plain(ctx, m.Text))}
	if said.User == "" {
		said.User = m.BotID
	}
	if m.ThreadTimestamp != ts {
		said.Thread = m.ThreadTimestamp
	}
	said.Files = attached(m.Files)
	return said, nil
}

// one finds a message by its ts: among those of a channel, or in a thread, of which Slack puts the first message in front of the asked one.
func (a *App) one(ctx context.Context, channel, thread, ts string) (m slackgo.Message, found bool, err error) {
	page, _, err := messages(ctx, a.api, thread, slackgo.GetConversationHistoryParameters{ChannelID: channel, Latest: ts, Oldest: ts, Inclusive: true, Limit: 2})
	i := slices.IndexFunc(page, func(m slackgo.Message) bool { return m.Timestamp == ts })
	if i < 0 {
		return m, false, err
	}
	return page[i], true, err
}
