package slack

import (
	"context"
	"fmt"
	"slices"

	slackgo "github.com/slack-go/slack"
)

// eventType marks messages of this program: with it and the client key a message is found again.
const eventType = "sluice_surface"

// keyed is the metadata of a message with a client key.
func keyed(key string) slackgo.SlackMetadata {
	return slackgo.SlackMetadata{EventType: eventType, EventPayload: map[string]any{"key": key}}
}

// sentMessages finds messages that were sent and whose address was not stored.
type sentMessages struct {
	api    *slackgo.Client
	budget *budget
}

// withKey finds the message with a client key; "" when there is none.
func (s sentMessages) withKey(ctx context.Context, channel, thread, key string) (string, error) {
	return s.find(ctx, channel, thread, func(m slackgo.Message) bool {
		return m.Metadata.EventType == eventType && m.Metadata.EventPayload["key"] == key
	})
}

// A search reads a whole thread, or the newest messages of a channel, which come first.
const (
	searchPages = 20
	searchPage  = 500
)

// find gives the ts of a message in a thread, or among the newest of a channel; "" when there is none. The search is not bounded by time, because
// this machine's clock may be wrong.
func (s sentMessages) find(ctx context.Context, channel, thread string, is func(slackgo.Message) bool) (string, error) {
	p := slackgo.GetConversationHistoryParameters{ChannelID: channel, Limit: searchPage, IncludeAllMetadata: true}
	for range searchPages {
		if err := s.budget.take(ctx, findIn(thread)); err != nil {
			return "", err
		}
		page, next, err := messages(ctx, s.api, thread, p)
		if err != nil {
			return "", called(findIn(thread).method, fmt.Errorf("look for an earlier post: %w", err))
		}
		if i := slices.IndexFunc(page, is); i >= 0 {
			return page[i].Timestamp, nil
		}
		if next == "" {
			return "", nil
		}
		p.Cursor = next
	}
	return "", nil
}

// messages reads one page of a thread, or of a channel. next is the cursor of the page behind it; "" when there is none.
func messages(ctx context.Context, api *slackgo.Client, thread string, p slackgo.GetConversationHistoryParameters) (page []slackgo.Message, next string, err error) {
	if thread != "" {
		page, _, next, err = api.GetConversationRepliesContext(ctx, &slackgo.GetConversationRepliesParameters{
			ChannelID: p.ChannelID, Timestamp: thread, Cursor: p.Cursor, Oldest: p.Oldest, Latest: p.Latest, Inclusive: p.Inclusive, Limit: p.Limit,
			IncludeAllMetadata: p.IncludeAllMetadata,
		})
		return page, next, err
	}
	h, err := api.GetConversationHistoryContext(ctx, &p)
	if err != nil {
		return nil, "", err
	}
	return h.Messages, h.ResponseMetaData.NextCursor, nil
}

// findIn is the call that looks for a message in a thread, or in a channel.
func findIn(thread string) call {
	if thread != "" {
		return call{method: methodReplies}
	}
	return call{method: methodHistory}
}
