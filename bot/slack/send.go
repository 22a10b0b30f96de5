package slack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	slackgo "github.com/slack-go/slack"

	"sluice/bot/card"
	"sluice/bot/project"
	"sluice/storage"
)

// eventType marks our messages: with it and the client key a message is found again.
const eventType = "sluice_surface"

// Send posts a surface's message or edits it; see project.Sender.
func (a *App) Send(ctx context.Context, s storage.Surface, c card.Card) (storage.Surface, error) {
	s, err := a.send(ctx, s, c)
	return s, a.classify(err)
}

// Held is how long the budget keeps a surface back; see project.Sender.
func (a *App) Held(s storage.Surface) time.Duration { return a.budget.held(posts(s), urgent(s)) }

// urgent tells what somebody waits for at this moment.
func urgent(s storage.Surface) bool {
	return slices.Contains([]string{project.KindGate, project.KindRemind, project.KindPrivate, project.KindFile}, s.Kind)
}

// posts is the channel that a new message goes to; "" for an edit, which Slack counts for the workspace alone.
func posts(s storage.Surface) string {
	if s.TS != "" {
		return ""
	}
	return s.Channel
}

func (a *App) send(ctx context.Context, s storage.Surface, c card.Card) (storage.Surface, error) {
	if c.File != nil {
		return a.share(ctx, s, c)
	}
	pic, old, err := a.prepare(ctx, &s, c)
	if err != nil {
		return s, err
	}
	if err := a.budget.wait(ctx, posts(s), urgent(s)); err != nil {
		return s, err
	}
	blocks, text := draw(c, pic, false)
	if s.Kind == project.KindPrivate {
		return a.sendPrivate(ctx, s, blocks, text)
	}
	err = a.put(ctx, &s, blocks, text)
	if refusesBlocks(err) && len(c.Tasks) > 0 {
		blocks, text = draw(c, pic, true)
		err = a.put(ctx, &s, blocks, text)
	}
	if err == nil && old != "" {
		a.dropFile(ctx, old)
	}
	return s, err
}

// put posts a message that has no ts yet, looking for it first when an earlier try may have arrived, and edits it otherwise.
func (a *App) put(ctx context.Context, s *storage.Surface, blocks []slackgo.Block, text string) error {
	opts := []slackgo.MsgOption{
		slackgo.MsgOptionText(text, false), slackgo.MsgOptionBlocks(blocks...), slackgo.MsgOptionDisableLinkUnfurl(), slackgo.MsgOptionDisableMediaUnfurl(),
		slackgo.MsgOptionMetadata(slackgo.SlackMetadata{EventType: eventType, EventPayload: map[string]any{"key": s.ID}}),
	}
	if s.TS == "" {
		ts, err := a.find(ctx, s)
		if err != nil {
			return err
		}
		s.TS = ts
	}
	if s.TS != "" {
		_, _, _, err := a.api.UpdateMessageContext(ctx, s.Channel, s.TS, opts...)
		return err
	}
	if s.Thread != "" {
		opts = append(opts, slackgo.MsgOptionTS(s.Thread))
	}
	channel, ts, err := a.api.PostMessageContext(ctx, s.Channel, opts...)
	if err != nil {
		return err
	}
	s.Channel, s.TS = channel, ts
	return nil
}

// find looks for a message whose post may have arrived although its answer was lost, in this process or an earlier one.
func (a *App) find(ctx context.Context, s *storage.Surface) (string, error) {
	if s.Tries == 0 {
		return "", nil
	}
	return a.search(ctx, s.Channel, s.Thread, s.ID, s.Created)
}

// searchPages bounds a search: a message that may have been posted before is among the newest of its channel.
const searchPages = 5

// search finds a message of ours by its client key; "" when there is none.
func (a *App) search(ctx context.Context, channel, thread, key string, since time.Time) (string, error) {
	return a.lookUp(ctx, channel, thread, since, func(m slackgo.Message) bool {
		return m.Metadata.EventType == eventType && m.Metadata.EventPayload["key"] == key
	})
}

// lookUp finds a message among the newest of a thread or channel; "" when there is none.
func (a *App) lookUp(ctx context.Context, channel, thread string, since time.Time, is func(slackgo.Message) bool) (string, error) {
	found := func(page []slackgo.Message) string {
		if i := slices.IndexFunc(page, is); i >= 0 {
			return page[i].Timestamp
		}
		return ""
	}
	oldest := fmt.Sprintf("%d.000000", min(since.Unix(), time.Now().Unix())-60) // the row's clock may be ahead of Slack's
	if thread != "" {
		q := &slackgo.GetConversationRepliesParameters{ChannelID: channel, Timestamp: thread, Oldest: oldest, Limit: 200, IncludeAllMetadata: true}
		for range searchPages {
			page, more, next, err := a.api.GetConversationRepliesContext(ctx, q)
			if err != nil {
				return "", fmt.Errorf("look for an earlier post: %w", err)
			}
			if ts := found(page); ts != "" || !more {
				return ts, nil
			}
			q.Cursor = next
		}
		return "", nil
	}
	q := &slackgo.GetConversationHistoryParameters{ChannelID: channel, Oldest: oldest, Limit: 200, IncludeAllMetadata: true}
	for range searchPages {
		page, err := a.api.GetConversationHistoryContext(ctx, q)
		if err != nil {
			return "", fmt.Errorf("look for an earlier post: %w", err)
		}
		if ts := found(page.Messages); ts != "" || !page.HasMore {
			return ts, nil
		}
		q.Cursor = page.ResponseMetaData.NextCursor
	}
	return "", nil
}

// replyAge is how long an answer address works.
const replyAge = 25 * time.Minute

// sendPrivate shows a line to one person: at the address that came with their command or click, else as an ephemeral message,
// else in a DM.
func (a *App) sendPrivate(ctx context.Context, s storage.Surface, blocks []slackgo.Block, text string) (storage.Surface, error) {
	body, err := privateBody(s)
	if err != nil {
		return s, err
	}
	opts := []slackgo.MsgOption{slackgo.MsgOptionText(text, false), slackgo.MsgOptionBlocks(blocks...)}
	if body.Reply != "" && time.Since(s.Created) < replyAge {
		reply := opts
		if s.Thread != "" {
			reply = append(reply, slackgo.MsgOptionTS(s.Thread))
		}
		_, _, err := a.api.PostMessageContext(ctx, s.Channel, append(reply, slackgo.MsgOptionResponseURL(body.Reply, slackgo.ResponseTypeEphemeral))...)
		if err == nil {
			s.TS = "sent"
			return s, nil
		}
		a.log.Info("an answer address did not work; sending another way", "error", err)
	}
	if s.Thread != "" {
		opts = append(opts, slackgo.MsgOptionTS(s.Thread))
	}
	ts, err := a.api.PostEphemeralContext(ctx, s.Channel, s.User, opts...)
	if err != nil && notThere(err) {
		var dm *slackgo.Channel
		if dm, _, _, err = a.api.OpenConversationContext(ctx, &slackgo.OpenConversationParameters{Users: []string{s.User}}); err == nil {
			_, ts, err = a.api.PostMessageContext(ctx, dm.ID, slackgo.MsgOptionText(text, false), slackgo.MsgOptionBlocks(blocks...))
		}
	}
	if err == nil {
		s.TS = ts
	}
	return s, err
}

// notThere says that the bot or the person is not in the channel.
func notThere(err error) bool {
	switch err.Error() {
	case "not_in_channel", "channel_not_found", "user_not_in_channel":
		return true
	}
	return false
}

func refusesBlocks(err error) bool {
	return err != nil && strings.HasPrefix(err.Error(), "invalid_blocks")
}

// permanent errors of Slack: the same call will never work.
var permanent = []string{
	"channel_not_found", "not_in_channel", "is_archived", "message_not_found", "cant_update_message", "edit_window_closed", "msg_too_long",
	"invalid_blocks", "no_text", "user_not_in_channel", "restricted_action", "invalid_auth", "account_inactive", "token_revoked",
}

// classify sorts an error of Slack into try again, try later, never.
func (a *App) classify(err error) error {
	var limited *slackgo.RateLimitedError
	var netErr net.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &limited):
		a.budget.pause(limited.RetryAfter)
		return &project.RetryError{After: limited.RetryAfter, Err: err}
	case errors.As(err, &netErr):
		return err
	}
	for _, p := range permanent {
		if strings.Contains(err.Error(), p) {
			return &project.PermanentError{Err: err}
		}
	}
	return err
}
