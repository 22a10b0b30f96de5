package hometab

import (
	"context"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/bot/surface"
	"sluice/storage"
)

// next is what the clock starts next.
func (h *Home) next(ctx context.Context, v viewer) (card.Part, error) {
	p := part("Next")
	rows, err := h.Store.Schedules(ctx, "")
	if err != nil {
		return p, err
	}
	held, err := h.held(ctx)
	if err != nil {
		return p, err
	}
	rows = slices.DeleteFunc(rows, func(s storage.Schedule) bool {
		readable := slices.ContainsFunc(v.flows, func(f storage.Flow) bool { return f.Name == s.Flow })
		return !readable || s.Paused || s.Next.IsZero() || held[""] || held[s.Flow]
	})
	slices.SortFunc(rows, func(a, b storage.Schedule) int { return a.Next.Compare(b.Next) })
	var lines []card.Text
	for _, s := range rows[:min(len(rows), schedulesMost)] {
		lines = append(lines, card.Textf("• %s  *%s*", card.Date(s.Next), s.Flow))
	}
	if len(lines) > 0 {
		p.Items = []card.Item{{Text: card.Join("\n", lines...)}}
	}
	if left := len(rows) - schedulesMost; left > 0 {
		p.Items = append(p.Items, more(left, "schedule", listSchedules))
	}
	return p, nil
}

// held are the flows that are paused; "" = everything.
func (h *Home) held(ctx context.Context) (map[string]bool, error) {
	rows, err := h.Store.Pauses(ctx)
	out := map[string]bool{}
	for _, row := range rows {
		out[row.Flow] = true
	}
	return out, err
}

// ownFlows are the flows that the person may start, their own first.
func (h *Home) ownFlows(ctx context.Context, v viewer) (card.Part, error) {
	p := part("Your flows")
	held, err := h.held(ctx)
	if err != nil {
		return p, err
	}
	flows := slices.Clone(v.flows)
	slices.SortStableFunc(flows, func(a, b storage.Flow) int {
		switch mine := a.Owner == v.who.User; {
		case mine == (b.Owner == v.who.User):
			return 0
		case mine:
			return -1
		}
		return 1
	})
	for _, f := range flows[:min(len(flows), flowsMost)] {
		c, err := h.flow(ctx, f, held)
		if err != nil {
			return p, err
		}
		p.Items = append(p.Items, c)
	}
	if left := len(flows) - flowsMost; left > 0 {
		p.Items = append(p.Items, more(left, "flow", listFlows))
	}
	return p, nil
}

// flow is a flow with its buttons.
func (h *Home) flow(ctx context.Context, f storage.Flow, held map[string]bool) (card.Item, error) {
	doc, err := draft.Saved(ctx, h.Store, f.Name, f.Head)
	if err != nil {
		return card.Item{}, err
	}
	where := card.Textf("in %s", card.Channel(f.Channel))
	if strings.HasPrefix(f.Channel, "D") {
		where = card.Textf("in your direct messages")
	}
	text := card.Textf("*%s*  %s", f.Name, where)
	if doc.Description != "" {
		text = card.Textf("%s\n%s", text, card.OneLine(card.Shorten(doc.Description, 150)))
	}
	if held[""] || held[f.Name] {
		text = card.Textf("%s\n:double_vertical_bar: Paused: a run begins when it is resumed.", text)
	}
	run := surface.RunButton(doc)
	run.Style = card.Default
	return card.Item{Text: text, Buttons: []card.Button{run, {Action: "run.show", Label: "Show", Value: f.Name}}}, nil
}
