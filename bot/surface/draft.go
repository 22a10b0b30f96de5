package surface

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/bot/card"
	"sluice/bot/draft"
	"sluice/engine/flow"
	"sluice/engine/flow/chart"
	"sluice/engine/flow/listing"
	"sluice/engine/planner/readback"
	"sluice/engine/run/compile"
	"sluice/engine/schedule"
	"sluice/render"
	"sluice/storage"
)

// DraftCard shows a draft: what has to be answered, its picture, what it does and may do, what changes, and buttons while it is open.
func (cs *Cards) DraftCard(ctx context.Context, id string) (card.Card, error) {
	d, err := cs.Engine.Store().Draft(ctx, id)
	if err != nil {
		return card.Card{}, err
	}
	if d.Status == draft.Drafting {
		return draftingCard(d)
	}
	b, f, err := draft.Decode(d)
	if err != nil {
		return card.Card{}, err
	}
	diff, err := cs.draftDiff(ctx, d, b, f)
	if err != nil {
		return card.Card{}, err
	}
	c := card.Card{
		Title:   draft.Title(d),
		Picture: &card.Picture{Chart: readback.Chart(f, b.Numbers, b.Open...), Diff: diff, Title: flow.Words(f.Name), Key: "draft:" + d.ID + ":" + d.Hash},
	}
	if d.Status != draft.Open {
		return closedDraft(ctx, cs, c, d, b)
	}
	return cs.openDraft(ctx, c, d, b)
}

// draftingCard is the card while the draft is being made.
func draftingCard(d storage.Draft) (card.Card, error) {
	var b draft.Body
	if err := json.Unmarshal(d.Body, &b); err != nil {
		return card.Card{}, fmt.Errorf("read draft %s: %w", d.ID, err)
	}
	c := card.Card{Text: card.Textf(":hourglass_flowing_sand: Drafting ...")}
	if b.Reading != nil && b.Reading.None {
		c.Text = card.Textf("No draft came of this.")
		if b.Reading.Usage.Tokens() > 0 {
			c.Context = []card.Text{card.Plain(Cost(b.Reading.Usage))}
		}
	}
	return c, nil
}

// openDraft fills in what an open draft says and asks, and its buttons.
func (cs *Cards) openDraft(ctx context.Context, c card.Card, d storage.Draft, b draft.Body) (card.Card, error) {
	whole, err := cs.wholeDraft(ctx, d)
	if err != nil {
		return card.Card{}, err
	}
	c.Text, c.Warnings, c.Questions = whole.Text, whole.Warnings, append(needsQuestion(b), questions(d, b)...)
	lists, cut := counted(d, b)
	c.Sections = whole.Sections
	for _, l := range lists {
		i := slices.IndexFunc(c.Sections, func(s card.Section) bool { return s.Title == l.Title })
		c.Sections[i] = l
	}
	c.Buttons, c.Context = draftButtons(d, b, cut), cs.smallPrint(d, b)
	if !cut && cs.Fits(c) {
		return c, nil
	}
	if len(b.Questions) > 0 || b.Unsettled() != "" { // there is nothing to decide yet
		return fitting(cs, c), nil
	}
	at := storage.Surface{ID: "draft-" + d.ID + "-" + d.Hash[:min(12, len(d.Hash))], Channel: d.Channel, Thread: d.Thread}
	posted, words, err := cs.whole(ctx, at, FileBody{Draft: d.ID, Flow: d.Flow, Format: formatWhole})
	if err != nil {
		return card.Card{}, err
	}
	c = fitting(cs, c)
	c.Text = card.Join("\n", words, c.Text)
	if !posted {
		c.Buttons = slices.DeleteFunc(c.Buttons, func(b card.Button) bool { return b.Decides })
	}
	return c, nil
}

// fitting shortens the sections of a card that is too long for a message.
func fitting(p *Cards, c card.Card) card.Card {
	if p.Fits(c) {
		return c
	}
	return beginnings(c)
}

// draftButtons are the buttons of an open draft. Approve is one of them when no question and no problem is open.
func draftButtons(d storage.Draft, b draft.Body, cut bool) []card.Button {
	out := append(needsButton(d, b), answerButton(d, b)...)
	if !b.Blocked() {
		out = append(out, card.Button{Action: "draft.approve", Label: "Approve", Value: draft.Value(d), Style: card.Primary, Decides: true})
	}
	out = append(out, card.Button{Action: "draft.try", Label: "Try it", Value: draft.Value(d)})
	if d.Base > 0 { // there may be runs
		out = append(out, card.Button{Action: "draft.replay", Label: "Replay", Value: draft.Value(d)})
	}
	if cut {
		out = append(out, card.Button{Action: "draft.changes", Label: allChanges, Value: draft.Value(d)})
	}
	return append(out,
		card.Button{Action: "draft.details", Label: "Details", Value: draft.Value(d)},
		card.Button{Action: "draft.file", Label: "Edit as file", Value: draft.Value(d)},
		card.Button{
			Action: "draft.discard", Label: "Discard", Value: draft.Value(d),
			Confirm: &card.Confirm{Title: "Discard this draft?", Text: "Nothing has been approved; what was sent stays in this thread.", Yes: "Discard", No: "Keep"},
		})
}

// smallPrint names the author and the required approver of a draft, and on the first draft explains how to change it.
func (cs *Cards) smallPrint(d storage.Draft, b draft.Body) []card.Text {
	by := card.Textf("By %s", mentions(b.Authors))
	if b.Second && len(b.Allows) > 0 {
		by = card.Textf("%s · a second person must approve it: %s", by, cmp.Or(b.Seconds, "somebody who may decide its gates, or an approver"))
	} else if !b.Second {
		by = card.Textf("%s · one person's approval is enough", by)
	}
	if b.Only != nil {
		by = card.Textf("%s · it changes *%s* alone, which goes on by it from its failed step", by, b.Only.Name)
	}
	switch {
	case b.Dropped():
		by = card.Textf("%s · from the file %s: to change it, drop the file here again, with @%s", by, b.File, cs.Name)
	case b.File != "":
		by = card.Textf("%s · from %s: to change it, reply in your own words, or press *Edit as file* and drop the changed file here, with @%s", by, b.File, cs.Name)
	case d.Number == 1:
		by = card.Textf("%s · to change it, reply in your own words, such as “add after 2: tell #general”", by)
	}
	if b.Reading != nil && b.Reading.Usage.Tokens() > 0 {
		by = card.Textf("%s · %s", by, Cost(b.Reading.Usage))
	}
	return []card.Text{by}
}

// wholeDraft is everything that an approver approves, in words.
func (cs *Cards) wholeDraft(ctx context.Context, d storage.Draft) (card.Card, error) {
	b, f, err := draft.Decode(d)
	if err != nil {
		return card.Card{}, err
	}
	c := card.Card{Title: draft.Title(d), Text: card.Plain(aboutFlow(b, f))}
	if b.Edit != "" {
		changed := card.Textf("*Changed:* %s", b.Edit)
		if c.Text.Empty() {
			c.Text = changed
		} else {
			c.Text = card.Join("\n", c.Text, changed)
		}
	}
	var counted []card.Section
	for _, l := range countedLists(d, b) {
		var lines []card.Text
		for _, line := range l.lines {
			lines = append(lines, card.Textf("• %s", said(line)))
		}
		counted = append(counted, card.Section{Title: l.title, Text: card.Join("\n", lines...)})
	}
	old, err := cs.stepsBefore(ctx, d, b)
	if err != nil {
		return card.Card{}, err
	}
	if lines := Differences(old, b.Steps); len(old) > 0 && len(lines) > 0 {
		c.Sections = append(c.Sections, card.Section{Title: "What changes in the steps", Text: card.Join("\n", lines...)})
	}
	steps := card.Section{Title: "Steps", Text: card.Join("\n", Steps(marked(b))...)}
	if d.Base == 0 {
		c.Sections = append(append(c.Sections, steps), counted...)
	} else {
		c.Sections = append(append(c.Sections, counted...), steps)
		if len(b.May) > 0 {
			c.Sections = append(c.Sections, card.Section{Title: "What it may do", Text: card.Plain(strings.Join(b.May, " "))})
		}
	}
	c.Sections = append(append(c.Sections, needsSection(b)...), leftOut(b)...)
	if b.Reading != nil && b.Reading.Note != "" {
		c.Warnings = append(c.Warnings, card.Plain(b.Reading.Note))
	}
	for _, n := range append(readback.Opaque(f), b.Notes...) {
		if n.Code == "input" { // the steps say what a run is given
			continue
		}
		c.Warnings = append(c.Warnings, card.Plain(n.Text))
	}
	for _, words := range Unsupported(f) {
		c.Warnings = append(c.Warnings, card.Plain(words))
	}
	return c, nil
}

// marked are the steps of a draft; those with a question say so.
func marked(b draft.Body) []readback.Line {
	out := slices.Clone(b.Steps)
	for i := range out {
		if slices.Contains(b.Open, out[i].Node) && !strings.Contains(out[i].Text, needsAnswer) {
			out[i].Text += " (" + needsAnswer + ")"
		}
	}
	return out
}

const needsAnswer = "needs an answer"

// leftOut shows the words that a person has left out, with the person: an approver has to know both.
func leftOut(b draft.Body) []card.Section {
	if b.Tree == nil || len(b.Tree.Left) == 0 {
		return nil
	}
	var lines []card.Text
	for _, l := range b.Tree.LeftTogether() {
		lines = append(lines, card.Textf("• “%s” (%s)", strings.TrimSpace(b.Tree.Words(l.Quote)), card.User(l.By)))
	}
	return []card.Section{{Title: "Left out of the words", Text: card.Join("\n", lines...)}}
}

// aboutFlow is one sentence about the purpose of a flow.
func aboutFlow(b draft.Body, f *flow.Flow) string {
	if b.Tree != nil && b.Tree.About != "" {
		return b.Tree.About
	}
	return f.Description
}

// stepsBefore are the steps of what a draft changes: of the draft that it replaced, else of the approved version.
func (cs *Cards) stepsBefore(ctx context.Context, d storage.Draft, b draft.Body) ([]readback.Line, error) {
	before := b.Previous
	if before == "" && d.Base > 0 {
		rev, err := cs.Engine.Store().Revision(ctx, d.Flow, d.Base)
		if err != nil {
			return nil, err
		}
		before = rev.Draft
	}
	if before == "" {
		return nil, nil
	}
	old, err := cs.Engine.Store().Draft(ctx, before)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	was, _, err := draft.Decode(old)
	return was.Steps, err
}

// closedDraft is the card of a decided draft: the decision, and no buttons.
func closedDraft(ctx context.Context, p *Cards, c card.Card, d storage.Draft, b draft.Body) (card.Card, error) {
	switch d.Status {
	case draft.Replaced:
		c.Text = card.Textf(":arrow_down: Replaced")
		next, err := p.Engine.Store().Draft(ctx, b.Next)
		if err == nil {
			c.Text = card.Textf(":arrow_down: Replaced by draft %d, below.", next.Number)
		} else if !errors.Is(err, storage.ErrNotFound) {
			return c, err
		}
	case draft.Discarded:
		c.Text = card.Textf(":wastebasket: Discarded by %s.", card.User(b.ClosedBy))
	case draft.Approved:
		rev, err := p.Engine.Store().Revision(ctx, d.Flow, b.Revision)
		if err != nil {
			return c, err
		}
		if b.Only != nil {
			c.Title = fmt.Sprintf("%s, for %s alone", flow.Words(d.Flow), b.Only.Name)
			c.Text = card.Textf(":white_check_mark: Approved for *%s* alone by %s, %s. It goes on by this from the failed step; the flow stays as it is.", b.Only.Name, card.User(rev.By), card.Date(rev.At))
			c.Sections = []card.Section{{Title: "Steps", Text: card.Join("\n", Steps(b.Steps)...)}}
			return c, nil
		}
		c.Picture.Version, c.Picture.Diff = b.Revision, nil
		c.Picture.Key += ":approved"
		c.Title = fmt.Sprintf("%s, version %d", flow.Words(d.Flow), b.Revision)
		c.Text = card.Textf(":white_check_mark: Approved as version %d by %s, %s.", b.Revision, card.User(rev.By), card.Date(rev.At))
		c.Sections = append([]card.Section{{Title: "Steps", Text: card.Join("\n", Steps(b.Steps)...)}}, needsSection(b)...)
		_, f, err := draft.Decode(d)
		if err != nil {
			return c, err
		}
		if next, err := p.nextFires(ctx, f.Name); err != nil {
			return c, err
		} else if !next.Empty() {
			c.Sections = append(c.Sections, card.Section{Title: "It starts by itself, the next times in your zone", Text: next})
		}
		c.Buttons = flowButtons(f)
		if NeedsInputs(f) {
			c.Context = append(c.Context, p.startLine(f))
		}
	}
	return c, nil
}

// Unsupported says what of a flow this version cannot do: its draft can be discussed, and not be approved.
func Unsupported(f *flow.Flow) []string {
	var words []string
	if kinds := compile.Unsupported(f); len(kinds) > 0 {
		words = append(words, "This version does not run nodes of type "+strings.Join(kinds, ", ")+".")
	}
	return words
}

// nextFires lists when a flow's own triggers start it next.
func (cs *Cards) nextFires(ctx context.Context, name string) (card.Text, error) {
	all, err := cs.Engine.Store().Schedules(ctx, name)
	if err != nil {
		return card.Text{}, err
	}
	var lines []card.Text
	for _, s := range all {
		if s.Paused || !strings.HasPrefix(s.ID, "trigger-") {
			continue
		}
		sched, err := schedule.ParseCron(s.Cron, s.Zone)
		if err != nil {
			return card.Text{}, err
		}
		for _, t := range schedule.NextFires(sched, s.Next.Add(-time.Second), 5) {
			lines = append(lines, card.Textf("• %s", card.Date(t)))
		}
	}
	return card.Join("\n", lines...), nil
}

// startLine says how a flow is started.
func (cs *Cards) startLine(f *flow.Flow) card.Text {
	return card.Textf("Start it: `%s run %s`", cs.Command, startWords(f))
}

func startWords(f *flow.Flow) string {
	parts := []string{f.Name}
	for _, in := range f.Inputs {
		if !in.Required {
			continue
		}
		v := "…"
		if in.Example != nil && !in.Sensitive {
			v = listing.Sample(in.Example)
		}
		parts = append(parts, in.Name+"="+v)
	}
	return strings.Join(parts, " ")
}

// draftDiff compares an open draft with what came before it: the draft that it replaced, else the revision that it changes.
func (cs *Cards) draftDiff(ctx context.Context, d storage.Draft, b draft.Body, f *flow.Flow) (*render.Diff, error) {
	old, err := cs.before(ctx, d, b)
	if err != nil || old == nil {
		return nil, err
	}
	diff := render.Compare(chart.Of(old).Numbered(readback.Numbers(old)).OneStub(), chart.Of(f).Numbered(b.Numbers).OneStub())
	if diff.Empty() {
		return nil, nil
	}
	return diff, nil
}

// before is the flow before a draft; nil = there is none.
func (cs *Cards) before(ctx context.Context, d storage.Draft, b draft.Body) (*flow.Flow, error) {
	if b.Previous == "" && d.Base == 0 {
		return nil, nil
	}
	if b.Previous == "" {
		return draft.Saved(ctx, cs.Engine.Store(), d.Flow, d.Base)
	}
	prev, err := cs.Engine.Store().Draft(ctx, b.Previous)
	if err != nil {
		return nil, err
	}
	_, old, err := draft.Decode(prev)
	return old, err
}

func mentions(users []string) card.Text {
	var out []card.Text
	for _, u := range users {
		out = append(out, card.User(u))
	}
	return card.Join(", ", out...)
}
