package bot

import (
	"context"

	"sluice/bot/project"
	"sluice/engine/flow"
	"sluice/engine/planner/tree"
	"sluice/storage"
)

// proposeWritten shows a flow that is written already as a draft, without asking whether it changes anything. prev is the draft that it
// replaces, or nil.
func (b *Bot) proposeWritten(ctx context.Context, in Incoming, f *flow.Flow, body project.DraftBody, prev *storage.Draft, notes ...tree.Note) error {
	newest, err := b.newestDraft(ctx, in)
	if err != nil {
		return err
	}
	w, err := b.review(ctx, in, f, nil)
	if err != nil {
		return err
	}
	w.proposal.Notes = append(w.proposal.Notes, notes...)
	batch := &storage.Batch{}
	if _, err := b.addWritten(ctx, in, w, body, prev, newest, batch); err != nil {
		return err
	}
	return b.write(ctx, in, batch)
}
