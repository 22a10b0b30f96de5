package operate

import (
	"context"
	"errors"
	"slices"
	"time"

	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/planner/readback"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Show answers with a run, or with a flow's newest revision.
func (ls *Lists) Show(ctx context.Context, in request.Incoming, c request.Command) error {
	name, err := c.Name("Which run or flow?", "For example: `/flow show refund-1`.")
	if err != nil {
		return err
	}
	r, err := ls.Access.Run(ctx, in, name)
	var ue *usererror.Error
	if errors.As(err, &ue) {
		f, ferr := ls.Access.Flow(ctx, in, name)
		if errors.Is(ferr, storage.ErrRetired) {
			return ferr
		}
		if ferr != nil {
			return err
		}
		page, err := request.PageOf(c, 1, "show "+f.Name)
		if err != nil {
			return err
		}
		shown, err := ls.flowCard(ctx, f, page)
		if err != nil {
			return err
		}
		return ls.Replies.Say(ctx, in, shown)
	}
	if err != nil {
		return err
	}
	return ls.showRun(ctx, in, r)
}

// ShowClicked handles a button that names a run or a flow.
func (ls *Lists) ShowClicked(ctx context.Context, in request.Incoming) error {
	return ls.Show(ctx, in, request.Command{Args: []string{in.Value}})
}

// shownWithin is how long a second click on a run's button counts as the first one.
const shownWithin = 10 * time.Second

// showRun answers privately with a run's picture and status, once for a button that is clicked twice.
func (ls *Lists) showRun(ctx context.Context, in request.Incoming, r storage.Run) error {
	answer := ls.Replies.Private(in, card.Card{})
	if in.Kind == request.KindClick {
		answer.Ref = "shown:" + r.ID + ":" + in.User
		shown, err := ls.Store.SurfacesOf(ctx, answer.Ref)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(shown, func(s storage.Surface) bool { return answer.Created.Sub(s.Created) < shownWithin }) {
			return ls.Replies.Write(ctx, in, &storage.Batch{})
		}
	}
	c, err := ls.Cards.ShowCard(ctx, r.ID)
	if err != nil {
		return err
	}
	return ls.Replies.Keep(ctx, in, answer, surface.PrivateBody{Card: c})
}

// flowCard is a flow's newest revision, with a page of what it does.
func (ls *Lists) flowCard(ctx context.Context, f storage.Flow, page int) (card.Card, error) {
	doc, err := ls.head(ctx, f)
	if err != nil {
		return card.Card{}, err
	}
	numbers, err := ls.Cards.Numbers(ctx, doc, f.Head)
	if err != nil {
		return card.Card{}, err
	}
	var lines []card.Text
	for _, line := range surface.Steps(readback.Lines(doc, ls.Tools.All(), numbers)) {
		lines = append(lines, line.Pages(request.PageMost)...)
	}
	said, rest := ls.Replies.Paged(lines, page, "show "+f.Name)
	c, err := ls.Cards.FlowCard(ctx, f.Name, f.Head, said)
	c.Context = append(rest, c.Context...)
	return c, err
}
