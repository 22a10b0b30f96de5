package bot

import (
	"context"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/drafts"
	"sluice/bot/request"
	"sluice/engine/planner/change"
	"sluice/engine/planner/outline"
	"sluice/storage"
)

func (b *Bot) help(ctx context.Context, in request.Incoming, c request.Command) error {
	if c.Arg(0) == "words" {
		return b.helpWords(ctx, in)
	}
	var lines []card.Text
	for _, v := range b.verbs() {
		lines = append(lines, card.Textf("• `%s %s`  %s", b.Command, v.usage, v.help))
	}
	lines = append(lines, card.Textf("• `%s help words`  what steps and changes can say, with an example for each", b.Command))
	return b.replies.Say(ctx, in, card.Card{
		Text: card.Textf("I turn steps you write into a flowchart, and run it once it is approved. I can use: %s.", b.connected()),
		Sections: []card.Section{
			{Title: "Try it", Text: card.Block("@" + b.Name + " new " + drafts.Example(b.Tools.All()))},
			{Title: "By itself", Text: card.Textf("Steps may begin with what starts them: “every Monday at 9, …”, “when a message in #refunds says refund <order_id>, …”, “when somebody reacts with :moneybag:, …”.")},
			{Title: "Commands", Text: card.Join("\n", lines...)},
		},
		Context: []card.Text{
			card.Textf("The same words work in a thread after @%s, where Slack refuses slash commands. More tools are declared in the actions file (--tools).", b.Name),
			card.Textf("A flow file (YAML or JSON) that you drop with @%s, or in a direct message to me, becomes a draft, too. *Edit as file* on a draft's card gives it back.", b.Name),
		},
	})
}

// wordsMost is how many characters of examples a section of a message takes.
const wordsMost = 2400

// helpWords lists what can be said, an example for each, and how a draft is changed: in as many messages as it takes.
func (b *Bot) helpWords(ctx context.Context, in request.Incoming) error {
	var pages []card.Card
	page, room := card.Card{Text: card.Textf("What I can read, with an example for each. Steps may be numbered, or sentences one after the other.")}, wordsMost
	add := func(title, text string) {
		if room -= len([]rune(title + text)); room < 0 && len(page.Sections) > 0 {
			pages, page, room = append(pages, page), card.Card{}, wordsMost-len([]rune(title+text))
		}
		page.Sections = append(page.Sections, card.Section{Title: title, Text: card.Block(text)})
	}
	for _, s := range outline.Phrasebook() {
		add(s.Title, strings.Join(s.Lines, "\n"))
	}
	add("Change a draft, in its thread", change.Forms)
	batch := &storage.Batch{}
	for _, c := range append(pages, page) {
		batch.Surfaces = append(batch.Surfaces, b.replies.Private(in, c))
	}
	return b.replies.Write(ctx, in, batch)
}

// connected names the modules that tools come from.
func (b *Bot) connected() string {
	var mods []string
	for _, t := range b.Tools.All() {
		m, _, _ := strings.Cut(t.Name, ".")
		if !slices.Contains(mods, m) {
			mods = append(mods, m)
		}
	}
	if len(mods) == 0 {
		return "nothing yet"
	}
	return strings.Join(mods, ", ")
}
