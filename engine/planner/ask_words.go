package planner

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/planner/account"
	"sluice/engine/planner/change"
	"sluice/engine/planner/english"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// askClauses asks about each part that is not understood, and once about all that the tool of a step says nothing of.
func (p *inquiry) askClauses() {
	open := slices.DeleteFunc(slices.Clone(p.out.Account), func(c account.Clause) bool {
		return c.State != account.NotUnderstood || strings.TrimSpace(p.t.Words(c.Quote)) == ""
	})
	for i, c := range open {
		parts, s := open[i:i+1], p.t.ToTool(c.Step, c.Quote)
		if s != nil {
			parts = slices.DeleteFunc(slices.Clone(open), func(o account.Clause) bool { return p.t.ToTool(o.Step, o.Quote) != s })
		}
		if parts[0] == c {
			askClause(p, parts, s)
		}
	}
}

// askClause asks about words that are not understood, or that the tool of a step says nothing of.
func askClause(p *inquiry, parts []account.Clause, s *tree.Step) {
	at, words := parts[0].Quote, strings.TrimSpace(p.t.Words(parts[0].Quote))
	said := english.Quote(strings.Trim(words, " ,.;:"))
	q := &asking{Question: Question{ID: fmt.Sprintf("clause.%d.%d", at.Text, at.From), Step: parts[0].Step, Kind: "clause", Quote: words}, at: at}
	var all []tree.Quote
	for _, part := range parts {
		if all = append(all, part.Quote); len(parts) > 1 {
			said, q.Lines = "what stands below", append(q.Lines, english.Quote(strings.Trim(p.t.Words(part.Quote), " ,.;:")))
		}
	}
	q.Text = fmt.Sprintf("I did not understand %s. What should happen with it?", said)
	if s != nil {
		q.Text = fmt.Sprintf("Step %s calls %s, which says nothing of %s. What should happen with these words?", p.out.Numbers[s.ID], english.Quote(p.cat.Find(s.Tool).Does()), said)
	}
	before, stands := p.t.Beside(at)
	switch s := p.t.Step(parts[0].Step); {
	case s != nil && s.ReadByPeople() && at.Overlaps(s.Said):
		askTime(p.t, q, s, trimWords(words), p.out.Numbers[s.ID])
	case stands && before != nil && before.ReadByPeople():
		q.button("note", "It belongs to the step before, as a note to people", func(*tree.Step) {
			before.Text, before.Parts = strings.TrimSpace(before.Text+" ("+trimWords(words)+")"), nil
			p.t.Replaced = append(p.t.Replaced, at)
		})
		fallthrough
	default:
		q.button(optLeave, leaveOut, func(*tree.Step) { p.leave(all...) })
		q.Default = optLeave
	}
	q.typed = func(_ *tree.Step, text string) error { return typedWords(p, text, all...) }
	p.add(q)
}

// typedWords takes them as what stands in the place of some that were not understood, or as a change of the draft.
func typedWords(p *inquiry, text string, gaps ...tree.Quote) error {
	changed, err := change.Reply(p.t, text, p.by, first(gaps), People(text, p.w)...)
	if why, is := errors.AsType[*change.Error](err); is {
		return wrong("words", "%s", why.Text)
	}
	if err != nil {
		return wrong("words", "I did not understand %s either. Say it as a step of its own, such as “add after 2: ...”, or leave it out.", english.Quote(text))
	}
	p.t, changed.Replaced = changed, append(changed.Replaced, gaps...)
	return nil
}

// askTime asks whether a time in what people are asked to do is how long they have.
func askTime(t *tree.Tree, q *asking, s *tree.Step, words, number string) {
	q.Text = fmt.Sprintf("What does %s say in step %s?", english.Quote(words), number)
	text := t.Texts[q.at.Text].Words
	const far = 24                                                                                      // bytes in which the next word stands
	early := phrase.Starting(phrase.Scan(text, q.at.To, min(len(text), q.at.To+far)), phrase.Early) > 0 // "no later than two days ahead"
	if term := limitIn(words); term != "" && !early && (s.Deadline == nil || s.Deadline.After == "") {
		q.button("deadline", "How long people have for it", func(s *tree.Step) {
			s.At = append(s.At, q.at)
			for o := range t.Walk { // each of those who do the same
				if o.Said == s.Said {
					o.SetDeadline(term)
				}
			}
		})
	}
	q.button("note", "Only what the step is about: nothing waits for it", func(s *tree.Step) { s.At = append(s.At, q.at) })
}

// limitIn gives how long people have, or until when, if words can say that: "within 2 days", "by Friday"; "" = they cannot.
func limitIn(words string) string {
	toks := phrase.Scan(words, 0, len(words))
	if lead := phrase.Starting(toks, phrase.Phrases("by until till")); lead > 0 {
		if at, n := phrase.Due(toks[lead:]); n > 0 {
			return tree.Until + at
		}
	}
	if all := values.Times(words); len(all) == 1 && all[0].Within {
		return all[0].Term
	}
	return ""
}

// askObjections asks about each difference that a second reading found, until a person confirms the draft.
func (p *inquiry) askObjections() {
	numbers := p.t.Numbers()
	for _, o := range p.t.Objections {
		if o.Behind != "" {
			p.askPlace(o)
			continue
		}
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
			q.Text = fmt.Sprintf("The last change did this, too: %s. Is that right (if not, reply “undo”)?", trimWords(o.Text))
			label = "That is right"
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

// askPlace asks where the steps of an answer belong.
func (p *inquiry) askPlace(o tree.Objection) {
	q := &asking{Question: Question{ID: "confirm." + o.ID, Kind: "place", Quote: o.Text}, at: o.Quote}
	var steps []string
	for _, id := range o.Steps {
		if n := p.out.Numbers[id]; n != "" {
			steps = append(steps, "step "+n)
		}
	}
	q.Text = fmt.Sprintf("Where should %s stand, since the words before are about some cases only?", english.Join(steps, "and"))
	all := change.Places(p.t, o)
	for _, place := range all[:min(len(all), 5)] {
		q.button("place."+place.Behind, place.Label, func(*tree.Step) {
			p.settle(q.ID)
			change.Put(p.t, o, place.Behind)
		})
	}
	if q.Default = ""; len(all) > 0 {
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
			p.t.Exchange(s)
		}
	})
}

// moot reports whether a difference is none any more: a step that it is about is gone, or all of its words were left out or replaced.
func moot(t *tree.Tree, o tree.Objection) bool {
	if slices.ContainsFunc(o.Steps, func(id string) bool { return t.Step(id) == nil }) {
		return true
	}
	words, gone := account.WordsOf(t, o.Quote), slices.Clone(t.Replaced)
	for _, l := range t.Left {
		gone = append(gone, l.Quote)
	}
	return !o.Change && len(words) > 0 && !slices.ContainsFunc(words, func(w english.Word) bool { return !account.StandsIn(w, o.Quote.Text, gone) })
}
