package slack

import (
	"cmp"
	"context"

	slackgo "github.com/slack-go/slack"

	"sluice/bot/card"
	"sluice/bot/surface"
	"sluice/storage"
)

// mark puts an emoji on somebody's message in the place of the one before. The surface has no message of its own: its TS is the emoji
// that is there. A message that is gone or closed stays as it is: the mark says nothing that the run's own messages do not say.
func (a *App) mark(ctx context.Context, s storage.Surface, m card.Mark) (storage.Surface, error) {
	if err := a.budget.take(ctx, callOf(s)); err != nil {
		return s, err
	}
	before := cmp.Or(s.TS, m.Before)
	if before == "" && s.Tries > 0 { // an earlier try may have come so far
		before = surface.HeardMark
	}
	err := a.React(ctx, s.Channel, m.TS, m.Emoji)
	if err == nil && before != "" && before != m.Emoji {
		err = a.api.RemoveReactionContext(ctx, before, slackgo.NewRefToMessage(s.Channel, m.TS))
	}
	if err != nil && IsAway(err) {
		return s, called(methodReact, err)
	}
	if err != nil {
		a.log.Info("no mark", "channel", s.Channel, "error", err)
	}
	s.TS = m.Emoji
	return s, nil
}
