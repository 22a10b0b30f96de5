package operate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/bot/request"
	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/usererror"
)

// Agents lists the agents that flows may name, or shows one of them.
func (ls *Lists) Agents(ctx context.Context, in request.Incoming, c request.Command) error {
	all, err := ls.Engine.Agents(ctx)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return ls.Replies.SayText(ctx, in, card.Textf("There are no agents that flows could name: an operator declares them in a file (--agents), or adds them (sluice agents add)."))
	}
	if i := slices.IndexFunc(all, func(a flow.Agent) bool { return a.ID == c.Arg(0) }); i >= 0 {
		out := card.Card{Title: "Agent " + all[i].ID}
		out.Sections = []card.Section{{Text: card.Block(strings.TrimSpace(string(file.FormatAgent(all[i]))))}}
		return ls.Replies.Say(ctx, in, out)
	}
	var lines []card.Text
	var names []string
	for _, a := range all {
		line := card.Textf("• *%s*  %s, %s", a.ID, cmp.Or(a.Model, "the default model"), cmp.Or(strings.Join(a.Tools, ", "), "no tools"))
		if a.Description != "" {
			line = card.Textf("%s: %s", line, card.Shorten(a.Description, descriptionMost))
		}
		lines, names = append(lines, line), append(names, a.ID)
	}
	page, err := request.PageOf(c, 0, "agents")
	if err != nil {
		return &usererror.Error{
			Code: "no_agent", Text: fmt.Sprintf("There is no agent called %q.", card.Shorten(c.Arg(0), 40)), Hint: request.DidYouMean(c.Arg(0), names, "`/flow agents` lists them."),
		}
	}
	out := card.Card{Title: "Agents that flows can name"}
	ls.Replies.PagedNames(&out, lines, names, c, page, "agents")
	return ls.Replies.Say(ctx, in, out)
}

// descriptionMost is how much of a description stands in a list.
const descriptionMost = 120
