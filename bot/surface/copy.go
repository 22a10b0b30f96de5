package surface

import (
	"context"
	"errors"
	"slices"

	"sluice/bot/card"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/people"
	"sluice/storage"
)

// CopyCard is a question for a person who does not see its thread, or who looks at their Home. It shows the question and nothing else of the run: no
// picture.
func (cs *Cards) CopyCard(ctx context.Context, s storage.Surface) (card.Card, error) {
	g, b, err := cs.gate(ctx, RefID(s.Ref))
	if err != nil {
		return card.Card{}, err
	}
	v, err := cs.Engine.View(ctx, g.Run)
	if err != nil {
		return card.Card{}, err
	}
	if reads, err := cs.reads(ctx, v.Run, g, b, s); err != nil {
		return card.Card{}, err
	} else if !reads {
		return cs.closedCopy(ctx, v.Run, g, b, s)
	}
	if g.Status != "open" {
		return cs.decided(v, g, b), nil
	}
	c := cs.Asked(v, g, b)
	err = cs.openGate(ctx, &c, v, g, b, storage.Surface{ID: s.ID, Kind: s.Kind, Channel: s.Channel, User: s.User})
	if s.Kind == KindHome {
		return c, err
	}
	c.Context = append(c.Context, card.Textf("Asked for by %s.", Person(v.Run.By)))
	return c, err
}

// NudgeCard is the reminder beside a copy.
func (cs *Cards) NudgeCard(ctx context.Context, s storage.Surface) (card.Card, error) {
	g, b, err := cs.gate(ctx, RefID(s.Ref))
	if err != nil {
		return card.Card{}, err
	}
	r, err := cs.Engine.Store().Run(ctx, g.Run)
	if err != nil {
		return card.Card{}, err
	}
	if reads, err := cs.reads(ctx, r, g, b, s); err != nil {
		return card.Card{}, err
	} else if !reads {
		return cs.closedCopy(ctx, r, g, b, s)
	}
	i := slices.IndexFunc(b.Asks, func(a gate.Ask) bool { return s.ID == AskID(g.ID, a.User) })
	if i >= 0 && g.Status == gate.Open {
		what, err := cs.inShort(ctx, r, g, b)
		return card.Card{Text: card.Textf(":wave: %s asks you to answer: %s", card.User(b.Asks[i].By), what)}, err
	}
	return cs.remind(ctx, g, b)
}

// reads reports whether the readers of a copy may see its question: its person, while they may answer it; in a channel, all members.
func (cs *Cards) reads(ctx context.Context, r storage.Run, g storage.Gate, b gate.Body, s storage.Surface) (bool, error) {
	if s.User == "" {
		return cs.Engine.AllMayRead(ctx, r, b, s.Channel)
	}
	err := cs.Engine.MayAnswer(ctx, g, history.Actor{User: s.User})
	if _, no := errors.AsType[*people.NotAllowedError](err); no {
		return false, nil
	}
	return err == nil, err
}

// closedCopy is the card of a copy that some of its readers may not read.
func (cs *Cards) closedCopy(ctx context.Context, r storage.Run, g storage.Gate, b gate.Body, s storage.Surface) (card.Card, error) {
	switch {
	case s.User != "":
		return card.Card{Text: card.Textf("A question of *%s* was asked here. It is not yours to answer any more.", r.Name)}, nil
	case g.Status != "open":
		return card.Card{Text: card.Textf("A question of *%s* was asked here. It is answered.", r.Name)}, nil
	}
	asked, _, err := cs.Engine.Deciders(ctx, r, b)
	if err != nil {
		return card.Card{}, err
	}
	const text = ":raised_hand: A question of *%s* waits for %s since %s. Not everybody here may see it: `%s approvals` shows it, with its buttons, to those who may answer."
	return card.Card{Text: card.Textf(text, r.Name, Who(asked, true), card.Date(g.Opened), cs.Command)}, nil
}
