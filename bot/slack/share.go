package slack

import (
	"context"
	"slices"

	slackgo "github.com/slack-go/slack"

	"sluice/bot/card"
	"sluice/storage"
)

// share shows a file in a conversation, with words beside it. A message that shows a file takes no metadata; it is known by the file's id,
// which is stored before the file is shown.
func (a *App) share(ctx context.Context, s storage.Surface, c card.Card) (storage.Surface, error) {
	if s.Tries > 0 {
		ts, err := a.sent.find(ctx, s.Channel, s.Thread, func(m slackgo.Message) bool {
			return slices.ContainsFunc(m.Files, func(f slackgo.File) bool { return f.ID == s.File })
		})
		if err != nil {
			return s, err
		}
		if ts != "" {
			s.TS = ts
			return s, nil
		}
	}
	if err := a.budget.take(ctx, callOf(s)); err != nil {
		return s, err
	}
	words, _ := c.Text.Mrkdwn()
	_, err := a.api.CompleteUploadExternalContext(ctx, slackgo.CompleteUploadExternalParameters{
		Files:   []slackgo.FileSummary{{ID: s.File, Title: c.File.Name}},
		Channel: s.Channel, ThreadTimestamp: s.Thread, InitialComment: words,
	})
	if hasCode(err, "file_not_found", "file_deleted") {
		s.File = "" // what was uploaded is gone: it is uploaded again
	}
	if err != nil {
		return s, called(methodShare, err)
	}
	s.TS = "sent"
	return s, nil
}
