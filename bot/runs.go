package bot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/project"
	"sluice/engine"
	"sluice/engine/run"
	"sluice/storage"
)

// start handles "run refund order_id=A-1001". The pair anyway="reason" runs beside a run with the same key.
func (b *Bot) start(ctx context.Context, in Incoming, c Command) error {
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

func (b *Bot) startFlow(ctx context.Context, in Incoming, name string, inputs map[string]any, anyway string) error {
	f, err := b.flow(ctx, in.User, name)
	if err != nil {
		return err
	}
	s, err := b.Engine.Start(ctx, engine.StartRequest{
		Flow: name, Inputs: inputs, Actor: actor(in), Channel: f.Channel, Anyway: anyway, Event: b.event(in),
		Add: func(batch *storage.Batch) { batch.InboxDone = append(batch.InboxDone, in.Inbox) },
		Surfaces: func(r storage.Run) []storage.Surface {
			if in.Channel == f.Channel || r.Status == string(run.Paused) {
				return nil
			}
			return []storage.Surface{b.private(in, card.Card{Text: fmt.Sprintf("*%s* started in <#%s>.", card.Escape(r.Name), f.Channel)})}
		},
	})
	if err != nil {
		return err
	}
	if s.Duplicate {
		return b.say(ctx, in, b.duplicate(s.Run, in, inputs))
	}
	if s.Behind != "" {
		return b.after(ctx, in, b.queued(s))
	}
	b.Wake()
	return nil
}

func (b *Bot) event(in Incoming) map[string]any {
	kind := map[Kind]string{KindCommand: "command", KindMention: "mention", KindClick: "button", KindMessage: "message"}[in.Kind]
	return map[string]any{"type": kind, "payload": map[string]any{"message": in.Text, "from": in.User, "channel": in.Channel, "thread": in.Thread}}
}

// duplicate shows the run that holds the key, who started it, and how to run anyway.
func (b *Bot) duplicate(r storage.Run, in Incoming, inputs map[string]any) card.Card {
	reason := fmt.Sprintf("With a reason of your own: `%s run %s … anyway=\"why\"`", b.Command, r.Flow)
	if r.Title == "" { // only its trail is left: there is nothing to show or to repeat
		return card.Card{
			Text: fmt.Sprintf("Nothing was started: *%s* was the same thing, asked for by %s, %s. It ended %s and has been removed since.",
				card.Escape(r.Name), project.Person(r.By), card.Date(r.Started), card.Date(r.Ended)),
			Context: []string{reason},
		}
	}
	return card.Card{
		Text: fmt.Sprintf("Nothing was started: *%s* is the same thing (%s), asked for by %s, %s. It is %s.",
			card.Escape(r.Title), card.Escape(r.Key), project.Person(r.By), card.Date(r.Started), r.Status),
		Buttons: []card.Button{
			{Action: "run.show", Label: "Show " + r.Name, Value: r.Name},
			{
				Action: "run.anyway", Label: "Run anyway", Value: r.ID, Style: card.Danger,
				Confirm: &card.Confirm{Title: "Run it again?", Text: r.Name + " has run for the same thing. What it did may happen a second time. Your name is recorded.", Yes: "Run anyway", No: "Do not run"},
			},
		},
		Context: []string{reason},
	}
}

// queued says which run a new one waits for.
func (b *Bot) queued(s engine.Started) string {
	return fmt.Sprintf("*%s* is queued behind *%s*, which is for the same thing (%s). It goes on by itself when that one is over; `%s show %s` shows it.",
		card.Escape(s.Run.Name), card.Escape(s.Behind), card.Escape(s.Run.Key), b.Command, s.Run.Name)
}

// goAhead lets a queued run go on, on a person's confirmed word.
func (b *Bot) goAhead(ctx context.Context, in Incoming) error {
	r, err := b.store.Run(ctx, in.Value)
	if err != nil {
		return errHidden
	}
	if ok, err := b.mayReadRun(ctx, in.User, r); err != nil || !ok {
		return errors.Join(err, errHidden)
	}
	if err := b.operates(ctx, in, r); err != nil {
		return err
	}
	left, err := b.Engine.RunAnyway(ctx, r.ID, actor(in), "confirmed", in.Inbox)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return b.after(ctx, in, fmt.Sprintf("*%s* is still paused %s.", card.Escape(r.Name), project.HeldBy(left)))
	}
	b.Wake()
	return nil
}

// startAnyway repeats a run with the same inputs, on a person's confirmed word.
func (b *Bot) startAnyway(ctx context.Context, in Incoming) error {
	r, err := b.store.Run(ctx, in.Value)
	if err != nil {
		return errHidden
	}
	if ok, err := b.mayReadRun(ctx, in.User, r); err != nil || !ok {
		return errors.Join(err, errHidden)
	}
	start, err := b.Engine.StartOf(ctx, r.ID)
	if err != nil {
		return err
	}
	return b.startFlow(ctx, in, r.Flow, start.Inputs, "confirmed beside "+r.Name)
}

// startNow starts a flow without required inputs from its card.
func (b *Bot) startNow(ctx context.Context, in Incoming) error {
	return b.startFlow(ctx, in, in.Value, map[string]any{}, "")
}

func (b *Bot) list(ctx context.Context, in Incoming, _ Command) error {
	flows, err := b.readable(ctx, in.User)
	if err != nil {
		return err
	}
	if len(flows) == 0 {
		return b.sayText(ctx, in, "You have no flows yet. Draft one:\n```@"+b.Name+" new "+b.exampleOutline()+"```")
	}
	held, err := b.held(ctx)
	if err != nil {
		return err
	}
	clocks, err := b.store.Schedules(ctx, "")
	if err != nil {
		return err
	}
	var lines []string
	for _, f := range flows {
		where := "in <#" + f.Channel + ">"
		if strings.HasPrefix(f.Channel, "D") {
			where = "in your direct messages"
		}
		line := fmt.Sprintf("• *%s*  revision %d, %s, owner <@%s>", card.Escape(f.Name), f.Head, where, f.Owner)
		by, err := b.startsBy(ctx, f, clocks)
		if err != nil {
			return err
		}
		if len(by) > 0 {
			line += ", starts by " + strings.Join(by, ", ")
		}
		if h, ok := held[f.Name]; ok {
			line += ", paused " + h
		}
		lines = append(lines, line)
	}
	c := card.Card{Title: "Your flows", Text: strings.Join(lines, "\n")}
	if h, ok := held[""]; ok {
		c.Warnings = []string{"Everything is paused " + h + "."}
	}
	return b.say(ctx, in, c)
}

func (b *Bot) runs(ctx context.Context, in Incoming, c Command) error {
	if name := c.Arg(0); name != "" {
		if _, err := b.flow(ctx, in.User, name); err != nil {
			return err
		}
	}
	rows, err := b.store.Runs(ctx, storage.RunQuery{Flow: c.Arg(0), Top: c.Arg(0) == "", Limit: 100})
	if err != nil {
		return err
	}
	var lines []string
	for _, r := range rows {
		ok, err := b.mayReadRun(ctx, in.User, r)
		if err != nil {
			return err
		}
		if ok && len(lines) < 20 {
			lines = append(lines, fmt.Sprintf("%s *%s*  %s: %s, asked for by %s, %s", statusMark(r.Status), card.Escape(r.Name), card.Escape(r.Title), r.Status, project.Person(r.By), card.Date(r.Started)))
		}
	}
	if len(lines) == 0 {
		return b.sayText(ctx, in, "There are no runs yet. `"+b.Command+" list` shows your flows.")
	}
	return b.say(ctx, in, card.Card{Title: "Runs", Text: strings.Join(lines, "\n")})
}

func statusMark(status string) string {
	switch status {
	case "succeeded":
		return ":white_check_mark:"
	case "failed":
		return ":x:"
	case "cancelled":
		return ":no_entry_sign:"
	case "paused":
		return ":double_vertical_bar:"
	case "waiting":
		return ":raised_hand:"
	}
	return ":hourglass_flowing_sand:"
}

func (b *Bot) cancel(ctx context.Context, in Incoming, c Command) error {
	name := c.Arg(0)
	if name == "" {
		return &engine.UserError{Code: "no_name", Text: "Which run?", Hint: "For example: `/flow cancel refund-1`. `/flow runs` shows your runs."}
	}
	r, err := b.run(ctx, in.User, name)
	if err != nil {
		return err
	}
	return b.cancelRun(ctx, in, r)
}

func (b *Bot) cancelClicked(ctx context.Context, in Incoming) error {
	r, err := b.store.Run(ctx, in.Value)
	if err != nil {
		return errHidden
	}
	if ok, err := b.mayReadRun(ctx, in.User, r); err != nil || !ok {
		return errors.Join(err, errHidden)
	}
	return b.cancelRun(ctx, in, r)
}

func (b *Bot) cancelRun(ctx context.Context, in Incoming, r storage.Run) error {
	if err := b.Engine.Cancel(ctx, r.ID, actor(in), "", in.Inbox); err != nil {
		return err
	}
	b.Wake()
	if in.Kind == KindClick {
		return nil
	}
	return b.sayText(ctx, Incoming{User: in.User, Channel: in.Channel, Thread: in.Thread, Reply: in.Reply}, fmt.Sprintf("*%s* is cancelled.", card.Escape(r.Name)))
}

// show answers with a run, or with a flow's newest revision.
func (b *Bot) show(ctx context.Context, in Incoming, c Command) error {
	name := c.Arg(0)
	if name == "" {
		return &engine.UserError{Code: "no_name", Text: "Which run or flow?", Hint: "For example: `/flow show refund-1`."}
	}
	r, err := b.run(ctx, in.User, name)
	var ue *engine.UserError
	if errors.As(err, &ue) {
		f, ferr := b.flow(ctx, in.User, name)
		if ferr != nil {
			return err
		}
		shown, err := b.flowCard(ctx, f)
		if err != nil {
			return err
		}
		return b.say(ctx, in, shown)
	}
	if err != nil {
		return err
	}
	return b.showRun(ctx, in, r)
}

func (b *Bot) showClicked(ctx context.Context, in Incoming) error {
	r, err := b.run(ctx, in.User, in.Value)
	if err != nil {
		return err
	}
	return b.showRun(ctx, in, r)
}

func (b *Bot) unknownFlow(ctx context.Context, user, name string) error {
	flows, err := b.readable(ctx, user)
	if err != nil {
		return err
	}
	names := make([]string, len(flows))
	for i, f := range flows {
		names[i] = f.Name
	}
	return unknown("flow", name, names, "`/flow list` shows your flows.")
}

func (b *Bot) unknownRun(ctx context.Context, user, name string) error {
	rows, err := b.store.Runs(ctx, storage.RunQuery{Limit: 100})
	if err != nil {
		return err
	}
	var names []string
	for _, r := range rows {
		ok, err := b.mayReadRun(ctx, user, r)
		if err != nil {
			return err
		}
		if ok {
			names = append(names, r.Name)
		}
	}
	return unknown("run", name, names, "`/flow runs` shows your runs.")
}

// unknown says that a name does not exist, in the same words as for a name that is hidden from the person.
func unknown(what, name string, names []string, hint string) error {
	if near := nearestName(name, names); near != "" && !slices.Contains(names, name) {
		hint = fmt.Sprintf("Did you mean `%s`? %s", near, hint)
	}
	return &engine.UserError{Code: "no_" + what, Text: fmt.Sprintf("There is no such %s: “%s”.", what, card.Escape(shorten(name, 80))), Hint: hint}
}
