package gates

import (
	"context"
	"slices"

	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/engine/gate"
	"sluice/engine/view"
	"sluice/storage"
)

// approvalsPage is how many questions one answer shows: each with its buttons.
const approvalsPage = 6

// Approvals lists the open gates that wait for this person, the oldest first.
func (gs *Gates) Approvals(ctx context.Context, in request.Incoming, c request.Command) error {
	page, err := request.PageOf(c, 0, "approvals")
	if err != nil {
		return err
	}
	p, err := gs.Access.Who(ctx, in)
	if err != nil {
		return err
	}
	w, err := gs.Engine.WaitingFor(ctx, p, (page-1)*approvalsPage, approvalsPage)
	if err != nil {
		return err
	}
	out := card.Card{Title: "Waiting for you"}
	left := 0
	for _, g := range w.Gates {
		r, err := gs.Store.Run(ctx, g.Run)
		if err != nil {
			return err
		}
		body, err := gate.Decode(g)
		if err != nil {
			return err
		}
		v, err := gs.Engine.View(ctx, r.ID)
		if err != nil {
			return err
		}
		out, left = gs.listed(out, v, g, body, left)
	}
	if w.Unsure > 0 {
		out.Context = append(out.Context, card.Textf("Of %s more I cannot find out at the moment whether they wait for you.", request.Count(w.Unsure, "question")))
	}
	if len(out.Sections) == 0 && page == 1 && w.Unsure == 0 {
		return gs.Replies.SayText(ctx, in, card.Textf("Nothing waits for you."))
	}
	if left > 0 {
		out.Context = append(out.Context, card.Textf("%s more: answer some of these first, or look at their cards.", request.Count(left, "question")))
	}
	first := (page - 1) * approvalsPage
	out.Context = append(out.Context, gs.Replies.Rest("approvals", page, first, len(w.Gates), w.All)...)
	return gs.Replies.Say(ctx, in, out)
}

// listButtons is how many buttons a list of questions has.
const listButtons = 20

// listed adds a question to a list: whole and with its buttons where they fit, else with a link to its card.
func (gs *Gates) listed(c card.Card, v *view.View, g storage.Gate, body gate.Body, left int) (card.Card, int) {
	asked := gs.Cards.Asked(v, g, body)
	line := card.Textf("_%s, since %s_", v.Run.Name, card.Date(g.Opened))
	whole := c
	whole.Sections = append(slices.Clone(c.Sections), card.Section{Title: v.Run.Title, Text: asked.Text})
	whole.Sections = append(append(whole.Sections, asked.Sections...), card.Section{Text: line})
	whole.Buttons = append(slices.Clone(c.Buttons), gs.Cards.Choices(v, g, body, v.Run.Name)...)
	if len(whole.Buttons) <= listButtons && gs.Cards.Fits(whole) {
		return whole, left
	}
	short := c
	where := card.Textf("This list has no room for all that is asked: decide on its card in %s.", card.Channel(v.Run.Channel))
	short.Sections = append(slices.Clone(c.Sections), card.Section{Title: v.Run.Title, Text: card.Textf("%s\n%s", where, line)})
	if gs.Cards.Fits(short) {
		return short, left
	}
	return c, left + 1
}
