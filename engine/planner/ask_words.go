package planner

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/change"
	"sluice/engine/planner/english"
	"sluice/engine/planner/rules"
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
		before := p.previous(c)
		if before != nil {
			askStep(p, q, words, before, func() tree.Quote { return c.Quote })
		}
		q.option(leaveOut, func(*tree.Step, string) { p.leave(c.Quote) })
		if before != nil && readByPeople(before) {
			q.option(Option{ID: "note", Label: "It belongs to the step before, as a note to people"}, func(*tree.Step, string) {
				before.Text, before.Parts = strings.TrimSpace(before.Text+" ("+trimWords(words)+")"), nil
				before.At = append(before.At, c.Quote)
			})
		}
		q.typed = func(_ *tree.Step, text string) error {
			id, people := "", People(text, p.w)
			if before != nil {
				id = before.ID
			}
			changed, err := change.StandIn(p.t, text, p.by, id, people...)
			if errors.Is(err, change.ErrNone) {
				changed, _, err = change.Apply(p.t, text, p.by, people...)
			}
			if err != nil {
				return wrong("words", "I did not understand %s either. Say it as a step of its own, such as “add after 2: ...”, or leave it out.", english.Quote(text))
			}
			p.t = changed
			p.leave(c.Quote)
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

// askRules asks about each rule in a text that people get word for word: nothing would follow it.
func (p *inquiry) askRules() {
	kinds := kinds(p.t)
	for s := range p.t.Walk {
		for _, f := range s.Fields {
			for _, rule := range rules.In(p.t.Words(f.At), rules.Deed) {
				where := "form that " + people(s) + " fills in"
				p.add(ruleQuestion(s, rule, "form", where, "Is it meant as a part of the form?"))
			}
		}
		if s.Said.Empty() || !readByPeople(s) || quoted(english.Scan(p.t.Words(s.Said))) {
			continue
		}
		forms := rules.Message
		if s.Kind != tree.Tell {
			forms = rules.Deed
		}
		if s.Kind != tree.Tell && !p.compares[s.ID] && !slices.Contains(p.t.Settled, s.ID+".only") { // that asks about the amount already
			forms = append(slices.Clip(forms), rules.Amount)
		}
		for _, rule := range slices.Concat(rules.In(s.Text, forms), kinds[s.ID]) {
			if !slices.ContainsFunc(s.Parts, func(v tree.Value) bool { return strings.Contains(v.Words, rule) }) { // that is a value
				p.askRule(s, rule)
			}
		}
	}
}

var (
	// joins are words between a text and what else is to be done.
	joins = regexp.MustCompile(`(?i)^(?:[,;]|(?:and|then|also|but)\b|\s)+`)
	// acts finds somebody with what they should do: "@bob to print the label".
	acts = regexp.MustCompile(`(?i)^(@[\pL\pN._-]+) to `)
)

// askStep offers to make words a step behind another one, where they name who acts. replaced gives their place.
func askStep(p *inquiry, q *asking, words string, behind *tree.Step, replaced func() tree.Quote) {
	deed := acts.ReplaceAllString(trimWords(joins.ReplaceAllString(words, "")), "ask $1 to ")
	if _, err := change.Behind(p.t, deed, p.by, behind.ID, People(deed, p.w)...); err != nil {
		return
	}
	q.option(Option{ID: "step", Label: "Make it a step of its own"}, func(*tree.Step, string) {
		if at := replaced(); !at.Empty() {
			p.t.Replaced = append(p.t.Replaced, at)
		}
		p.t, _ = change.Behind(p.t, deed, p.by, behind.ID, People(deed, p.w)...)
	})
}

// ruleQuestion begins the question about a rule that stands in a text or a form.
func ruleQuestion(s *tree.Step, rule, in, where, ask string) *asking {
	q := question(s, "rule", "rule."+english.Snake(english.Shorten(rule, 60)),
		"%s would only be words in the %s, and the workflow would not follow it. %s", english.Quote(rule), where, ask)
	q.Quote = rule
	q.option(Option{ID: optWords, Label: "Keep it in the " + in}, nil)
	return q
}

func (p *inquiry) askRule(s *tree.Step, rule string) {
	q := ruleQuestion(s, rule, "text", "text "+english.Quote(s.Text), "Is it meant as a part of the text, or how should the whole text read?")
	cut := func(s *tree.Step) {
		before, after, _ := strings.Cut(s.Text, rule)
		s.Text, s.Parts = strings.Trim(strings.TrimRight(before, " ,;")+after, " ,;"), nil
	}
	if strings.TrimSpace(strings.Replace(s.Text, rule, "", 1)) != "" {
		askStep(p, q, rule, s, func() tree.Quote {
			cut(s)
			at, _ := p.t.Find(s.Said.Text, s.Said.From, rule)
			return at
		})
	}
	q.option(leaveOut, func(s *tree.Step, _ string) {
		cut(s)
		if at, ok := p.t.Find(s.Said.Text, s.Said.From, rule); ok && at.To <= s.Said.To {
			p.leave(at)
		}
	})
	q.typed = p.replaceText
	p.add(q)
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
		q.option(Option{ID: "right", Label: label}, nil)
		p.add(q)
	}
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
