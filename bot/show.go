package bot

import (
	"context"

	"sluice/bot/card"
	"sluice/bot/project"
	"sluice/bot/request"
	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/planner/readback"
	"sluice/storage"
)

// showRun answers privately with a run's picture and where it stands.
func (b *Bot) showRun(ctx context.Context, in request.Incoming, r storage.Run) error {
	c, err := b.Cards.ShowCard(ctx, r.ID)
	if err != nil {
		return err
	}
	return b.Replies.Say(ctx, in, c)
}

// flowCard is a flow's newest revision, with a page of what it does.
func (b *Bot) flowCard(ctx context.Context, f storage.Flow, page int) (card.Card, error) {
	rev, err := b.store.Revision(ctx, f.Name, f.Head)
	if err != nil {
		return card.Card{}, err
	}
	doc, err := flow.FromJSON(rev.Body)
	if err != nil {
		return card.Card{}, err
	}
	numbers, err := b.Cards.Numbers(ctx, doc, f.Head)
	if err != nil {
		return card.Card{}, err
	}
	var lines []card.Text
	for _, line := range project.Steps(readback.Lines(doc, b.Tools.All(), numbers)) {
		lines = append(lines, line.Pages(request.PageMost)...)
	}
	said, rest := b.Replies.Paged(lines, page, "show "+f.Name)
	c, err := b.Cards.FlowCard(ctx, f.Name, f.Head, said)
	c.Context = append(rest, c.Context...)
	return c, err
}

// reapprove shows an approved flow again as a draft, because something that it depends on has changed.
func (b *Bot) reapprove(ctx context.Context, in request.Incoming, c request.Command) error {
	f, err := b.Access.Flow(ctx, in, c.Arg(0))
	if err != nil {
		return err
	}
	rev, err := b.store.Revision(ctx, f.Name, f.Head)
	if err != nil {
		return err
	}
	if rev.Draft == "" {
		return &engine.UserError{Code: "no_draft", Text: "This version was not made from a draft here.", Hint: "Draft it again: `/flow new " + f.Name + ": 1. ...`"}
	}
	d, err := b.store.Draft(ctx, rev.Draft)
	if err != nil {
		return err
	}
	return b.repeatDraft(ctx, in, d, f)
}
