package project

import (
	"context"

	"sluice/bot/draft"
	"sluice/bot/surface"
	"sluice/engine/history"
	"sluice/storage"
)

func openQuestion(p *Projector, ctx context.Context, s storage.Surface) bool {
	g, err := p.Engine.Store().Gate(ctx, surface.RefID(s.Ref))
	return err == nil && g.Status == "open"
}

func finalRun(p *Projector, ctx context.Context, s storage.Surface) bool { return !liveRun(p, ctx, s) }

func openDraft(p *Projector, ctx context.Context, s storage.Surface) bool {
	d, err := p.Engine.Store().Draft(ctx, surface.RefID(s.Ref))
	return err == nil && d.Status == draft.Open
}

// runOfGate names the card that links to a question: the status card of its run.
func runOfGate(p *Projector, ctx context.Context, s storage.Surface) (string, error) {
	g, err := p.Engine.Store().Gate(ctx, surface.RefID(s.Ref))
	return surface.RunRef(g.Run), err
}

func liveRun(p *Projector, ctx context.Context, s storage.Surface) bool {
	r, err := p.Engine.Store().Run(ctx, surface.RefID(s.Ref))
	return err == nil && !history.Status(r.Status).Final()
}
