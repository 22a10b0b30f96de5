package planner

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/planner/change"
	"sluice/engine/planner/english"
	"sluice/engine/planner/tree"
)

// askClauses asks about each part that is not understood.
func (p *inquiry) askClauses() {
	for _, c := range p.out.Account {
		words := strings.TrimSpace(p.t.Words(c.Quote))
		if c.State != notUnderstood || words == "" {
			continue
		}
		q := &asking{Question: Question{ID: fmt.Sprintf("clause.%d.%d", c.Quote.Text, c.Quote.From), Step: c.Step, Kind: "clause", Quote: words}, at: c.Quote}
		q.Text = fmt.Sprintf("I did not understand %s. What should happen with it?", english.Quote(strings.Trim(words, " ,.;:")))
		if s := p.t.Step(c.Step); s != nil && s.Doer == tree.DoerTool && c.Quote.Overlaps(s.Said) {
			q.Text = fmt.Sprintf("Step %s calls %s, which says nothing of %s. What should happen with these words?",
				p.out.Numbers[s.ID], english.Quote(p.cat.Find(s.Tool).Does()), english.Quote(strings.Trim(words, " ,.;:")))
		}
		before := p.previous(c)
		q.button(optLeave, leaveOut, func(*tree.Step) { p.leave(c.Quote) })
		if before != nil && readByPeople(before) {
			q.button("note", "It belongs to the step before, as a note to people", func(*tree.Step) {
				before.Text, before.Parts = strings.TrimSpace(before.Text+" ("+trimWords(words)+")"), nil
				before.At = append(before.At, c.Quote)
			})
		}
		q.typed = func(_ *tree.Step, text string) error {
			id, ended, people := "", false, People(text, p.w)
			if before != nil {
				id, ended = before.ID, endsBefore(p.t, before, c.Quote)
			}
			changed, err := change.StandIn(p.t, text, p.by, id, ended, people...)
			if errors.Is(err, change.ErrNone) {
				changed, _, err = change.Apply(p.t, text, p.by, people...)
			}
			if err != nil {
				return wrong("words", "I did not understand %s either. Say it as a step of its own, such as “add after 2: ...”, or leave it out.", english.Quote(text))
			}
			p.t = changed
			p.t.Replaced = append(p.t.Replaced, c.Quote)
			return nil
		}
		p.add(q)
	}
}

// readByPeople reports whether people read the text of a step.
func readByPeople(s *tree.Step) bool {
	return s.Kind == tree.Ask || s.Kind == tree.Tell || s.Kind == tree.Do && s.Doer == tree.DoerPerson
}

// previous finds the step whose words stand before a clause; nil = there is none.
func (p *inquiry) previous(c Clause) (found *tree.Step) {
	best := -1
	for s := range p.t.Walk {
		if at := placeOf(s); !at.Empty() && at.Text == c.Quote.Text && at.From <= c.Quote.From && at.From > best {
			best, found = at.From, s
		}
	}
	return found
}

// endsBefore reports whether a sentence or a line ends between a step and words behind it.
func endsBefore(t *tree.Tree, s *tree.Step, q tree.Quote) bool {
	own, end := s.Own(), 0
	for _, said := range tree.Quotes(&own) {
		if said.Text == q.Text && said.To <= q.From {
			end = max(end, said.To)
		}
	}
	return strings.ContainsAny(t.Texts[q.Text].Words[end:q.From], ".;!?\n")
}

// askObjections asks about each difference that a second reading found, until a person confirms the draft.
func (p *inquiry) askObjections() {
	numbers := p.t.Numbers()
	for _, o := range p.t.Objections {
		if moot(p.t, o) {
			continue
		}
		for _, id := range o.Steps {
			o.Text = strings.ReplaceAll(o.Text, tree.NumberMark(id), numbers[id])
		}
		q := &asking{Question: Question{ID: "confirm." + o.ID, Kind: "confirm", Quote: p.t.Words(o.Quote)}, at: o.Quote}
		q.Text = fmt.Sprintf("A second reading differs from the draft: %s. Is the draft right as it is, or what should change (reply in this thread)?", trimWords(o.Text))
		label := "The draft is right"
		if o.Change {
			q.Text = fmt.Sprintf("The last change did this, too, and your words do not name it: %s. Is it meant (if not, reply “undo”)?", trimWords(o.Text))
			label = "It is meant"
		}
		if len(o.Drop) > 0 {
			q.Text, label = english.SentenceCase(trimWords(o.Text))+". What becomes of it?", "It stays"
			if len(o.Drop) > 1 {
				q.Text, label = english.SentenceCase(trimWords(o.Text))+". What becomes of them?", "They stay"
			}
		}
		p.keep(q, o)
		q.button("right", label, nil)
		p.drop(q, o)
		p.add(q)
	}
}

// keep offers to keep what a change took away.
func (p *inquiry) keep(q *asking, o tree.Objection) {
	var names []string
	for _, l := range o.Lost {
		if p.t.Step(l.Below) != nil {
			names = append(names, l.Name)
		}
	}
	if len(names) == 0 {
		return
	}
	q.button("keep", "Keep "+english.Join(names, "and"), func(*tree.Step) {
		for _, l := range o.Lost {
			p.t.Restore(l)
		}
		p.settle(q.ID)
	})
}

// drop offers to remove steps that stand in the way of a change.
func (p *inquiry) drop(q *asking, o tree.Objection) {
	var steps []tree.Step
	for _, id := range o.Drop {
		steps = append(steps, tree.Step{ID: id})
	}
	if len(steps) == 0 {
		return
	}
	q.button("drop", "Remove "+stepNames(p.t, steps), func(*tree.Step) {
		for _, id := range o.Drop {
			s := p.t.Step(id)
			p.t.Replaced = append(p.t.Replaced, tree.Quotes(s)...)
			exchange(p.t, s)
		}
	})
}

// moot reports whether a difference is none any more: a step that it is about is gone, or all of its words were left out or replaced.
func moot(t *tree.Tree, o tree.Objection) bool {
	if slices.ContainsFunc(o.Steps, func(id string) bool { return t.Step(id) == nil }) {
		return true
	}
	words, gone := wordsIn(t, o.Quote), slices.Clone(t.Replaced)
	for _, l := range t.Left {
		gone = append(gone, l.Quote)
	}
	return !o.Change && len(words) > 0 && !slices.ContainsFunc(words, func(w english.Word) bool { return !stands(w, o.Quote.Text, gone) })
}
