package project

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sluice/bot/card"
	"sluice/engine"
	"sluice/engine/flow"
	"sluice/engine/plan"
	"sluice/engine/run"
	"sluice/render"
	"sluice/storage"
)

// draftCard shows a draft: its picture, the read-back, what it newly allows, warnings, and buttons while it is open.
func (p *Projector) draftCard(ctx context.Context, id string) (card.Card, error) {
	d, err := p.Engine.Store().Draft(ctx, id)
	if err != nil {
		return card.Card{}, err
	}
	b, f, err := DecodeDraft(d)
	if err != nil {
		return card.Card{}, err
	}
	diff, err := p.draftDiff(ctx, d, b, f)
	if err != nil {
		return card.Card{}, err
	}
	c := card.Card{
		Title:   draftTitle(d),
		Picture: &card.Picture{Plan: plan.Number(f.Plan(), b.Lines), Diff: diff, Title: f.Name, Key: "draft:" + d.ID},
	}
	if d.Status != DraftOpen {
		return closedDraft(ctx, p, c, d, b)
	}
	if b.Edit != "" {
		c.Text = "Changed: " + card.Escape(b.Edit)
	}
	c.Sections = append(c.Sections, card.Section{Title: "What it does", Text: readBack(b.ReadBack)})
	if len(b.Allows) > 0 {
		c.Sections = append(c.Sections, card.Section{Title: "What it newly allows", Text: bullets(allowances(b.Allows))})
	}
	for _, n := range append(plan.Opaque(f), b.Notes...) {
		c.Warnings = append(c.Warnings, card.Escape(n.Text))
	}
	c.Warnings = append(c.Warnings, Unsupported(f)...)
	c.Buttons = []card.Button{
		{Action: "draft.approve", Label: "Approve", Value: DraftValue(d), Style: card.Primary},
		{Action: "draft.try", Label: "Try it", Value: DraftValue(d)},
	}
	if d.Base > 0 { // there may be runs
		c.Buttons = append(c.Buttons, card.Button{Action: "draft.replay", Label: "Replay", Value: DraftValue(d)})
	}
	c.Buttons = append(c.Buttons,
		card.Button{Action: "draft.file", Label: "Edit as file", Value: DraftValue(d)},
		card.Button{
			Action: "draft.discard", Label: "Discard", Value: DraftValue(d),
			Confirm: &card.Confirm{Title: "Discard this draft?", Text: "Nothing has been approved; what was sent stays in this thread.", Yes: "Discard", No: "Keep"},
		})
	second := "one person's approval is enough (second_person is off)"
	if b.Second && len(b.Allows) > 0 {
		second = "a second person must approve it"
	}
	c.Context = []string{fmt.Sprintf("By %s · %s · %s", mentions(b.Authors), second, p.howToChange(b))}
	return c, nil
}

// howToChange says how an open draft is changed in its thread.
func (p *Projector) howToChange(b DraftBody) string {
	if b.File == "" {
		return "to change a step, reply with its number: “2. …”"
	}
	return fmt.Sprintf("from the file %s · to change it, drop the file here again, with @%s, or reply “3 goes to @name”, “add after 2: …”", card.Escape(b.File), p.Name)
}

// closedDraft is what stays of a draft that was decided on: no buttons, and what became of it.
func closedDraft(ctx context.Context, p *Projector, c card.Card, d storage.Draft, b DraftBody) (card.Card, error) {
	switch d.Status {
	case DraftReplaced:
		c.Text = ":arrow_down: Replaced"
		next, err := p.Engine.Store().Draft(ctx, b.Next)
		if err == nil {
			c.Text = fmt.Sprintf(":arrow_down: Replaced by draft %d, below.", next.Number)
		} else if !errors.Is(err, storage.ErrNotFound) {
			return c, err
		}
	case DraftDiscarded:
		c.Text = fmt.Sprintf(":wastebasket: Discarded by <@%s>.", b.ClosedBy)
	case DraftApproved:
		rev, err := p.Engine.Store().Revision(ctx, d.Flow, b.Revision)
		if err != nil {
			return c, err
		}
		c.Title = fmt.Sprintf("%s, revision %d", d.Flow, b.Revision)
		c.Text = fmt.Sprintf(":white_check_mark: Approved as revision %d by <@%s>, %s.", b.Revision, rev.By, card.Date(rev.At))
		c.Sections = []card.Section{{Title: "What it does", Text: readBack(b.ReadBack)}}
		c.Context = []string{"Revision hash `" + rev.LockHash[:min(12, len(rev.LockHash))] + "`"}
		_, f, err := DecodeDraft(d)
		if err != nil {
			return c, err
		}
		if next, err := p.nextFires(ctx, f.Name); err != nil {
			return c, err
		} else if next != "" {
			c.Sections = append(c.Sections, card.Section{Title: "It starts by itself, the next times in your zone", Text: next})
		}
		if needsInputs(f) {
			c.Context = append(c.Context, "Start it: `"+p.Command+" run "+startWords(f)+"`")
		} else {
			c.Buttons = []card.Button{{Action: "run.now", Label: "Run now", Value: f.Name, Style: card.Primary}}
		}
	}
	return c, nil
}

// Unsupported says what of a flow this version cannot do: its draft can be discussed, and not be approved.
func Unsupported(f *flow.Flow) []string {
	var words []string
	if kinds := run.Unsupported(f); len(kinds) > 0 {
		words = append(words, "This version does not run nodes of type "+strings.Join(kinds, ", ")+".")
	}
	return words
}

// nextFires lists when a flow's own triggers start it next.
func (p *Projector) nextFires(ctx context.Context, name string) (string, error) {
	all, err := p.Engine.Store().Schedules(ctx, name)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, s := range all {
		if s.Paused || !strings.HasPrefix(s.ID, "trigger-") {
			continue
		}
		sched, err := engine.ParseCron(s.Cron, s.Zone)
		if err != nil {
			return "", err
		}
		for _, t := range engine.NextFires(sched, s.Next.Add(-time.Second), 5) {
			lines = append(lines, "• "+card.Date(t))
		}
	}
	return strings.Join(lines, "\n"), nil
}

func needsInputs(f *flow.Flow) bool {
	for _, in := range f.Inputs {
		if in.Required && in.Default == nil {
			return true
		}
	}
	return false
}

func startWords(f *flow.Flow) string {
	parts := []string{f.Name}
	for _, in := range f.Inputs {
		if !in.Required {
			continue
		}
		v := "…"
		if in.Example != nil && !in.Sensitive {
			v = fmt.Sprint(in.Example)
		}
		parts = append(parts, in.Name+"="+v)
	}
	return strings.Join(parts, " ")
}

// draftTitle numbers a draft, and says of which revision it may become the next.
func draftTitle(d storage.Draft) string {
	if d.Base > 0 {
		return fmt.Sprintf("%s, draft %d after revision %d", d.Flow, d.Number, d.Base)
	}
	return fmt.Sprintf("%s, draft %d", d.Flow, d.Number)
}

// draftDiff compares an open draft with what came before it: the draft that it replaced, else the revision that it changes.
func (p *Projector) draftDiff(ctx context.Context, d storage.Draft, b DraftBody, f *flow.Flow) (*render.Diff, error) {
	old, err := p.before(ctx, d, b)
	if err != nil || old == nil {
		return nil, err
	}
	diff := render.Compare(old.Plan(), f.Plan())
	if diff.Empty() {
		return nil, nil
	}
	return diff, nil
}

// before is the flow before a draft; nil = there is none.
func (p *Projector) before(ctx context.Context, d storage.Draft, b DraftBody) (*flow.Flow, error) {
	if b.Previous == "" && d.Base == 0 {
		return nil, nil
	}
	if b.Previous == "" {
		rev, err := p.Engine.Store().Revision(ctx, d.Flow, d.Base)
		if err != nil {
			return nil, err
		}
		return flow.FromJSON(rev.Body)
	}
	prev, err := p.Engine.Store().Draft(ctx, b.Previous)
	if err != nil {
		return nil, err
	}
	_, old, err := DecodeDraft(prev)
	return old, err
}

func allowances(all []flow.Allowance) []string {
	var out []string
	for _, a := range all {
		out = append(out, a.Words)
	}
	return out
}

// readBack sets what a flow does, step by step, apart from what is said of the whole.
func readBack(lines []string) string {
	var b strings.Builder
	numbered := false
	for _, l := range escaped(lines) {
		step := l != "" && l[0] >= '0' && l[0] <= '9'
		if numbered && !step {
			b.WriteByte('\n')
		}
		numbered = step
		b.WriteString(l + "\n")
	}
	return b.String()
}

func escaped(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = card.Escape(l)
	}
	return out
}

func bullets(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString("• " + card.Escape(l) + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

func mentions(users []string) string {
	var out []string
	for _, u := range users {
		out = append(out, "<@"+u+">")
	}
	return strings.Join(out, ", ")
}
