package bot

import (
	"context"

	"sluice/bot/request"
	"sluice/engine/flow"
	"sluice/storage"
)

// proposeWritten shows a flow that is written already as a draft, without asking whether it changes anything.
func (b *Bot) proposeWritten(ctx context.Context, in request.Incoming, f *flow.Flow, from origin) error {
	newest, err := b.newestDraft(ctx, in)
	if err != nil {
		return err
	}
	w, err := b.review(ctx, in, f, nil)
	if err != nil {
		return err
	}
	batch := &storage.Batch{}
	if _, err := b.addWritten(ctx, in, w, from, newest, batch); err != nil {
		return err
	}
	return b.Replies.Write(ctx, in, batch)
}
