package bot

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"sluice/bot/card"
	"sluice/bot/project"
	"sluice/bot/request"
	"sluice/engine"
	"sluice/engine/authority"
	"sluice/engine/history"
	"sluice/storage"
)

// start handles "run refund order_id=A-1001". The pair anyway="reason" runs beside a run with the same key.
func (b *Bot) start(ctx context.Context, in request.Incoming, c request.Command) error {
	name := c.Arg(0)
	if name == "" {
		return &engine.UserError{Code: "no_name", Text: "Which flow?", Hint: "For example: `/flow run refund order_id=A-1001`. `/flow list` shows your flows."}
	}
	if extra := c.Args[1:]; len(extra) > 0 {
		return &engine.UserError{
			Code: "bad_inputs", Text: fmt.Sprintf("I cannot read %q: inputs are written name=value.", strings.Join(extra, " ")),
			Hint: `For example: order_id=A-1001 note="two words".`,
		}
	}
	reason := ""
	if r, ok := c.Pairs["anyway"]; ok {
		reason = fmt.Sprint(r)
		delete(c.Pairs, "anyway")
	}
	return b.startFlow(ctx, in, name, c.Pairs, reason)
}

func (b *Bot) startFlow(ctx context.Context, in request.Incoming, name string, inputs map[string]any, anyway string) error {
	f, err := b.Access.Flow(ctx, in, name)
	if err == nil {
		err = b.Access.May(ctx, in, authority.Start, engine.AboutFlow(f))
	}
	if err != nil {
		return err
	}
	s, err := b.Engine.Start(ctx, engine.StartRequest{
		Flow: name, Inputs: inputs, Actor: in.Actor(), Channel: f.Channel, Anyway: anyway, Event: b.event(in),
		Add: func(batch *storage.Batch) { batch.InboxDone = append(batch.InboxDone, in.Inbox) },
		Surfaces: func(r storage.Run) []storage.Surface {
			if in.Channel == f.Channel || r.Status == string(history.Paused) {
				return nil
			}
			return []storage.Surface{b.Replies.Private(in, card.Card{Text: card.Textf("*%s* started in %s.", r.Name, card.Channel(f.Channel))})}
		},
	})
	if err != nil {
		return err
	}
	if s.Duplicate {
		return b.Replies.Say(ctx, in, b.duplicate(s.Run, in, inputs))
	}
	if s.Behind != "" {
		return b.Replies.After(ctx, in, b.queued(s))
	}
	b.Wake()
	return nil
}

func (b *Bot) event(in request.Incoming) map[string]any {
	kind := map[request.Kind]string{request.KindCommand: "command", request.KindMention: "mention", request.KindClick: "button", request.KindMessage: "message"}[in.Kind]
	return map[string]any{"type": kind, "payload": map[string]any{"message": in.Text, "from": in.User, "channel": in.Channel, "thread": in.Thread}}
}

// duplicate shows the run that holds the key, who started it, and how to run anyway.
func (b *Bot) duplicate(r storage.Run, in request.Incoming, inputs map[string]any) card.Card {
	reason := card.Textf("With a reason of your own: `%s run %s … anyway=\"why\"`", b.Command, r.Flow)
	if r.Title == "" { // only its trail is left: there is nothing to show or to repeat
		return card.Card{
			Text: card.Textf("Nothing was started: *%s* was the same thing, asked for by %s, %s. It ended %s and has been removed since.",
				r.Name, project.Person(r.By), card.Date(r.Started), card.Date(r.Ended)),
			Context: []card.Text{reason},
		}
	}
	return card.Card{
		Text: card.Textf("Nothing was started: *%s* is the same thing (%s), asked for by %s, %s. It is %s.",
			r.Title, r.Key, project.Person(r.By), card.Date(r.Started), standing(r)),
		Buttons: []card.Button{
			{Action: "run.show", Label: "Show " + r.Name, Value: r.Name},
			{
				Action: "run.anyway", Label: "Run anyway", Value: r.ID, Style: card.Danger,
				Confirm: &card.Confirm{Title: "Run it again?", Text: r.Name + " has run for the same thing. What it did may happen a second time. Your name is recorded.", Yes: "Run anyway", No: "Do not run"},
			},
		},
		Context: []card.Text{reason},
	}
}

func standing(r storage.Run) string {
	_, word := project.Standing(r)
	return strings.ToLower(word)
}

// queued says which run a new one waits for.
func (b *Bot) queued(s engine.Started) card.Text {
	return card.Textf("*%s* is queued behind *%s*, which is for the same thing (%s). It goes on by itself when that one is over; `%s show %s` shows it.",
		s.Run.Name, s.Behind, s.Run.Key, b.Command, s.Run.Name)
}

// goAhead lets a queued run go on, on a person's confirmed word.
func (b *Bot) goAhead(ctx context.Context, in request.Incoming) error {
	r, err := b.Access.ClickedRun(ctx, in)
	if err != nil {
		return err
	}
	if err := b.operates(ctx, in, r); err != nil {
		return err
	}
	left, err := b.Engine.RunAnyway(ctx, r.ID, in.Actor(), "confirmed", in.Inbox)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return b.Replies.After(ctx, in, card.Textf("*%s* is still paused %s.", r.Name, project.HeldBy(left)))
	}
	b.Wake()
	return nil
}

// startAnyway repeats a run with the same inputs, on a person's confirmed word.
func (b *Bot) startAnyway(ctx context.Context, in request.Incoming) error {
	r, err := b.Access.ClickedRun(ctx, in)
	if err != nil {
		return err
	}
	start, err := b.Engine.StartOf(ctx, r.ID)
	if err != nil {
		return err
	}
	return b.startFlow(ctx, in, r.Flow, start.Inputs, "confirmed beside "+r.Name)
}

// startNow starts a flow without required inputs from its card.
func (b *Bot) startNow(ctx context.Context, in request.Incoming) error {
	return b.startFlow(ctx, in, in.Value, map[string]any{}, "")
}

func (b *Bot) list(ctx context.Context, in request.Incoming, c request.Command) error {
	page, err := request.PageOf(c, 0, "list")
	if err != nil {
		return err
	}
	flows, err := b.Access.Readable(ctx, in)
	if err != nil {
		return err
	}
	if len(flows) == 0 {
		return b.Replies.SayText(ctx, in, card.Textf("You have no flows yet. Draft one:\n%s", card.Block("@"+b.Name+" new "+b.exampleOutline())))
	}
	held, err := b.held(ctx)
	if err != nil {
		return err
	}
	clocks, err := b.store.Schedules(ctx, "")
	if err != nil {
		return err
	}
	var lines []card.Text
	for _, f := range flows {
		where := card.Textf("in %s", card.Channel(f.Channel))
		if strings.HasPrefix(f.Channel, "D") {
			where = card.Textf("in your direct messages")
		}
		line := card.Textf("• *%s*  version %d, %s, owner %s", f.Name, f.Head, where, project.Person(f.Owner))
		by, err := b.startsBy(ctx, f, clocks)
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
	out.Text, out.Context = b.Replies.Paged(lines, page, "list")
	if h, ok := held[""]; ok {
		out.Warnings = []card.Text{card.Textf("Everything is paused %s.", h)}
	}
	return b.Replies.Say(ctx, in, out)
}

// runsPage is how many runs one answer lists.
const runsPage = 20

// runs lists those that a person may read, the newest first: of a flow, and with a given outcome, when one is named.
func (b *Bot) runs(ctx context.Context, in request.Incoming, c request.Command) error {
	page := 1
	if last := len(c.Args) - 1; last >= 0 {
		if n, err := strconv.Atoi(c.Args[last]); err == nil && n > 0 {
			page, c.Args = n, c.Args[:last]
		}
	}
	command := strings.Join(append([]string{"runs"}, c.Args...), " ")
	q := storage.RunQuery{By: in.User, Limit: runsPage + 1, Skip: (page - 1) * runsPage} // one more tells whether there is another page
	for i, word := range c.Args {
		if o, ok := project.OutcomeNamed(strings.Join(c.Args[i:], " ")); ok {
			q.Outcome = string(o)
			c.Args = c.Args[:i]
			break
		} else if i > 0 {
			return request.Unknown("outcome", word, outcomeNames(), "For example: `"+b.Command+" runs "+c.Args[0]+" rejected`.")
		}
	}
	q.Flow, q.Top = c.Arg(0), c.Arg(0) == ""
	if name := c.Arg(0); name != "" {
		if _, err := b.Access.Flow(ctx, in, name); err != nil {
			return err
		}
	} else {
		flows, err := b.Access.Readable(ctx, in)
		if err != nil {
			return err
		}
		q.Flows = []string{}
		for _, f := range flows {
			q.Flows = append(q.Flows, f.Name)
		}
	}
	rows, err := b.store.Runs(ctx, q)
	if err != nil {
		return err
	}
	if len(rows) == 0 && page == 1 && q.Outcome != "" {
		return b.Replies.SayText(ctx, in, card.Textf("No run that you may see has this outcome."))
	}
	if len(rows) == 0 && page == 1 {
		return b.Replies.SayText(ctx, in, card.Textf("There are no runs yet. `%s list` shows your flows.", b.Command))
	}
	out := card.Card{Title: "Runs"}
	var lines []card.Text
	for _, r := range rows[:min(runsPage, len(rows))] {
		mark, _ := project.Standing(r)
		lines = append(lines, card.Textf("%s *%s*  %s: %s, asked for by %s, %s", mark, r.Name, request.Shorten(r.Title, 60), standing(r), project.Person(r.By), card.Date(r.Started)))
	}
	out.Text = card.Join("\n", lines...)
	switch first := (page - 1) * runsPage; {
	case len(rows) > runsPage:
		out.Context = []card.Text{card.Textf("%d to %d, the newest first. `%s %s %d` shows older ones.", first+1, first+runsPage, b.Command, command, page+1)}
	case len(rows) == 0:
		out.Context = []card.Text{card.Textf("There is no page %d. `%s %s` shows the newest.", page, b.Command, command)}
	}
	return b.Replies.Say(ctx, in, out)
}

func outcomeNames() []string {
	names := make([]string, len(history.Outcomes))
	for i, o := range history.Outcomes {
		names[i] = string(o)
	}
	return names
}

func (b *Bot) cancel(ctx context.Context, in request.Incoming, c request.Command) error {
	name := c.Arg(0)
	if name == "" {
		return &engine.UserError{Code: "no_name", Text: "Which run?", Hint: "For example: `/flow cancel refund-1`. `/flow runs` shows your runs."}
	}
	r, err := b.Access.Run(ctx, in, name)
	if err != nil {
		return err
	}
	return b.cancelRun(ctx, in, r)
}

func (b *Bot) cancelClicked(ctx context.Context, in request.Incoming) error {
	r, err := b.Access.ClickedRun(ctx, in)
	if err != nil {
		return err
	}
	return b.cancelRun(ctx, in, r)
}

func (b *Bot) cancelRun(ctx context.Context, in request.Incoming, r storage.Run) error {
	if err := b.Access.MayRun(ctx, in, authority.Cancel, r); err != nil {
		return err
	}
	if err := b.Engine.Cancel(ctx, r.ID, in.Actor(), "", in.Inbox); err != nil {
		return err
	}
	if in.Kind == request.KindClick {
		b.Wake()
		return nil
	}
	return b.Replies.After(ctx, in, card.Textf("*%s* is cancelled.", r.Name))
}

// show answers with a run, or with a flow's newest revision.
func (b *Bot) show(ctx context.Context, in request.Incoming, c request.Command) error {
	name := c.Arg(0)
	if name == "" {
		return &engine.UserError{Code: "no_name", Text: "Which run or flow?", Hint: "For example: `/flow show refund-1`."}
	}
	r, err := b.Access.Run(ctx, in, name)
	var ue *engine.UserError
	if errors.As(err, &ue) {
		f, ferr := b.Access.Flow(ctx, in, name)
		if ferr != nil {
			return err
		}
		page, err := request.PageOf(c, 1, "show "+f.Name)
		if err != nil {
			return err
		}
		shown, err := b.flowCard(ctx, f, page)
		if err != nil {
			return err
		}
		return b.Replies.Say(ctx, in, shown)
	}
	if err != nil {
		return err
	}
	return b.showRun(ctx, in, r)
}

func (b *Bot) showClicked(ctx context.Context, in request.Incoming) error {
	r, err := b.Access.Run(ctx, in, in.Value)
	if err != nil {
		return err
	}
	return b.showRun(ctx, in, r)
}
