package gates

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/form"
	"sluice/bot/request"
	"sluice/bot/surface"
	"sluice/engine"
	"sluice/engine/gate"
	"sluice/engine/people"
	"sluice/engine/usererror"
	"sluice/storage"
)

// Reply takes words that were not said to the bot as the answer to the question of the thread's run that is answered in words, when
// it is the only one that waits for this person. Otherwise it says how to answer. False: no such question waits for them.
func (gs *Gates) Reply(ctx context.Context, in request.Incoming) (bool, error) {
	r, err := gs.runOfThread(ctx, in)
	if _, several := errors.AsType[*usererror.Error](err); several || errors.Is(err, storage.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	open, err := gs.Store.Gates(ctx, storage.GateQuery{Run: r.ID, Open: true, Limit: openMost})
	if err != nil {
		return false, err
	}
	var theirs []storage.Gate
	var body gate.Body
	for _, g := range open {
		asked, err := gate.Decode(g)
		if err != nil {
			return false, err
		}
		if len(asked.Opened.Choices) > 0 {
			continue // has buttons
		}
		err = gs.Engine.MayAnswer(ctx, g, in.Actor())
		if _, no := errors.AsType[*people.NotAllowedError](err); no {
			continue
		}
		if ok, err := request.Allowed(err); err != nil {
			return false, err
		} else if ok {
			theirs, body = append(theirs, g), asked
		}
	}
	if len(theirs) == 0 {
		return false, nil
	}
	a, fits := answerOf(in, body)
	if len(theirs) > 1 || !fits {
		return true, gs.Replies.SayText(ctx, in, card.Textf(":information_source: %s asks you something, and this is not taken as the answer. %s", r.Name, surface.HowToAnswer(gs.Replies.Name, body)))
	}
	if a.Shown, err = gs.shown(ctx, in, theirs[0]); err != nil {
		return true, err
	}
	return true, gs.decide(ctx, in, theirs[0], a)
}

// answerOf reads words as the answer to a question without choices. False: they are said to somebody else, ask something themselves, or do
// not name the fields.
func answerOf(in request.Incoming, body gate.Body) (engine.GateAnswer, bool) {
	text := strings.TrimSpace(in.Text)
	var a engine.GateAnswer
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

// answeredWords says what a person's answer is.
func answeredWords(g storage.Gate) (card.Text, error) {
	body, err := gate.Decode(g)
	if err != nil || len(body.Opened.Choices) > 0 || body.Text == "" && len(body.Form) == 0 {
		return card.Textf("Answered: *%s*.", g.Choice), err
	}
	var parts []string
	if body.Text != "" {
		parts = append(parts, card.Shorten(body.Text, 200))
	}
	for _, name := range slices.Sorted(maps.Keys(body.Form)) {
		parts = append(parts, fmt.Sprintf("%s: %s", strings.ReplaceAll(name, "_", " "), card.Shorten(fmt.Sprint(body.Form[name]), 200)))
	}
	return card.Textf("Answered: *%s*.", strings.Join(parts, ", ")), nil
}
