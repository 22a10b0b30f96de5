package bot

import (
	"context"
	"errors"

	"sluice/bot/card"
	"sluice/bot/project"
	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/plan"
	"sluice/storage"
)

// proposeWritten shows a flow that is written already as a draft, without asking whether it changes anything. prev is the draft that it
// replaces, or nil.
func (b *Bot) proposeWritten(ctx context.Context, in Incoming, f *flow.Flow, body project.DraftBody, prev *storage.Draft, notes ...plan.Note) error {
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
	if _, err := b.addWritten(in, w, body, prev, newest, batch); err != nil {
		return err
	}
	return b.write(ctx, in, batch)
}

// editWritten treats words as an edit of a draft that came from a file. What they do not name stays as it is: triggers, forms, error
// routes and everything else that words cannot say. False: the words are no edit.
func (b *Bot) editWritten(ctx context.Context, in Incoming, d storage.Draft, doc *flow.Flow, file string) (bool, error) {
	next, words, notes, err := plan.Change(doc, saidBy(in), b.planOptions(ctx, in, nil))
	if errors.Is(err, plan.ErrNoChange) {
		return false, nil
	}
	if closed := editable(d); closed != nil {
		return true, closed
	}
	var why *plan.ChangeError
	if errors.As(err, &why) {
		return true, &engine.UserError{Code: "no_change", Text: card.Escape(why.Text), Hint: "*Edit as file* on the draft's card gives the file; change it there and drop it into this thread.", Err: err}
	}
	if err != nil {
		return true, err
	}
	b.heard(ctx, in)
	prev := &d
	if d.Status == project.DraftApproved {
		prev = nil // a new revision of the approved flow, discussed in the same thread
	}
	return true, b.proposeWritten(ctx, in, next, project.DraftBody{File: file, Edit: words}, prev, notes...)
}

// saidBy is what somebody wrote, with their name in the place of "me".
func saidBy(in Incoming) string {
	return plan.Outline{Lines: []plan.Line{{Number: 1, Text: in.Text}}}.Said("@" + in.Name).Lines[0].Text
}

func noEditOfFile(text string) error {
	return &engine.UserError{
		Code: "no_edit", Text: "I cannot read this as a change of the draft: “" + card.Escape(text) + "”.",
		Hint: "The draft came from a file. These words change it, everything else is changed in the file:\n```" + plan.ChangeForms + "```",
	}
}
