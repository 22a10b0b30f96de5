package operate

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/storage"
)

// runsPage is how many runs one answer lists.
const runsPage = 20

// listing is a part of the list of runs that somebody asks for.
type listing struct {
	command string // without the place in the list
	query   storage.RunQuery
	page    int // by number; 0 = by the run at its edge
}

// Runs lists those that a person may read, the newest first: of a flow, and with a given outcome, when one is named. Pages hang on runs, so that
// new ones move nothing: "runs before=refund-217" goes on with those older than that one, "after=" with newer ones.
func (ls *Lists) Runs(ctx context.Context, in request.Incoming, c request.Command) error {
	l, err := ls.listing(ctx, in, c)
	if err != nil {
		return err
	}
	rows, err := ls.Store.Runs(ctx, l.query)
	if err != nil {
		return err
	}
	if len(rows) == 0 && l.query.After != nil { // there is no newer run
		l.query.After, l.page = nil, 1
		if rows, err = ls.Store.Runs(ctx, l.query); err != nil {
			return err
		}
	}
	if len(rows) == 0 && l.page == 1 {
		return ls.Replies.SayText(ctx, in, ls.noRuns(l.query))
	}
	more := len(rows) > runsPage
	if more && l.query.After != nil {
		rows = rows[1:]
	} else if more {
		rows = rows[:runsPage]
	}
	out := card.Card{Title: "Runs"}
	var lines []card.Text
	for _, r := range rows {
		lines = append(lines, runLine(r))
	}
	out.Text = card.Join("\n", lines...)
	ls.turns(&out, l, rows, more)
	return ls.Replies.Say(ctx, in, out)
}

func runLine(r storage.Run) card.Text {
	mark, _ := surface.Standing(r)
	title := card.Textf("*%s*", r.Name)
	if r.Title != r.Name {
		title = card.Textf("%s  %s", title, card.Shorten(r.Title, 60))
	}
	return card.Textf("%s %s: %s, asked for by %s, %s", mark, title, standing(r), surface.Person(r.By), card.Date(r.Started))
}

func (ls *Lists) noRuns(q storage.RunQuery) card.Text {
	switch {
	case q.Outcome != "":
		return card.Textf("No run that you may see has this outcome.")
	case q.Live:
		return card.Textf("Nothing is running that you may see. `%s runs` shows what has run, and `%s runs failed` what waits for somebody to mend it.", ls.Replies.Command, ls.Replies.Command)
	}
	return card.Textf("There are no runs yet. `%s list` shows your flows.", ls.Replies.Command)
}

// listing reads the flow, the outcome and the place in the list from a command.
func (ls *Lists) listing(ctx context.Context, in request.Incoming, c request.Command) (l listing, err error) {
	l.page = 1
	if last := len(c.Args) - 1; last >= 0 {
		if n, err := strconv.Atoi(c.Args[last]); err == nil && n > 0 {
			l.page, c.Args = n, c.Args[:last]
		}
	}
	l.command = strings.Join(append([]string{"runs"}, c.Args...), " ")
	l.query = storage.RunQuery{By: in.User, Limit: runsPage + 1, Skip: (l.page - 1) * runsPage} // one more tells whether there is another page
	for name, edge := range map[string]**storage.Run{"before": &l.query.Before, "after": &l.query.After} {
		if v, ok := c.Pairs[name]; ok {
			r, err := ls.Access.Run(ctx, in, fmt.Sprint(v))
			if err != nil {
				return l, err
			}
			*edge, l.page = &r, 0
		}
	}
	for i, word := range c.Args {
		if strings.EqualFold(word, running) && i == len(c.Args)-1 {
			l.query.Live, c.Args = true, c.Args[:i]
			break
		}
		if o, ok := surface.OutcomeNamed(strings.Join(c.Args[i:], " ")); ok {
			l.query.Outcome, c.Args = string(o), c.Args[:i]
			break
		} else if i > 0 {
			return l, request.Unknown("outcome", word, outcomeNames(), "For example: `"+ls.Replies.Command+" runs "+c.Args[0]+" rejected`.")
		}
	}
	l.query.Flow, l.query.Top = c.Arg(0), c.Arg(0) == ""
	if name := c.Arg(0); name != "" {
		_, err = ls.Access.FlowEver(ctx, in, name)
		return l, err
	}
	flows, err := ls.Access.ReadableEver(ctx, in)
	l.query.Flows = request.NamesOf(flows)
	return l, err
}

// turns says which part of the list is shown, with buttons for those beside it.
func (ls *Lists) turns(out *card.Card, l listing, rows []storage.Run, more bool) {
	first := (l.page - 1) * runsPage
	switch {
	case len(rows) == 0:
		out.Context = []card.Text{card.Textf("There is no page %d. `%s %s` shows the newest.", max(l.page, 1), ls.Replies.Command, l.command)}
		return
	case more && l.page > 0:
		out.Context = []card.Text{card.Textf("%d to %d, the newest first. `%s %s %d` shows older ones.", first+1, first+runsPage, ls.Replies.Command, l.command, l.page+1)}
	case l.page == 0:
		out.Context = []card.Text{card.Textf("*%s* to *%s*, the newest first. `%s %s` shows the newest of all.", rows[0].Name, rows[len(rows)-1].Name, ls.Replies.Command, l.command)}
	}
	back := l.query.After != nil
	if l.page != 1 && (!back || more) {
		out.Buttons = append(out.Buttons, request.Turn("Newer", l.command+" after="+rows[0].Name))
	}
	if back || more {
		out.Buttons = append(out.Buttons, request.Turn("Older", l.command+" before="+rows[len(rows)-1].Name))
	}
}
