package operate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/history"
	"sluice/storage"
)

// Flows lists the flows that a person may read.
func (ls *Lists) Flows(ctx context.Context, in request.Incoming, c request.Command) error {
	page, err := request.PageOf(c, 0, "list")
	if err != nil {
		return err
	}
	flows, err := ls.Access.Readable(ctx, in)
	if err != nil {
		return err
	}
	if len(flows) == 0 {
		return ls.Replies.SayText(ctx, in, card.Textf("You have no flows yet. Draft one:\n%s", card.Block("@"+ls.Replies.Name+" new "+ls.Example())))
	}
	held, err := ls.held(ctx)
	if err != nil {
		return err
	}
	clocks, err := ls.Store.Schedules(ctx, "")
	if err != nil {
		return err
	}
	var lines []card.Text
	var names []string
	for _, f := range flows {
		where := card.Textf("in %s", card.Channel(f.Channel))
		if strings.HasPrefix(f.Channel, "D") {
			where = card.Textf("in your direct messages")
		}
		line := card.Textf("• *%s*  version %d, %s, owner %s", f.Name, f.Head, where, surface.Person(f.Owner))
		by, err := ls.startsBy(ctx, f, clocks)
		if err != nil {
			return err
		}
		if len(by) > 0 {
			line = card.Textf("%s, starts by %s", line, card.Join(", ", by...))
		}
		if h, ok := held[f.Name]; ok {
			line = card.Textf("%s, paused %s", line, h)
		}
		lines, names = append(lines, line), append(names, f.Name)
	}
	out := card.Card{Title: "Your flows"}
	ls.Replies.PagedNames(&out, lines, names, c, page, "list")
	if h, ok := held[""]; ok {
		out.Warnings = []card.Text{card.Textf("Everything is paused %s.", h)}
	}
	return ls.Replies.Say(ctx, in, out)
}

// running is the word for runs that are not over.
const running = "running"

func outcomeNames() []string {
	names := make([]string, len(history.Outcomes))
	for i, o := range history.Outcomes {
		names[i] = string(o)
	}
	return names
}

// startsBy says what starts a flow besides commands.
func (ls *Lists) startsBy(ctx context.Context, f storage.Flow, clocks []storage.Schedule) ([]card.Text, error) {
	var out []card.Text
	if slices.ContainsFunc(clocks, func(s storage.Schedule) bool { return s.Flow == f.Name && !s.Paused }) {
		out = append(out, card.Textf("the clock"))
	}
	rows, err := ls.Store.TriggersOf(ctx, f.Name)
	for _, t := range rows {
		if t.Revision != f.Head { // it does not count any more
			continue
		}
		word := request.StartedBy(t)
		if !slices.ContainsFunc(out, func(o card.Text) bool { return o.String() == word.String() }) {
			out = append(out, word)
		}
	}
	return out, err
}

// held says by whom each paused flow is paused; "" is everything.
func (ls *Lists) held(ctx context.Context) (map[string]card.Text, error) {
	rows, err := ls.Store.Pauses(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]card.Text{}
	for _, row := range rows {
		h := history.Hold{Scope: history.HoldRun, Reason: row.Reason}
		if err := json.Unmarshal(row.Actor, &h.By); err != nil {
			return nil, fmt.Errorf("read who paused %q: %w", row.Flow, err)
		}
		out[row.Flow] = surface.HeldBy([]history.Hold{h})
	}
	return out, nil
}
