package operate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine/history"
	"sluice/engine/trigger"
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
		lines = append(lines, line)
	}
	out := card.Card{Title: "Your flows"}
	out.Text, out.Context = ls.Replies.Paged(lines, page, "list")
	if h, ok := held[""]; ok {
		out.Warnings = []card.Text{card.Textf("Everything is paused %s.", h)}
	}
	return ls.Replies.Say(ctx, in, out)
}

// running is the word for runs that are not over.
const running = "running"

// runsPage is how many runs one answer lists.
const runsPage = 20

// Runs lists those that a person may read, the newest first: of a flow, and with a given outcome, when one is named.
func (ls *Lists) Runs(ctx context.Context, in request.Incoming, c request.Command) error {
	page := 1
	if last := len(c.Args) - 1; last >= 0 {
		if n, err := strconv.Atoi(c.Args[last]); err == nil && n > 0 {
			page, c.Args = n, c.Args[:last]
		}
	}
	command := strings.Join(append([]string{"runs"}, c.Args...), " ")
	q := storage.RunQuery{By: in.User, Limit: runsPage + 1, Skip: (page - 1) * runsPage} // one more tells whether there is another page
	for i, word := range c.Args {
		if strings.EqualFold(word, running) && i == len(c.Args)-1 {
			q.Live, c.Args = true, c.Args[:i]
			break
		}
		if o, ok := surface.OutcomeNamed(strings.Join(c.Args[i:], " ")); ok {
			q.Outcome = string(o)
			c.Args = c.Args[:i]
			break
		} else if i > 0 {
			return request.Unknown("outcome", word, outcomeNames(), "For example: `"+ls.Replies.Command+" runs "+c.Args[0]+" rejected`.")
		}
	}
	q.Flow, q.Top = c.Arg(0), c.Arg(0) == ""
	if name := c.Arg(0); name != "" {
		if _, err := ls.Access.Flow(ctx, in, name); err != nil {
			return err
		}
	} else {
		flows, err := ls.Access.Readable(ctx, in)
		if err != nil {
			return err
		}
		q.Flows = []string{}
		for _, f := range flows {
			q.Flows = append(q.Flows, f.Name)
		}
	}
	rows, err := ls.Store.Runs(ctx, q)
	if err != nil {
		return err
	}
	if len(rows) == 0 && page == 1 && q.Outcome != "" {
		return ls.Replies.SayText(ctx, in, card.Textf("No run that you may see has this outcome."))
	}
	if len(rows) == 0 && page == 1 && q.Live {
		return ls.Replies.SayText(ctx, in, card.Textf("Nothing is running that you may see. `%s runs` shows what has run.", ls.Replies.Command))
	}
	if len(rows) == 0 && page == 1 {
		return ls.Replies.SayText(ctx, in, card.Textf("There are no runs yet. `%s list` shows your flows.", ls.Replies.Command))
	}
	out := card.Card{Title: "Runs"}
	var lines []card.Text
	for _, r := range rows[:min(runsPage, len(rows))] {
		mark, _ := surface.Standing(r)
		lines = append(lines, card.Textf("%s *%s*  %s: %s, asked for by %s, %s", mark, r.Name, card.Shorten(r.Title, 60), standing(r), surface.Person(r.By), card.Date(r.Started)))
	}
	out.Text = card.Join("\n", lines...)
	switch first := (page - 1) * runsPage; {
	case len(rows) > runsPage:
		out.Context = []card.Text{card.Textf("%d to %d, the newest first. `%s %s %d` shows older ones.", first+1, first+runsPage, ls.Replies.Command, command, page+1)}
	case len(rows) == 0:
		out.Context = []card.Text{card.Textf("There is no page %d. `%s %s` shows the newest.", page, ls.Replies.Command, command)}
	}
	return ls.Replies.Say(ctx, in, out)
}

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
		var word card.Text
		switch {
		case t.Revision != f.Head: // it does not count any more
			continue
		case t.Kind == trigger.Message:
			word = card.Textf("messages in %s", card.Channel(t.Subject))
		case t.Kind == trigger.Reaction:
			word = card.Emoji(t.Subject)
		case t.Kind == trigger.Webhook:
			word = card.Textf("the webhook `%s`", t.Subject)
		}
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
