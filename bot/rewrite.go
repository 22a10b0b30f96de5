package bot

import (
	"context"

	"sluice/bot/card"
	"sluice/bot/project"
	"sluice/engine"
	"sluice/engine/flow"
	"sluice/storage"
)

// proposeWritten shows a flow that is written already as a draft, without asking whether it changes anything.
func (b *Bot) proposeWritten(ctx context.Context, in Incoming, f *flow.Flow, body project.DraftBody, prev *storage.Draft) error {
	newest, err := b.newestDraft(ctx, in)
	if err != nil {
		return err
	}
	w, err := b.review(ctx, in, f, nil)
	if err != nil {
		return err
	}
	batch := &storage.Batch{}
	if _, err := b.addWritten(in, w, body, prev, newest, batch); err != nil {
		return err
	}
	return b.write(ctx, in, batch)
}

// editWritten changes a draft that came from a file. What words cannot say of it stays as it is.
func (b *Bot) editWritten(_ context.Context, _ Incoming, _ storage.Draft, _ *flow.Flow, _ string) (bool, error) {
	return false, nil
}

func noEditOfFile(text string) error {
	return &engine.UserError{
		Code: "no_edit", Text: "I cannot read this as a change of the draft: “" + card.Escape(text) + "”.",
		Hint: "The draft came from a file: change the file and drop it into this thread.",
	}
}
