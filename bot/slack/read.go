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
	page, err := a.api.GetConversationHistoryContext(ctx, &slackgo.GetConversationHistoryParameters{
		ChannelID: channel, Latest: ts, Oldest: ts, Inclusive: true, Limit: 1,
	})
	if err != nil {
		return triggers.Message{}, fmt.Errorf("read a message: %w", err)
	}
	found := page.Messages
	called := func(m slackgo.Message) bool { return m.Timestamp == ts }
	if !slices.ContainsFunc(found, called) {
		// Slack puts the thread's first message in front of the asked one.
		found, _, _, err = a.api.GetConversationRepliesContext(ctx, &slackgo.GetConversationRepliesParameters{
			ChannelID: channel, Timestamp: ts, Latest: ts, Oldest: ts, Inclusive: true, Limit: 2,
		})
		if err != nil && !hasCode(err, "thread_not_found", "message_not_found") {
			return triggers.Message{}, fmt.Errorf("read a reply: %w", err)
		}
	}
	i := slices.IndexFunc(found, called)
	if i < 0 {
		return triggers.Message{}, triggers.ErrNoMessage
	}
	m := found[i]
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
