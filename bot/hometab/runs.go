package hometab

import (
	"context"
	"errors"
	"slices"

	"sluice/bot/card"
	"sluice/bot/surface"
	"sluice/engine/history"
	"sluice/storage"
)

// asksMost is how many questions are read to fill the places of both parts.
const asksMost = 40

// questions are the part with the questions that wait for a person's answer, and the questions about failed steps.
func (h *Home) questions(ctx context.Context, v viewer) (waiting card.Part, failed []storage.Gate, err error) {
	w, err := h.Engine.WaitingFor(ctx, v.who, 0, asksMost)
	if err != nil {
		return waiting, nil, err
	}
	waiting.Title = "Waiting for you"
	shown := 0
	for _, g := range w.Gates {
		if failure(g) && len(failed) < failedMost {
			failed = append(failed, g)
			shown++
			continue
		}
		if len(waiting.Items) == waitingMost {
			continue
		}
		c, err := h.question(ctx, v, g)
		if err != nil {
			return waiting, nil, err
		}
		waiting.Items = append(waiting.Items, c)
		shown++
	}
	if left := w.All - shown; left > 0 {
		waiting.Items = append(waiting.Items, more(left, "question", listApprovals))
	}
	if w.Unsure > 0 {
		waiting.Items = append(waiting.Items, card.Item{Text: card.Textf("_Of %d more I cannot find out at the moment whether they wait for you._", w.Unsure)})
	}
	return waiting, failed, nil
}

func failure(g storage.Gate) bool {
	return g.Kind == string(history.GateFailure) || g.Kind == string(history.GateUnknown)
}

// question is the card of a question as its thread has it, or the way to it where it is too long.
func (h *Home) question(ctx context.Context, v viewer, g storage.Gate) (card.Item, error) {
	r, err := h.Store.Run(ctx, g.Run)
	if err != nil {
		return card.Item{}, err
	}
	where, err := h.thread(ctx, r)
	if err != nil {
		return card.Item{}, err
	}
	c, err := h.Cards.CopyCard(ctx, storage.Surface{ID: "home-" + v.who.User, Kind: surface.KindHome, Ref: surface.GateRef(g.ID), User: v.who.User})
	if err != nil {
		return card.Item{}, err
	}
	i := c.Item()
	i.Context = append(slices.Clone(i.Context), card.Textf("*%s* · since %s%s", r.Title, card.Date(g.Opened), where))
	if g.Kind == string(history.GateFailure) { // its words name the step alone
		i.Text = card.Textf("*%s*\n%s", card.Shorten(r.Title, 100), i.Text)
	}
	if h.Cards.Fits(page(part("", i))) {
		return i, nil
	}
	return card.Item{Text: card.Textf(":raised_hand: *%s* asks more than there is room for here, since %s: decide on its card.%s", r.Title, card.Date(g.Opened), where)}, nil
}

// thread leads to where a run lives; it begins with a dot, and is empty where no address is known.
func (h *Home) thread(ctx context.Context, r storage.Run) (card.Text, error) {
	root, err := surface.Root(ctx, h.Store, r.ID)
	if err != nil {
		return card.Text{}, err
	}
	at := storage.Surface{Channel: root.Channel, TS: root.Thread}
	if at.TS == "" {
		at, err = h.Store.Surface(ctx, "status-"+root.ID)
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			return card.Text{}, err
		}
	}
	if h.URL != nil && at.TS != "" {
		if address := h.URL(at.Channel, at.TS, at.Thread); address != "" {
			return card.Textf(" · %s", card.Link(address, "Open its thread")), nil
		}
	}
	return card.Text{}, nil
}

// failed describes a failed step, with buttons where the person may decide how the run goes on.
func (h *Home) failed(ctx context.Context, v viewer, mine []storage.Gate) (card.Part, error) {
	p := part("Failed")
	asked := map[string]bool{}
	for _, g := range mine {
		c, err := h.question(ctx, v, g)
		if err != nil {
			return p, err
		}
		p.Items, asked[g.Run] = append(p.Items, c), true
	}
	owned := []string{}
	for _, f := range v.flows {
		if f.Owner == v.who.User {
			owned = append(owned, f.Name)
		}
	}
	rows, err := h.Store.Runs(ctx, storage.RunQuery{Flows: owned, By: v.who.User, Outcome: string(history.OutcomeFailed), Limit: asksMost})
	if err != nil {
		return p, err
	}
	rows = slices.DeleteFunc(rows, func(r storage.Run) bool { return asked[r.ID] })
	for _, r := range rows[:min(len(rows), failedMost)] {
		c, err := h.run(ctx, r)
		if err != nil {
			return p, err
		}
		p.Items = append(p.Items, c)
	}
	if left := len(rows) - failedMost; left > 0 {
		p.Items = append(p.Items, more(left, "run", listFailed))
	}
	return p, nil
}

// runs are the runs that the person asked for: those that live, and the last that have ended.
func (h *Home) runs(ctx context.Context, v viewer) (card.Part, error) {
	p := part("Your runs")
	live, err := h.Store.Runs(ctx, storage.RunQuery{Flows: []string{}, By: v.who.User, Live: true, Top: true, Limit: runsMost})
	if err != nil {
		return p, err
	}
	all, err := h.Store.LiveRunsBy(ctx, v.who.User)
	if err != nil {
		return p, err
	}
	ended, err := h.Store.Runs(ctx, storage.RunQuery{Flows: []string{}, By: v.who.User, Top: true, Limit: runsMost + endedMost})
	if err != nil {
		return p, err
	}
	ended = slices.DeleteFunc(ended, func(r storage.Run) bool { return r.Ended.IsZero() || surface.Failed(r) })
	for _, r := range slices.Concat(live, ended[:min(len(ended), endedMost)]) {
		c, err := h.run(ctx, r)
		if err != nil {
			return p, err
		}
		p.Items = append(p.Items, c)
	}
	if left := all - len(live); left > 0 {
		p.Items = append(p.Items, more(left, "run", listRuns))
	} else if len(ended) > endedMost {
		p.Items = append(p.Items, card.Item{Text: card.Textf("_and others that have ended_"), Buttons: []card.Button{showAll(listRuns)}})
	}
	return p, nil
}

// run is a run in one line.
func (h *Home) run(ctx context.Context, r storage.Run) (card.Item, error) {
	where, err := h.thread(ctx, r)
	if err != nil {
		return card.Item{}, err
	}
	mark, word := surface.Standing(r)
	stands := card.Textf("%s since %s", word, card.Date(r.Started))
	if !r.Ended.IsZero() {
		stands = card.Textf("%s, %s", word, card.Date(r.Ended))
	}
	return card.Item{
		Text:    card.Textf("%s *%s*\n%s · `%s`%s", mark, card.Shorten(r.Title, 100), stands, r.Name, where),
		Buttons: []card.Button{{Action: "run.show", Label: "Show", Value: r.Name}},
	}, nil
}
