package bot

import (
	"context"

	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/engine"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/phrase"
	"sluice/examples/starting"
)

// startingPoints offers everyday flows to somebody who does not know what to write.
func (b *Bot) startingPoints(first card.Text) card.Card {
	c := card.Card{Text: first}
	var lines []card.Text
	for _, p := range starting.Points() {
		lines = append(lines, card.Textf("• *%s*: %s", p.Title, p.About))
		c.Buttons = append(c.Buttons, card.Button{Action: "starting.use:" + p.Name, Label: p.Title, Value: p.Name})
	}
	c.Sections = []card.Section{
		{Title: "In your own words, for example", Text: card.Block("@" + b.Name + " new " + b.exampleOutline())},
		{Title: "Or start from one of these and change it", Text: card.Join("\n", lines...)},
	}
	c.Context = []card.Text{card.Textf("`%s help words` lists what I can read.", b.Command)}
	return c
}

// unreadable answers words that describe no flow.
func (b *Bot) unreadable(ctx context.Context, in request.Incoming, text string) error {
	sentence, near := outline.Unread(text)
	why := card.Textf("I made no draft: I cannot read “%s” as a step. Say who or what does something, such as “tell #team hello” or “ask @ana to approve”.", request.Shorten(sentence, 300))
	switch {
	case len(near) > 1:
		why = card.Textf("I made no draft: I cannot read “%s” as a step. Is “%s” meant as “%s”?", request.Shorten(sentence, 300), near[0], near[1])
	case !phrase.English(text):
		why = card.Textf("I read English, and this seems to be something else, so I made no draft: “%s”.", request.Shorten(text, 300))
	}
	return b.Replies.Say(ctx, in, b.startingPoints(why))
}

// useStartingPoint drafts an everyday flow where it was asked for.
func (b *Bot) useStartingPoint(ctx context.Context, in request.Incoming) error {
	p, ok := starting.Find(in.Value)
	if !ok {
		return &engine.UserError{Code: "old_button", Text: "This starting point does not exist any more.", Hint: "`/flow new` shows those that do."}
	}
	in.Thread = ""
	return b.draftOutline(ctx, in, p.Words)
}
