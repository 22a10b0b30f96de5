package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sluice/bot/card"
	"sluice/bot/project"
	"sluice/bot/request"
	"sluice/engine"
	"sluice/engine/authority"
	"sluice/storage"
)

// chooseAtGate handles a button of a gate card.
func (b *Bot) chooseAtGate(ctx context.Context, in request.Incoming) error {
	part := strings.Fields(in.Value)
	if len(part) < 2 {
		return request.ErrHidden
	}
	g, err := b.store.Gate(ctx, part[0])
	if errors.Is(err, storage.ErrNotFound) {
		return request.ErrHidden
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
		return request.ErrHidden
	}
	a := engine.GateAnswer{Gate: g.ID, Actor: in.Actor(), Choice: body.Opened.Choices[i]}
	if len(part) > 2 {
		a.Shown = part[2]
	}
	return b.decide(ctx, in, a)
}

// decide answers a gate and tells the person when that did not count.
func (b *Bot) decide(ctx context.Context, in request.Incoming, a engine.GateAnswer) error {
	a.Inbox = []int64{in.Inbox}
	res, err := b.Engine.Answer(ctx, a)
	var late *engine.DecidedError
	switch {
	case errors.As(err, &late):
		return b.Replies.SayText(ctx, in, decidedWords(late))
	case err != nil:
		return err
	}
	b.Wake()
	if in.Kind != request.KindClick || !res.Decided {
		words := card.Textf("Your answer is counted; more are needed.")
		if res.Decided {
			if words, err = answeredWords(res.Gate); err != nil {
				return err
			}
			if res.Gate.Choice == "" {
				words = card.Textf("Your answer is passed on.")
			}
		}
		return b.Replies.SayText(ctx, in.WithoutRow(), words)
	}
	return nil
}

func decidedWords(e *engine.DecidedError) card.Text {
	what := card.Textf(":information_source: This was decided already: *%s*", e.Choice)
	if e.Choice == "" {
		what = card.Textf(":information_source: This was answered already")
	}
	if e.By == "" {
		return card.Textf("%s, %s.", what, card.Date(e.At))
	}
	return card.Textf("%s, by %s, %s.", what, card.User(e.By), card.Date(e.At))
}

// answer handles "answer approve" or "answer refund-1 category=refund": in a run's thread the run need not be named.
func (b *Bot) answer(ctx context.Context, in request.Incoming, c request.Command) error {
	r, rest, open, err := b.runInQuestion(ctx, in, c)
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
	shown, err := b.shown(ctx, in, g)
	if err != nil {
		return err
	}
	a := engine.GateAnswer{Gate: g.ID, Actor: in.Actor(), Shown: shown}
	words := strings.Join(rest, " ")
	if len(body.Opened.Choices) > 0 {
		choice := slices.IndexFunc(body.Opened.Choices, func(s string) bool { return strings.EqualFold(s, firstOf(rest)) })
		if choice < 0 {
			return &engine.UserError{Code: "bad_choice", Text: fmt.Sprintf("“%s” is not one of the answers.", words), Hint: "Choose one of: " + strings.Join(body.Opened.Choices, ", ") + "."}
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

// shown is the hash of what the card of a question shows in its thread: a person who types an answer has seen that, or nothing. A person
// who may not answer is told so first.
func (b *Bot) shown(ctx context.Context, in request.Incoming, g storage.Gate) (string, error) {
	if err := b.Engine.MayAnswer(ctx, g, in.Actor()); err != nil {
		return "", err
	}
	hash, err := project.ShownAt(ctx, b.store, g.ID)
	if err != nil || hash != "" {
		return hash, err
	}
	// A card of an earlier release has not noted what it shows.
	if err := b.store.Write(ctx, &storage.Batch{Stale: []string{project.GateRef(g.ID)}}); err != nil {
		return "", err
	}
	b.Wake()
	return "", &engine.UserError{
		Code: "not_shown", Text: "This question has not been shown in full yet, so that nobody can decide on it: your answer does not count.",
		Hint: "Look at its card in the run's thread in a moment. If it has buttons, answer again.",
	}
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

// runInQuestion finds the run that a command is about, named first or the one whose thread this is, with its open questions as far as the
// person may see them. A person who may see neither gets the answer that a run which does not exist gets.
func (b *Bot) runInQuestion(ctx context.Context, in request.Incoming, c request.Command) (r storage.Run, rest []string, open []storage.Gate, err error) {
	r, err = b.store.RunByName(ctx, c.Arg(0))
	if err == nil {
		if open, err = b.questions(ctx, in, r); err == nil {
			return r, c.Args[1:], open, nil
		}
	}
	if (errors.Is(err, storage.ErrNotFound) || request.Hidden(err)) && in.Thread != "" {
		if r, err = b.runOfThread(ctx, in); err == nil {
			open, err = b.questions(ctx, in, r)
		}
	}
	if errors.Is(err, storage.ErrNotFound) || request.Hidden(err) {
		err = &engine.UserError{Code: "no_run", Text: "Which run do you answer?", Hint: "Reply in the run's thread, or name it: `/flow answer refund-1 approve`."}
	}
	return r, c.Args, open, err
}

// runOfThread finds the run whose status message began the thread, or that lives in it.
func (b *Bot) runOfThread(ctx context.Context, in request.Incoming) (storage.Run, error) {
	s, err := b.store.SurfaceAt(ctx, in.Channel, in.Thread)
	if err == nil && s.Kind == project.KindStatus {
		return b.store.Run(ctx, strings.TrimPrefix(s.Ref, project.RunRef("")))
	}
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return storage.Run{}, err
	}
	return b.runInThread(ctx, in)
}

// openMost is how many open questions of a run are looked at.
const openMost = 10_000

// questions lists the open questions of a run that a person may see. A reader of the run sees all of them. The error is Hidden when the
// person may see neither the run nor one of its questions.
func (b *Bot) questions(ctx context.Context, in request.Incoming, r storage.Run) ([]storage.Gate, error) {
	open, err := b.store.Gates(ctx, storage.GateQuery{Run: r.ID, Open: true, Limit: openMost})
	if err != nil {
		return nil, err
	}
	no := b.Access.MayRun(ctx, in, authority.ReadRun, r)
	if _, denied := request.AsDenied(no); !denied {
		return open, no
	}
	p, err := b.Access.Who(ctx, in)
	if err != nil {
		return nil, err
	}
	var seen []storage.Gate
	for _, g := range open {
		body, err := engine.DecodeGate(g)
		if err != nil {
			return nil, err
		}
		about, err := b.Engine.AboutGate(ctx, r, body)
		if err != nil {
			return nil, err
		}
		ok, err := request.Allowed(b.Access.MayAs(ctx, p, authority.ReadGate, about))
		if err != nil {
			return nil, err
		}
		if ok {
			seen = append(seen, g)
		}
	}
	if len(seen) == 0 {
		return nil, &authority.Denied{Code: authority.Hidden, Action: authority.ReadRun, Principal: p}
	}
	return seen, nil
}

// approvalsPage is how many questions one answer shows: each with its buttons.
const approvalsPage = 6

// approvals lists the open gates that wait for this person, the oldest first.
func (b *Bot) approvals(ctx context.Context, in request.Incoming, c request.Command) error {
	page, err := request.PageOf(c, 0, "approvals")
	if err != nil {
		return err
	}
	p, err := b.Access.Who(ctx, in)
	if err != nil {
		return err
	}
	w, err := b.Engine.WaitingFor(ctx, p, (page-1)*approvalsPage, approvalsPage)
	if err != nil {
		return err
	}
	out := card.Card{Title: "Waiting for you"}
	left := 0
	for _, g := range w.Gates {
		r, err := b.store.Run(ctx, g.Run)
		if err != nil {
			return err
		}
		body, err := engine.DecodeGate(g)
		if err != nil {
			return err
		}
		v, err := b.Engine.View(ctx, r.ID)
		if err != nil {
			return err
		}
		out, left = b.listed(out, v, g, body, left)
	}
	if w.Unsure > 0 {
		out.Context = append(out.Context, card.Textf("Of %s more I cannot find out at the moment whether they wait for you.", request.Count(w.Unsure, "question")))
	}
	if len(out.Sections) == 0 && page == 1 && w.Unsure == 0 {
		return b.Replies.SayText(ctx, in, card.Textf("Nothing waits for you."))
	}
	if left > 0 {
		out.Context = append(out.Context, card.Textf("%s more: answer some of these first, or look at their cards.", request.Count(left, "question")))
	}
	first := (page - 1) * approvalsPage
	out.Context = append(out.Context, b.Replies.Rest("approvals", page, first, len(w.Gates), w.All)...)
	return b.Replies.Say(ctx, in, out)
}

// listButtons is how many buttons a list of questions has.
const listButtons = 20

// listed adds a question to a list: whole and with its buttons where there is room for all of it, else with the place of its card.
func (b *Bot) listed(c card.Card, v *engine.View, g storage.Gate, body engine.GateBody, left int) (card.Card, int) {
	asked := b.Cards.Asked(v, g, body)
	line := card.Textf("_%s, since %s_", v.Run.Name, card.Date(g.Opened))
	whole := c
	whole.Sections = append(slices.Clone(c.Sections), card.Section{Title: v.Run.Title, Text: asked.Text})
	whole.Sections = append(append(whole.Sections, asked.Sections...), card.Section{Text: line})
	whole.Buttons = append(slices.Clone(c.Buttons), project.GateButtons(g.ID, body.Opened.Choices, body.Opened.Shown(), v.Run.Name)...)
	if len(whole.Buttons) <= listButtons && b.Cards.Fits(whole) {
		return whole, left
	}
	short := c
	where := card.Textf("This list has no room for all that is asked: decide on its card in %s.", card.Channel(v.Run.Channel))
	short.Sections = append(slices.Clone(c.Sections), card.Section{Title: v.Run.Title, Text: card.Textf("%s\n%s", where, line)})
	if b.Cards.Fits(short) {
		return short, left
	}
	return c, left + 1
}
