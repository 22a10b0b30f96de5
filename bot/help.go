package bot

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/engine/flow"
	"sluice/engine/planner/change"
	"sluice/engine/planner/outline"
	"sluice/engine/tool"
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
	return b.Replies.Say(ctx, in, card.Card{
		Text: card.Textf("I turn steps you write into a flowchart, and run it once it is approved. I can use: %s.", b.connected()),
		Sections: []card.Section{
			{Title: "Try it", Text: card.Block("@" + b.Name + " new " + b.exampleOutline())},
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
		batch.Surfaces = append(batch.Surfaces, b.Replies.Private(in, c))
	}
	return b.Replies.Write(ctx, in, batch)
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

// exampleOutline builds a working example from the tools that exist.
func (b *Bot) exampleOutline() string {
	var steps []string
	add := func(s string) { steps = append(steps, fmt.Sprintf("%d. %s", len(steps)+1, s)) }
	read, ok := b.exampleTool(flow.EffectsRead)
	if ok {
		add(read.Words[0])
	}
	add("ask me to approve")
	if t, ok := b.exampleTool(flow.EffectsOnce, flow.EffectsIdempotent); ok {
		add(t.Words[0] + withValues(read, t))
	}
	add("tell #general")
	return "example:\n" + strings.Join(steps, "\n")
}

// withValues names what a tool may be given of what one before it gives: what people approve is what is used.
func withValues(read, write tool.Tool) string {
	gives, _ := read.Result["properties"].(map[string]any)
	takes, _ := write.Params["properties"].(map[string]any)
	needs, _ := write.Params["required"].([]any)
	var names []string
	for _, name := range slices.Sorted(maps.Keys(takes)) {
		if gives[name] != nil && !slices.Contains(needs, any(name)) {
			names = append(names, "the "+strings.ReplaceAll(name, "_", " "))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " with " + strings.Join(names, " and ")
}

// builtIn tells the tools that every installation has from those that an actions file declares.
func builtIn(t tool.Tool) bool {
	return strings.HasPrefix(t.Name, "slack.") || strings.HasPrefix(t.Name, "http.")
}

func (b *Bot) exampleTool(effects ...flow.Effects) (tool.Tool, bool) {
	for _, t := range b.Tools.All() {
		if len(t.Words) > 0 && slices.Contains(effects, t.Effects) && !builtIn(t) {
			return t, true
		}
	}
	return tool.Tool{}, false
}
