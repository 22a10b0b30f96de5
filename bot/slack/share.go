package slack

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	slackgo "github.com/slack-go/slack"

	"sluice/bot/card"
	"sluice/storage"
)

// share uploads a file into a conversation, with words beside it. A message that shows a file carries no key: one that may have arrived
// before is known by the file's name and the time.
func (a *App) share(ctx context.Context, s storage.Surface, c card.Card) (storage.Surface, error) {
	if s.Channel == "" {
		dm, _, _, err := a.api.OpenConversationContext(ctx, &slackgo.OpenConversationParameters{Users: []string{s.User}})
		if err != nil {
			return s, fmt.Errorf("open a direct message: %w", err)
		}
		s.Channel = dm.ID
	}
	if s.Tries > 0 {
		ts, err := a.lookUp(ctx, s.Channel, s.Thread, s.Created, func(m slackgo.Message) bool { return a.shows(m, c.File.Name, s.Created) })
		if err != nil || ts != "" {
			s.TS = ts
			return s, err
		}
	}
	if err := a.budget.wait(ctx, s.Channel, urgent(s)); err != nil {
		return s, err
	}
	up, err := a.api.UploadFileContext(ctx, slackgo.UploadFileParameters{
		Filename: c.File.Name, Title: c.File.Name, FileSize: len(c.File.Text), Reader: strings.NewReader(c.File.Text),
		InitialComment: c.Text, Channel: s.Channel, ThreadTimestamp: s.Thread,
	})
	if err != nil {
		return s, fmt.Errorf("upload %s: %w", c.File.Name, err)
	}
	s.TS, s.File = "sent", up.ID
	return s, nil
}

// shows says whether a message is this bot's and shows a file of a name that was uploaded since a time.
func (a *App) shows(m slackgo.Message, name string, since time.Time) bool {
	return m.User == a.botUser && slices.ContainsFunc(m.Files, func(f slackgo.File) bool {
		return f.Name == name && !f.Created.Time().Before(since.Truncate(time.Second))
	})
}
