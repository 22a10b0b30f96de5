package project

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/run"
	"sluice/storage"
)

// gateCard shows a question: what is asked, what is being approved, who may answer, until when; after the decision its outcome,
// by whom and when, without buttons.
func (p *Projector) gateCard(ctx context.Context, id string) (card.Card, error) {
	g, err := p.Engine.Store().Gate(ctx, id)
	if err != nil {
		return card.Card{}, err
	}
	b, err := engine.DecodeGate(g)
	if err != nil {
		return card.Card{}, err
	}
	v, err := p.Engine.View(ctx, g.Run)
	if err != nil {
		return card.Card{}, err
	}
	c := card.Card{Text: question(v, g, b)}
	for _, s := range b.Opened.Show {
		c.Sections = append(c.Sections, card.Section{Title: shownName(v, s.Name), Text: shownValue(s.Value)})
	}
	if e := b.Opened.Error; e != nil {
		c.Sections = append(c.Sections, card.Section{Title: "What happened", Text: card.Escape(e.Message)})
		if in := stepInput(v, b.Step); in != "" {
			c.Sections = append(c.Sections, card.Section{Title: "What it was given", Text: "```" + card.Escape(in) + "```"})
		}
	}
	if g.Status != "open" {
		c.Sections = append(c.Sections, card.Section{Text: outcome(g, b)})
		c.Context = []string{card.Escape(v.Run.Name)}
		if g.Choice == run.ChoiceTimeout && run.Status(v.Run.Status) == run.Failed && v.Visits[b.Step-1].State == run.StateError {
			c.Buttons = []card.Button{{Action: "gate.reopen", Label: "Reopen", Value: g.ID}}
		}
		return c, nil
	}
	return c, p.openGate(ctx, &c, v, g, b)
}

// openGate adds what only an open question has: picture, votes, buttons, who and until when.
func (p *Projector) openGate(ctx context.Context, c *card.Card, v *engine.View, g storage.Gate, b engine.GateBody) error {
	c.Picture = Picture(v)
	c.Picture.Key = "gate:" + g.ID // a question's picture shows the moment it was asked
	c.Picture.Below = true
	if b.Opened.Quorum > 1 {
		c.Sections = append(c.Sections, card.Section{Text: fmt.Sprintf("%d of %d answers%s", len(b.Votes), b.Opened.Quorum, voters(b.Votes))})
	}
	c.Buttons = GateButtons(g.ID, b.Opened.Choices, b.Opened.Hash, "")
	if len(b.Opened.Choices) == 0 {
		c.Sections = append(c.Sections, card.Section{Text: howToAnswer(p.Name, b)})
	} else if values := valueChoices(b.Opened); values != "" {
		c.Sections = append(c.Sections, card.Section{Text: fmt.Sprintf("With a value of your own: reply `@%s answer %s value=…`", p.Name, values)})
	}
	asked, _, err := p.Engine.Deciders(ctx, v.Run, b)
	if err != nil {
		return err
	}
	line := "Who may answer: " + Who(asked, true)
	if !g.Due.IsZero() {
		line += " · until " + card.Date(g.Due)
	}
	c.Context = []string{line + " · " + card.Escape(v.Run.Name)}
	return nil
}

// remindCard calls the people of an open question back to it; once it is decided it says so.
func (p *Projector) remindCard(ctx context.Context, id string) (card.Card, error) {
	g, err := p.Engine.Store().Gate(ctx, id)
	if err != nil {
		return card.Card{}, err
	}
	b, err := engine.DecodeGate(g)
	if err != nil {
		return card.Card{}, err
	}
	if g.Status != "open" {
		return card.Card{Text: "Meanwhile: " + outcome(g, b)}, nil
	}
	r, err := p.Engine.Store().Run(ctx, g.Run)
	if err != nil {
		return card.Card{}, err
	}
	nobody, err := p.Engine.Nobody(ctx, r, b)
	if err != nil {
		return card.Card{}, err
	}
	if nobody != "" {
		const text = ":warning: Still open since %s, and %s. It stays open: whoever comes back may answer, and `/flow cancel %s` ends it. %s"
		return card.Card{Text: fmt.Sprintf(text, card.Date(g.Opened), card.Escape(nobody), r.Name, card.Escape(b.Opened.Message))}, nil
	}
	asked, users, err := p.Engine.Deciders(ctx, r, b)
	if err != nil {
		return card.Card{}, err
	}
	who := Who(asked, true)
	if len(users) > 0 && len(users) <= remindMost {
		who = mentions(users)
	}
	return card.Card{Text: fmt.Sprintf(":bell: Still open since %s, %s may answer: %s", card.Date(g.Opened), who, card.Escape(b.Opened.Message))}, nil
}

// Who names the people of a gate. Called, they are notified; otherwise groups and channels are only named.
func Who(who []engine.Principal, call bool) string {
	var out []string
	for _, p := range who {
		switch {
		case p.Kind == "user":
			out = append(out, "<@"+p.ID+">")
		case p.Kind == "unknown":
			out = append(out, card.Escape(p.Name)+" (nobody here is called that)")
		case p.Kind == "group" && call:
			out = append(out, "members of <!subteam^"+p.ID+"|"+card.Escape(p.Name)+">")
		default:
			out = append(out, "members of "+card.Escape(p.Name))
		}
	}
	if len(out) == 0 {
		return "nobody"
	}
	return strings.Join(out, " or ")
}

// remindMost is how many people a reminder calls by name; a larger group is only named.
const remindMost = 5

func question(v *engine.View, g storage.Gate, b engine.GateBody) string {
	text := card.Escape(b.Opened.Message)
	switch b.Opened.Kind {
	case run.GateFailure: // what happened is told below
		return ":x: *A step failed: " + card.Escape(strings.TrimRight(stepName(v, g.Node), ".?!")) + ".*"
	case run.GateUnknown:
		return ":grey_question: *It is not known whether this was done.* " + text
	case run.GateAgent:
		return ":speech_balloon: *Please answer in the agent's place.*\n" + text
	case run.GateJudge:
		return ":scales: *Please judge what the step gave.*\n" + text
	}
	return ":raised_hand: *" + text + "*"
}

// stepName is how a person knows a node of a run.
func stepName(v *engine.View, id string) string {
	if n := v.Flow.Node(id); n != nil {
		return nodeName(n)
	}
	return flow.Words(id)
}

func shownValue(v any) string {
	switch v := v.(type) {
	case nil:
		return "_nothing_"
	case string:
		return card.Escape(v)
	case map[string]any:
		if lines, flat := flatLines(v); flat {
			return lines
		}
	}
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return card.Escape(fmt.Sprint(v))
	}
	return "```" + card.Escape(string(b)) + "```"
}

// flatLines writes an object of plain values as lines; false when it nests.
func flatLines(m map[string]any) (string, bool) {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(m)) {
		switch m[k].(type) {
		case map[string]any, []any:
			return "", false
		}
		fmt.Fprintf(&b, "%s: *%s*\n", card.Escape(strings.ReplaceAll(k, "_", " ")), card.Escape(fmt.Sprint(m[k])))
	}
	return b.String(), true
}

func voters(votes []run.Vote) string {
	var out []string
	for _, v := range votes {
		out = append(out, fmt.Sprintf("<@%s> %s", v.By.User, card.Escape(v.Choice)))
	}
	if len(out) == 0 {
		return ""
	}
	return ": " + strings.Join(out, ", ")
}

// howToAnswer tells how a question without choices is answered.
func howToAnswer(name string, b engine.GateBody) string {
	if len(b.Opened.Form) == 0 {
		return fmt.Sprintf("Reply in this thread: `@%s answer …`", name)
	}
	var fields []string
	for f, field := range b.Opened.Form {
		v := "…"
		if len(field.Enum) > 0 {
			var all []string
			for _, e := range field.Enum {
				all = append(all, fmt.Sprint(e))
			}
			v = strings.Join(all, "|")
		}
		fields = append(fields, f+"="+v)
	}
	slices.Sort(fields)
	return fmt.Sprintf("Reply in this thread: `@%s answer %s`", name, strings.Join(fields, " "))
}

// valueChoices names the choice of a machine's own question that takes a value, where it is offered.
func valueChoices(o run.GateOpened) string {
	choice := map[run.GateKind]string{run.GateFailure: run.ChoiceSkip, run.GateUnknown: run.ChoiceDone}[o.Kind]
	if !slices.Contains(o.Choices, choice) {
		return ""
	}
	return choice
}

// outcome says how a question was decided.
func outcome(g storage.Gate, b engine.GateBody) string {
	switch g.Choice {
	case run.ChoiceTimeout:
		return ":alarm_clock: *Nobody answered in time*, " + card.Date(g.Decided)
	case run.ChoiceCancelled, run.ChoiceSuperseded:
		label := ChoiceLabel(g.Choice)
		if g.Choice == run.ChoiceSuperseded {
			label = "Not asked any more"
		}
		text := ":no_entry_sign: *" + label + "*, " + card.Date(g.Decided)
		if b.Note != "" {
			text += "\n>" + card.Escape(b.Note)
		}
		return text
	}
	mark, label := ":white_check_mark:", ChoiceLabel(g.Choice)
	if refuses(b.Opened, g.Choice) {
		mark = ":no_entry:"
	}
	if g.Choice == "" {
		label = "Answered"
	}
	text := fmt.Sprintf("%s *%s* by <@%s>, %s", mark, card.Escape(label), g.By, card.Date(g.Decided))
	if b.Text != "" {
		text += "\n>" + card.Escape(b.Text)
	}
	if b.Note != "" {
		text += "\n>" + card.Escape(b.Note)
	}
	return text
}

// refuses says whether a choice is a no: any but the first of a flow's own question, and giving up at one of the machine's.
func refuses(o run.GateOpened, choice string) bool {
	if o.Kind == run.GateFailure || o.Kind == run.GateUnknown {
		return choice == run.ChoiceAbort
	}
	return len(o.Choices) > 0 && choice != o.Choices[0]
}

// stepInput gives what a failed step was called with, as it was stored: secrets are redacted there.
func stepInput(v *engine.View, step int) string {
	for _, f := range slices.Backward(v.Facts) {
		if b, ok := f.Body.(*run.StepStarted); ok && f.Step == step && len(b.Params) > 0 {
			in := string(b.Params)
			if r := []rune(in); len(r) > 800 {
				in = string(r[:800]) + "…"
			}
			return in
		}
	}
	return ""
}

// shownName calls a shown value by the step that it comes from.
func shownName(v *engine.View, path string) string {
	head, rest, _ := strings.Cut(path, ".")
	n := v.Flow.Node(head)
	if n == nil {
		return path
	}
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "result"), ".")
	if rest == "" {
		return nodeName(n)
	}
	return nodeName(n) + ": " + strings.ReplaceAll(rest, ".", " ")
}
