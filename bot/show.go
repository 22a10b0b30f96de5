package bot

import (
	"context"

	"sluice/bot/card"
	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/plan"
	"sluice/engine/tool"
	"sluice/storage"
)

// showRun answers privately with a run's picture and where it stands.
func (b *Bot) showRun(ctx context.Context, in Incoming, r storage.Run) error {
	c, err := b.Cards.ShowCard(ctx, r.ID)
	if err != nil {
		return err
	}
	return b.say(ctx, in, c)
}

// flowCard is a flow's newest revision.
func (b *Bot) flowCard(ctx context.Context, f storage.Flow) (card.Card, error) {
	rev, err := b.store.Revision(ctx, f.Name, f.Head)
	if err != nil {
		return card.Card{}, err
	}
	doc, err := flow.FromJSON(rev.Body)
	if err != nil {
		return card.Card{}, err
	}
	return b.Cards.FlowCard(ctx, f.Name, f.Head, plan.ReadBack(doc, b.Tools.All()))
}

// nearestName gives the nearest of some names, or "".
func nearestName(name string, names []string) string {
	if near := tool.Nearest(name, names, 1); len(near) == 1 {
		return near[0]
	}
	return ""
}

// reapprove shows an approved flow again as a draft, because something that it depends on has changed.
func (b *Bot) reapprove(ctx context.Context, in Incoming, c Command) error {
	f, err := b.flow(ctx, in.User, c.Arg(0))
	if err != nil {
		return err
	}
	rev, err := b.store.Revision(ctx, f.Name, f.Head)
	if err != nil {
		return err
	}
	if rev.Draft == "" {
		return &engine.UserError{Code: "no_draft", Text: "This revision was not made from a draft here.", Hint: "Draft it again: `/flow new " + f.Name + ": 1. ...`"}
	}
	d, err := b.store.Draft(ctx, rev.Draft)
	if err != nil {
		return err
	}
	return b.repeatDraft(ctx, in, d, f)
}
