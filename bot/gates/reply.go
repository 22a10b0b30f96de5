package gates

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/flow/listing"
	"sluice/engine/gate"
	"sluice/engine/history"
	"sluice/engine/people"
	"sluice/storage"
)

// Reply takes words in a thread as the answer to the question in words of the thread's runs, when it is the only one that waits for this
// person, or else as the next words in their conversation with the agents of a run. Otherwise it says how to answer. False: neither a
// question nor a conversation waits for them.
func (gs *Gates) Reply(ctx context.Context, in request.Incoming) (bool, error) {
	runs, err := gs.Access.RunsOfThread(ctx, in)
	if err != nil {
		return false, err
	}
	waiting, choosing, err := gs.waiting(ctx, in, runs)
	if err != nil {
		return false, err
	}
	if len(waiting) == 0 {
		if told, err := gs.pressInstead(ctx, in, choosing); told || err != nil {
			return told, err
		}
		return gs.say(ctx, in, runs)
	}
	w := waiting[0]
	if len(waiting) == 1 && w.body.Opened.Kind == history.GateTurn {
		return gs.say(ctx, in, []storage.Run{w.run})
	}
	a, fits := answerOf(in, w.body)
	if len(waiting) > 1 || !fits {
		return true, gs.Replies.SayText(ctx, in, card.Textf(":information_source: %s asks you something, and this is not taken as the answer. %s", w.run.Name, surface.HowToAnswer(gs.Replies.Name, w.body)))
	}
	if a.Shown, err = gs.shown(ctx, in, w.gate); err != nil {
		return true, err
	}
	return true, gs.decide(ctx, in, w.gate, a)
}

// say takes words as the next ones in a conversation with the agents of one of the runs, also while those are still at work. Words to
// another person are ignored.
func (gs *Gates) say(ctx context.Context, in request.Incoming, runs []storage.Run) (bool, error) {
	text := strings.TrimSpace(in.Text)
	if text == "" || request.SaidTo(text) != "" {
		return false, nil
	}
	for _, r := range runs {
		if history.Status(r.Status).Final() {
			continue
		}
		said, err := gs.Engine.Say(ctx, r.ID, in.Actor(), text, in.Inbox)
		if said {
			gs.Replies.Wake()
		}
		if said || err != nil {
			return said, err
		}
	}
	return false, nil
}

// openQuestion is a question of a run that waits for the sender of a delivery.
type openQuestion struct {
	run  storage.Run
	gate storage.Gate
	body gate.Body
}

// waiting lists the open questions of a thread's runs that wait for somebody: those that are answered in words, and those with choices.
func (gs *Gates) waiting(ctx context.Context, in request.Incoming, runs []storage.Run) (words, choices []openQuestion, err error) {
	for _, r := range runs {
		open, err := gs.Store.Gates(ctx, storage.GateQuery{Run: r.ID, Open: true, Limit: openMost})
		if err != nil {
			return nil, nil, err
		}
		for _, g := range open {
			body, err := gate.Decode(g)
			if err != nil {
				return nil, nil, err
			}
			err = gs.Engine.MayAnswer(ctx, g, in.Actor())
			if _, no := errors.AsType[*people.NotAllowedError](err); no {
				continue
			}
			ok, err := request.Allowed(err)
			switch {
			case err != nil:
				return nil, nil, err
			case !ok:
			case len(body.Opened.Choices) > 0:
				choices = append(choices, openQuestion{r, g, body})
			default:
				words = append(words, openQuestion{r, g, body})
			}
		}
	}
	return words, choices, nil
}

// pressInstead tells a person who replies with the name of a choice that only the button counts: a reply may be meant for others.
func (gs *Gates) pressInstead(ctx context.Context, in request.Incoming, choosing []openQuestion) (bool, error) {
	for _, w := range choosing {
		words := strings.TrimSpace(in.Text)
		choice, note, ok := Chosen(w.body.Opened.Choices, words)
		if !ok {
			choice, note, ok = meant(w.body.Opened.Choices, words)
		}
		if !ok || len(choosing) > 1 {
			continue // it is meant for others
		}
		answer := strings.TrimSpace(choice + " " + card.Shorten(strings.ReplaceAll(card.OneLine(note), "`", "'"), 200))
		text := card.Textf(":information_source: This does not decide “%s”. Press *%s* at the question of %s, or write `@%s answer %s`.",
			card.Shorten(w.body.Opened.Message, 100), flow.Words(choice), w.run.Name, gs.Replies.Name, answer)
		return true, gs.Replies.SayText(ctx, in, text)
	}
	return false, nil
}

// answerOf reads words as the answer to a question without choices. False: they are said to somebody else, ask something themselves, or do
// not name the fields.
func answerOf(in request.Incoming, body gate.Body) (engine.GateAnswer, bool) {
	text := strings.TrimSpace(in.Text)
	var a engine.GateAnswer
	if text == "" && len(in.Files) > 0 {
		return a, slices.ContainsFunc(slices.Collect(maps.Values(body.Opened.Form)), func(f flow.FormField) bool { return f.Type == flow.TypeFile })
	}
	if text == "" || request.SaidTo(text) != "" || strings.HasSuffix(text, "?") {
		return a, false
	}
	fields := body.Opened.Form
	if len(fields) == 0 {
		a.Text = text
		return a, true
	}
	a.Form = map[string]any{}
	values, rest := form.Typed(text, slices.Collect(maps.Keys(fields)))
	for name, v := range values {
		a.Form[name] = v
	}
	if len(values) > 0 {
		return a, rest == ""
	}
	for name := range fields {
		a.Form[name] = text
	}
	return a, len(fields) == 1
}

// answeredWords confirms a person's answer.
func answeredWords(g storage.Gate) (card.Text, error) {
	body, err := gate.Decode(g)
	if err != nil || len(body.Opened.Choices) > 0 || body.Text == "" && len(body.Form) == 0 {
		return card.Textf("Answered: *%s*.", g.Choice), err
	}
	var parts []string
	if body.Text != "" {
		parts = append(parts, card.Shorten(body.Text, 200))
	}
	for _, a := range surface.Entered(body.Opened.Form, body.Form) {
		parts = append(parts, strings.ReplaceAll(a.Name, "_", " ")+": "+card.Shorten(listing.Sample(a.Value), 200))
	}
	return card.Textf("Answered: *%s*.", strings.Join(parts, ", ")), nil
}
