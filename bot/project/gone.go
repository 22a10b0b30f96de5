package project

import (
	"context"
	"errors"
	"fmt"

	"sluice/bot/card"
	"sluice/bot/surface"
	"sluice/engine/gate"
	"sluice/storage"
)

// questionsMost is how many open questions are looked at when a channel or a person is gone; reminders find the others.
const questionsMost = 1000

// Unreachable is called when messages of a channel may not be accepted any more: it was archived, or the bot was removed from it. One open
// question of each person is shown there once more. If Slack refuses that, the person who asked is told.
func (p *Projector) Unreachable(ctx context.Context, channel string) error {
	seen := map[string]bool{}
	return p.questions(ctx, func(g storage.Gate) error {
		s, err := p.Engine.Store().Surface(ctx, "gate-"+g.ID)
		if err != nil || s.Channel != channel || s.TS == "" {
			return storage.IgnoreMissing(err)
		}
		a, err := p.subject(ctx, s)
		if err != nil || seen[a.owner] {
			return err
		}
		seen[a.owner] = true
		defer p.Wake()
		return p.Engine.Store().MarkSurface(ctx, s.ID, "")
	})
}

// PeopleLeft is called when an account was deactivated, or people left a group. The person who asked a question that nobody may answer any more
// is told; if that person has left, admins are told. left is "" for a group.
func (p *Projector) PeopleLeft(ctx context.Context, left string) error {
	return p.questions(ctx, func(g storage.Gate) error {
		row, err := p.Engine.Store().Run(ctx, g.Run)
		if err != nil {
			return storage.IgnoreMissing(err)
		}
		b, err := gate.Decode(g)
		if err != nil {
			return err
		}
		why, err := p.engine.Unanswerable(ctx, row, b)
		if err != nil || why == "" {
			return err
		}
		a, err := p.subject(ctx, storage.Surface{Kind: surface.KindGate, Ref: surface.GateRef(g.ID)})
		if err != nil {
			return err
		}
		if a.owner == left {
			a.owner = ""
		}
		const text = ":warning: About %s: %s. It stays open: a person who comes back may answer it, and `%s cancel %s` ends the run."
		id := fmt.Sprintf("nobody-%s-%s", g.ID, p.Engine.Now().Format("2006-01-02"))
		return p.tell(ctx, id, a.owner, card.Textf(text, a.what, why, p.Command, a.run))
	})
}

// questions calls a function for each open question. An error about one does not stop the others.
func (p *Projector) questions(ctx context.Context, look func(storage.Gate) error) error {
	open, err := p.Engine.Store().Gates(ctx, storage.GateQuery{Open: true, Limit: questionsMost})
	for _, g := range open {
		err = errors.Join(err, look(g))
	}
	return err
}
