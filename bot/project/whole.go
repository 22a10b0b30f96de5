package project

import (
	"context"
	"encoding/json"
	"slices"

	"sluice/bot/card"
	"sluice/bot/surface"
	"sluice/storage"
)

// noteShown stores on a gate's row the hash of its sent message.
func (d *delivery) noteShown(c card.Card) {
	if !slices.Contains([]string{surface.KindGate, surface.KindTurn, surface.KindCopy}, d.s.Kind) {
		return
	}
	if !d.Fits(c) {
		c.Shows = ""
	}
	surface.NoteShown(&d.s, c.Shows)
}

// wholeSettled makes a card stale when the file that it waits for was posted or refused.
func (p *Projector) wholeSettled(ctx context.Context, s *storage.Surface, _ Outcome) error {
	var b surface.FileBody
	if err := json.Unmarshal(s.Body, &b); err != nil {
		return err
	}
	ref := surface.GateRef(b.Gate)
	if b.Draft != "" {
		ref = surface.DraftRef(b.Draft)
	}
	if err := p.Engine.Store().SaveSurface(ctx, *s); err != nil { // the card must find it posted
		return err
	}
	defer p.Wake()
	return p.Engine.Store().Write(ctx, &storage.Batch{Stale: []string{ref}})
}
