package surface

import (
	"context"
	"strings"

	"sluice/bot/card"
	"sluice/bot/draft"
)

// Plainly is a card without anything that is drawn: its words and its buttons.
func Plainly(c card.Card) card.Card {
	out := card.Card{Page: c.Page, Text: c.Text, Buttons: c.Buttons, Context: c.Context, File: c.File, Message: c.Message, Shows: c.Shows}
	if c.Title != "" {
		out.Text = card.Textf("%s\n%s", c.Title, c.Text)
	}
	out.Sections = c.Sections
	for _, w := range c.Warnings {
		out.Sections = append(out.Sections, card.Section{Text: card.Textf("Note: %s", w)})
	}
	for _, t := range c.Tasks {
		out.Context = append(out.Context, card.Textf("%s: %s", t.Title, t.Status))
	}
	return out
}

var bareNote = card.Textf("This message cannot be shown the way it should look.")

// BareGate is a question made from its stored row, without reading its run. It has buttons only if the row holds everything that is shown.
func (cs *Cards) BareGate(ctx context.Context, id string) (card.Card, error) {
	g, b, err := cs.gate(ctx, id)
	if err != nil {
		return card.Card{}, err
	}
	c := card.Card{Text: card.Textf(":raised_hand: %s", card.QuoteText(asked(b))), Context: []card.Text{bareNote}}
	for _, s := range b.Opened.Show {
		c.Sections = append(c.Sections, card.Section{Title: s.Name, Text: shown(s)})
	}
	if e := b.Opened.Error; e != nil {
		c.Sections = append(c.Sections, card.Section{Title: "What happened", Text: card.Plain(e.Message)})
	}
	if g.Status != "open" {
		c.Sections = append(c.Sections, card.Section{Text: outcome(g, b)})
		return c, nil
	}
	if len(b.Opened.Choices) == 0 {
		c.Sections = append(c.Sections, card.Section{Text: HowToAnswer(cs.Name, b)})
	}
	c.Buttons, c.Shows = GateButtons(g.ID, b.Opened, ""), b.Opened.Shown()
	if b.Opened.Error != nil || !cs.Fits(c) {
		c = beginnings(c)
		c.Buttons, c.Shows = nil, ""
		c.Sections = append(c.Sections, card.Section{Text: card.Textf("Not all of this can be shown at present, so that nobody can decide on it here.")})
	}
	return c, nil
}

// BareStatus is the state of a run, made from its row alone.
func (cs *Cards) BareStatus(ctx context.Context, id string) (card.Card, error) {
	r, err := cs.Engine.Store().Run(ctx, id)
	if err != nil {
		return card.Card{}, err
	}
	_, standing := Standing(r)
	text := card.Textf("*%s*: %s, asked for by %s, %s", r.Title, strings.ToLower(standing), Person(r.By), card.Date(r.Started))
	return card.Card{Text: text, Context: []card.Text{card.Textf("%s · %s", r.Name, bareNote)}}, nil
}

// BareDraft names a draft that cannot be shown. A draft that is not shown cannot be approved.
func (cs *Cards) BareDraft(ctx context.Context, id string) (card.Card, error) {
	d, err := cs.Engine.Store().Draft(ctx, id)
	if err != nil {
		return card.Card{}, err
	}
	if d.Status == draft.Drafting {
		return draftingCard(d)
	}
	c := card.Card{Text: card.Textf("*%s* cannot be shown, so it cannot be approved here. Change it, or discard it.", draft.Title(d)), Context: []card.Text{bareNote}}
	if d.Status == draft.Open {
		c.Buttons = []card.Button{{Action: "draft.discard", Label: "Discard", Value: draft.Value(d)}}
	}
	return c, nil
}
