package drafts

import (
	"context"
	"regexp"

	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/bot/request"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/phrase"
	"sluice/engine/usererror"
	"sluice/examples/starting"
	"sluice/storage"
)

// Words makes drafts of flows out of words, and changes drafts by words.
type Words struct {
	*parts
	trials *Trials
	needs  *Needs
}

// New handles "new refund: 1. ... 2. ...".
func (wd *Words) New(ctx context.Context, in request.Incoming, c request.Command) error {
	if c.Rest == "" {
		return wd.Replies.Say(ctx, in, wd.startingPoints(card.Textf("What should happen? Tell me in your own words, step by step.")))
	}
	if wd.plan.drafter(in) == nil && titled.MatchString(c.Rest) { // the reader takes "new" as a sign of a name
		return wd.From(ctx, in, "new "+c.Rest)
	}
	return wd.From(ctx, in, c.Rest)
}

// titled finds the name of several words before a colon at the beginning of a description.
var titled = regexp.MustCompile(`^[\pL\pN'’-]+(?: [\pL\pN'’-]+){1,4}:`)

// From proposes a flow for the words, in the thread of the message: read by a language model where there is one.
func (wd *Words) From(ctx context.Context, in request.Incoming, text string) error {
	if m := wd.plan.drafter(in); m != nil {
		return wd.byModel(ctx, in, m, text)
	}
	return wd.outline(ctx, in, text)
}

// outline is From without a model.
func (wd *Words) outline(ctx context.Context, in request.Incoming, text string) error {
	t, ok := wd.plan.read(ctx, in, text)
	if !ok {
		return wd.unreadable(ctx, in, text)
	}
	return wd.write.propose(ctx, in, t, origin{})
}

// Reapprove shows an approved flow again as a draft, because something that it depends on has changed.
func (wd *Words) Reapprove(ctx context.Context, in request.Incoming, c request.Command) error {
	f, err := wd.Access.Flow(ctx, in, c.Arg(0))
	if err != nil {
		return err
	}
	d, ok, err := draft.OfVersion(ctx, wd.Store, f.Name, f.Head)
	if err != nil {
		return err
	}
	if !ok {
		return &usererror.Error{Code: "no_draft", Text: "This version was not made from a draft here.", Hint: "Draft it again: `/flow new " + f.Name + ": 1. ...`"}
	}
	return wd.repeat(ctx, in, d, f)
}

// repeat proposes an approved draft again, as a new draft where it was asked for. A flow keeps its home: elsewhere it is
// only told where to ask.
func (wd *Words) repeat(ctx context.Context, in request.Incoming, d storage.Draft, f storage.Flow) error {
	if err := atHome(in, f, "Ask for it there."); err != nil {
		return err
	}
	body, doc, err := draft.Decode(d)
	if err != nil {
		return err
	}
	if body.File != "" {
		return wd.write.proposeWritten(ctx, in, doc, origin{body: draft.Body{File: body.File, Read: body.Read, Said: body.Said}})
	}
	body.Tree.Settled = append(body.Tree.Settled, "name:"+f.Name)
	return wd.write.propose(ctx, in, body.Tree, origin{body: draft.Body{Raised: body.Raised}})
}

// startingPoints offers everyday flows to somebody who does not know what to write.
func (wd *Words) startingPoints(first card.Text) card.Card {
	c := card.Card{Text: first}
	var lines []card.Text
	for _, p := range starting.Points() {
		lines = append(lines, card.Textf("• *%s*: %s", p.Title, p.About))
		c.Buttons = append(c.Buttons, card.Button{Action: "starting.use:" + p.Name, Label: p.Title, Value: p.Name})
	}
	c.Sections = []card.Section{
		{Title: "In your own words, for example", Text: card.Block("@" + wd.Replies.Name + " new " + Example(wd.Tools.All()))},
		{Title: "Or start from one of these and change it", Text: card.Join("\n", lines...)},
	}
	c.Context = []card.Text{card.Textf("`%s help words` lists what I can read.", wd.Replies.Command)}
	return c
}

// unreadable answers words that describe no flow.
func (wd *Words) unreadable(ctx context.Context, in request.Incoming, text string) error {
	if asks.MatchString(text) {
		return wd.Replies.SayText(ctx, in, wd.cannotAnswer(text))
	}
	sentence, near := outline.Unread(text)
	why := card.Textf("I made no draft: I cannot read “%s” as a step. Say who or what does something, such as “tell #team hello” or “ask @ana to approve”.", card.Shorten(sentence, 300))
	switch {
	case len(near) > 1:
		why = card.Textf("I made no draft: I cannot read “%s” as a step. Is “%s” meant as “%s”?", card.Shorten(sentence, 300), near[0], near[1])
	case !phrase.English(text):
		why = card.Textf("I read English, and this seems to be something else, so I made no draft: “%s”.", card.Shorten(text, 300))
	}
	return wd.Replies.Say(ctx, in, wd.startingPoints(why))
}

// asks finds words that are a question, and no step.
var asks = regexp.MustCompile(`(?is)^\s*(?:who|whose|what|why|how|which|where|is|are|does|did|has|(?:can|may) (?:any|every|some)\w+|do (?:i|we|you|they|people))\b[^.:;\n]*\??\s*$`)

// cannotAnswer says of a question which ones there are answers to.
func (wd *Words) cannotAnswer(text string) card.Text {
	say := wd.Replies.Command
	lines := []card.Text{
		card.Textf("I have no answer to “%s”, and made no draft of it. What I can tell:", card.Shorten(text, 200)),
		card.Textf("• `%s show <run or flow>`: what it does, where it stands, and why it failed", say),
		card.Textf("• `%s audit <run, flow or @person>`: who did what", say),
		card.Textf("• `%s history <flow>`: its versions, and who approved each", say),
		card.Textf("• `%s runs`, `%s approvals`, `%s schedules`, `%s find <words>`: what runs, what waits for you, what starts next, and where something is", say, say, say, say),
		card.Textf("To make a flow, say who or what does something: `@%s new greeting: tell #team hello`. `%s help` lists the rest.", wd.Replies.Name, say),
	}
	return card.Join("\n", lines...)
}

// UseStartingPoint drafts an everyday flow where it was asked for.
func (wd *Words) UseStartingPoint(ctx context.Context, in request.Incoming) error {
	p, ok := starting.Find(in.Value)
	if !ok {
		return &usererror.Error{Code: "old_button", Text: "This starting point does not exist any more.", Hint: "`/flow new` shows those that do."}
	}
	in.Thread = ""
	return wd.outline(ctx, in, p.Words)
}
