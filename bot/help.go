package bot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/engine/flow"
	"sluice/engine/tool"
)

// order of the commands in help.
var helpOrder = []string{
	"new", "run", "runs", "show", "cancel", "retry", "skip", "reopen", "approvals", "answer", "list", "approve", "try", "replay", "export", "schedule", "schedules",
	"pause", "resume", "fork", "move", "undo", "help",
}

func (b *Bot) help(ctx context.Context, in Incoming, _ Command) error {
	var lines []string
	all := verbs()
	for _, name := range helpOrder {
		v := all[name]
		lines = append(lines, fmt.Sprintf("• `%s %s`  %s", b.Command, card.Escape(v.usage), v.help))
	}
	return b.say(ctx, in, card.Card{
		Text: fmt.Sprintf("I turn steps you write into a flowchart, and run it once it is approved. I can use: %s.", b.connected()),
		Sections: []card.Section{
			{Title: "Try it", Text: "```@" + b.Name + " new " + b.exampleOutline() + "```"},
			{Title: "By itself", Text: "Steps may begin with what starts them: “every Monday at 9, …”, “when a message in #refunds says refund &lt;order_id&gt;, …”, “when somebody reacts with :moneybag:, …”."},
			{Title: "Commands", Text: strings.Join(lines, "\n")},
		},
		Context: []string{
			"The same words work in a thread after @" + b.Name + ", where Slack refuses slash commands. More tools are declared in the actions file (--tools).",
			"A flow file (YAML or JSON) that you drop with @" + b.Name + ", or in a direct message to me, becomes a draft, too. *Edit as file* on a draft's card gives it back.",
		},
	})
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
	if t, ok := b.exampleTool(flow.EffectsRead); ok {
		add(t.Words[0])
	}
	add("ask me to approve")
	if t, ok := b.exampleTool(flow.EffectsOnce, flow.EffectsIdempotent); ok {
		add(t.Words[0])
	}
	add("tell #general")
	return "example:\n" + strings.Join(steps, "\n")
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
