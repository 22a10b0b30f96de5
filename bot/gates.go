package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sluice/bot/project"

	"sluice/bot/card"
	"sluice/engine"
	"sluice/storage"
)

// chooseAtGate handles a button of a gate card.
func (b *Bot) chooseAtGate(ctx context.Context, in Incoming) error {
	part := strings.Fields(in.Value)
	if len(part) < 2 {
		return errHidden
	}
	g, err := b.store.Gate(ctx, part[0])
	if errors.Is(err, storage.ErrNotFound) {
		return errHidden
	}
	if err != nil {
		return err
	}
	body, err := engine.DecodeGate(g)
	if err != nil {
		return err
	}
	i, err := strconv.Atoi(part[1])
	if err != nil || i < 0 || i >= len(body.Opened.Choices) {
		return errHidden
	}
	a := engine.GateAnswer{Gate: g.ID, Actor: actor(in), Choice: body.Opened.Choices[i]}
	if len(part) > 2 {
		a.Shown = part[2]
	}
	return b.decide(ctx, in, a)
}

// decide answers a gate and tells the person when that did not count.
func (b *Bot) decide(ctx context.Context, in Incoming, a engine.GateAnswer) error {
	a.Inbox = []int64{in.Inbox}
	res, err := b.Engine.Answer(ctx, a)
	var no *engine.NotAllowedError
	var late *engine.DecidedError
	switch {
	case errors.As(err, &no):
		return b.sayText(ctx, in, ":lock: "+mayNot(no))
	case errors.As(err, &late):
		return b.sayText(ctx, in, ":information_source: "+decidedWords(late))
	case err != nil:
		return err
	}
	b.Wake()
	if in.Kind != KindClick || !res.Decided {
		words := "Your answer is counted; more are needed."
		if res.Decided {
			words = "Answered: *" + card.Escape(res.Gate.Choice) + "*."
			if res.Gate.Choice == "" {
				words = "Your answer is passed on."
			}
		}
		return b.sayText(ctx, Incoming{User: in.User, Channel: in.Channel, Thread: in.Thread, Reply: in.Reply}, words)
	}
	return nil
}

func decidedWords(e *engine.DecidedError) string {
	what := "This was decided already: *" + card.Escape(e.Choice) + "*"
	if e.Choice == "" {
		what = "This was answered already"
	}
	if e.By == "" {
		return what + ", " + card.Date(e.At) + "."
	}
	return fmt.Sprintf("%s, by <@%s>, %s.", what, e.By, card.Date(e.At))
}

// answer handles "answer approve" or "answer refund-1 category=refund": in a run's thread the run need not be named.
func (b *Bot) answer(ctx context.Context, in Incoming, c Command) error {
	r, rest, err := b.runInQuestion(ctx, in, c)
	if err != nil {
		return err
	}
	open, err := b.store.Gates(ctx, storage.GateQuery{Run: r.ID, Open: true})
	if err != nil {
		return err
	}
	if len(open) == 0 {
		return &engine.UserError{Code: "no_gate", Text: fmt.Sprintf("%s asks nothing now.", r.Name), Hint: "`/flow approvals` lists what waits for you."}
	}
	g, body, err := pickGate(open, rest)
	if err != nil {
		return err
	}
	a := engine.GateAnswer{Gate: g.ID, Actor: actor(in)}
	words := strings.Join(rest, " ")
	if len(body.Opened.Choices) > 0 {
		choice := slices.IndexFunc(body.Opened.Choices, func(s string) bool { return strings.EqualFold(s, firstOf(rest)) })
		if choice < 0 {
			return &engine.UserError{Code: "bad_choice", Text: fmt.Sprintf("“%s” is not one of the answers.", card.Escape(words)), Hint: "Choose one of: " + strings.Join(body.Opened.Choices, ", ") + "."}
		}
		a.Choice = body.Opened.Choices[choice]
		a.Note = strings.Join(rest[1:], " ")
		if v, ok := c.Pairs["value"]; ok {
			a.Value = rawValue(v)
		}
	} else {
		a.Text = words
	}
	a.Form = c.Pairs
	return b.decide(ctx, in, a)
}

func firstOf(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// rawValue reads a given value as JSON when it is JSON, else as text.
func rawValue(v any) json.RawMessage {
	s := fmt.Sprint(v)
	if json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	raw, _ := json.Marshal(s)
	return raw
}

// pickGate finds the question that an answer is for: the only open one, else the one whose choices hold the first word.
func pickGate(open []storage.Gate, rest []string) (storage.Gate, engine.GateBody, error) {
	var fits []storage.Gate
	var bodies []engine.GateBody
	for _, g := range open {
		body, err := engine.DecodeGate(g)
		if err != nil {
			return g, body, err
		}
		if len(open) == 1 || slices.ContainsFunc(body.Opened.Choices, func(s string) bool { return strings.EqualFold(s, firstOf(rest)) }) {
			fits, bodies = append(fits, g), append(bodies, body)
		}
	}
	if len(fits) != 1 {
		return storage.Gate{}, engine.GateBody{}, &engine.UserError{Code: "which_gate", Text: "Several questions are open in this run.", Hint: "Use the buttons on their cards."}
	}
	return fits[0], bodies[0], nil
}

// runInQuestion finds the run that a command is about: named first, or the one whose thread this is.
func (b *Bot) runInQuestion(ctx context.Context, in Incoming, c Command) (storage.Run, []string, error) {
	if r, err := b.store.RunByName(ctx, c.Arg(0)); err == nil {
		if ok, err := b.mayReadRun(ctx, in.User, r); ok || err != nil {
			return r, c.Args[1:], err
		}
	}
	if in.Thread != "" {
		s, err := b.store.SurfaceAt(ctx, in.Channel, in.Thread)
		if err == nil && s.Kind == "status" {
			r, err := b.store.Run(ctx, strings.TrimPrefix(s.Ref, project.RunRef("")))
			return r, c.Args, err
		}
		if errors.Is(err, storage.ErrNotFound) {
			var r storage.Run
			if r, err = b.runInThread(ctx, in); err == nil {
				return r, c.Args, nil
			}
		}
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			return storage.Run{}, nil, err
		}
	}
	return storage.Run{}, nil, &engine.UserError{Code: "no_run", Text: "Which run do you answer?", Hint: "Reply in the run's thread, or name it: `/flow answer refund-1 approve`."}
}

// approvals lists the open gates that wait for this person.
func (b *Bot) approvals(ctx context.Context, in Incoming, _ Command) error {
	open, err := b.store.Gates(ctx, storage.GateQuery{Open: true, Limit: 200})
	if err != nil {
		return err
	}
	c := card.Card{Title: "Waiting for you"}
	for _, g := range open {
		r, err := b.store.Run(ctx, g.Run)
		if err != nil {
			return err
		}
		body, err := engine.DecodeGate(g)
		if err != nil {
			return err
		}
		if _, users, err := b.Engine.Deciders(ctx, r, body); err != nil || !slices.Contains(users, in.User) {
			continue // a gate whose group is gone must not hide the others
		}
		c.Sections = append(c.Sections, card.Section{Title: r.Title, Text: card.Escape(body.Opened.Message) + "\n_" + card.Escape(r.Name) + ", since " + card.Date(g.Opened) + "_"})
		if more := project.GateButtons(g.ID, body.Opened.Choices, body.Opened.Hash, r.Name); len(c.Buttons)+len(more) <= 20 {
			c.Buttons = append(c.Buttons, more...)
		}
	}
	if len(c.Sections) == 0 {
		return b.sayText(ctx, in, "Nothing waits for you.")
	}
	return b.say(ctx, in, c)
}
