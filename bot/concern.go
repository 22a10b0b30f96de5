package bot

import (
	"context"
	"errors"

	"sluice/bot/request"
	"sluice/engine"
	"sluice/storage"
)

// Concerns says whether a message that was not said to the bot is part of its work: it stands in a thread of the bot's, or in a channel
// where messages start a flow. What is not is neither stored nor read.
func (b *Bot) Concerns(ctx context.Context, channel, thread string) (bool, error) {
	if thread != "" {
		return b.ownThread(ctx, channel, thread)
	}
	listening, err := b.store.Triggers(ctx, engine.TriggerMessage, channel)
	return len(listening) > 0, err
}

// ConcernsReaction says whether an emoji in a channel may start a flow.
func (b *Bot) ConcernsReaction(ctx context.Context, channel, emoji string) (bool, error) {
	rows, err := b.store.Triggers(ctx, engine.TriggerReaction, emoji)
	for _, t := range rows {
		if t.Channel == channel {
			return true, err
		}
	}
	return false, err
}

// ownThread says whether a draft or a run lives in a thread, or will once a delivery that is stored has been worked on.
func (b *Bot) ownThread(ctx context.Context, channel, thread string) (bool, error) {
	for _, find := range []func() error{
		func() error { _, err := b.store.DraftInThread(ctx, channel, thread); return err },
		func() error { _, err := b.store.SurfaceAt(ctx, channel, thread); return err },
		func() error {
			rows, err := b.store.Runs(ctx, storage.RunQuery{Channel: channel, Thread: thread, Limit: 1})
			if err == nil && len(rows) == 0 {
				return storage.ErrNotFound
			}
			return err
		},
		func() error {
			rows, err := b.store.PendingInThread(ctx, request.ThreadKey(channel, thread), 1)
			if err == nil && len(rows) == 0 {
				return storage.ErrNotFound
			}
			return err
		},
	} {
		if err := find(); !errors.Is(err, storage.ErrNotFound) {
			return err == nil, err
		}
	}
	return false, nil
}
