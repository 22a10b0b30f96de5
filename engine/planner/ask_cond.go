package planner

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/lower"
	"sluice/engine/planner/match"
	"sluice/engine/planner/tree"
)

// askCond asks who decides a condition that is not understood.
func (p *planning) askCond(s *tree.Step, c *tree.Cond, where string, k match.Scope, offered []match.Candidate) {
	words := lower.CondWords(c)
	q := question(s, "condition", where, "Who decides whether %s?", english.Quote(words))
	q.Quote, q.at = words, cmp.Or(first(c.At), c.Left.At, q.at)
	askAnswer(&p.inquiry, q, s, c, k)
	decidedBy := func(s *tree.Step, who tree.Name) {
		ask := tree.Step{Kind: tree.Ask, Text: english.SentenceCase(words) + "?", Who: []tree.Name{who}, Choices: []string{"yes", "no"}, Judges: true}
		p.decideBy(s, c, ask, tree.Cond{Op: "==", Right: tree.Value{Literal: "yes"}})
	}
	p.person(q, "A person decides...", "", decidedBy)
	for _, who := range p.deciders(s, words) {
		q.button(optPerson+"."+english.Snake(who.Is), who.Is+" decides", func(s *tree.Step) { decidedBy(s, who) })
	}
	if len(offered) == 0 {
		p.lookUps(q, func(k match.Scope) (match.Candidate, bool) {
			bound := *c
			ok, offered := p.bind(&bound, k, tree.Ref{})
			if len(offered) == 1 {
				return offered[0], true
			}
			read, _ := k.Value(bound.Left.Ref)
			return read, ok && !judged(&bound, k) && len(english.Stems(english.Scan(cmp.Or(c.Left.Words, c.Words)))) > 0
		}, func(_ *tree.Step, r tree.Ref) {
			if c.Op != "" {
				c.Left.Ref = r
			}
		})
	}
	compares := c.Op != "" && needsRight(c.Op)
	if len(offered) == 0 {
		want := wantedType(c)
		if c.Op == "" {
			want = func(typ string) bool { return typ == "boolean" }
		}
		offered = k.All(want)
	} else {
		q.Default = optValue
	}
	if !compares || !c.Right.Open() {
		q.value(offered, func(_ *tree.Step, r tree.Ref) { c.Left.Ref, c.Op = r, cmp.Or(c.Op, tree.OpTrue) })
	}
	if asked := asksFor(c); compares && len(c.Parts) == 0 && !c.Right.Open() && p.byPeople() && asked != "" {
		q.button(optInput, english.Shorten("The person who starts it gives “"+asked, 74)+"”", func(*tree.Step) {
			typ := ""
			if _, number := c.Right.Literal.(float64); number {
				typ = "number"
			}
			c.Left.Ref = p.newInput(asked, typ, c.Left.Words)
		})
	} else if p.w.Model {
		q.button(optAgent, "An AI agent decides", func(s *tree.Step) {
			agent := tree.Step{Kind: tree.Agent, Text: "Decide whether this holds: " + words, Fields: []tree.Field{{Name: "holds", Type: "boolean", Required: true}}}
			p.decideBy(s, c, agent, tree.Cond{Op: tree.OpTrue, Left: tree.Value{Ref: tree.Ref{Field: "holds"}}})
		})
	}
	if s.Kind == tree.Decide {
		leaveChoices(&p.inquiry, q, s, c)
	}
	p.add(q)
}

// deciders are the people who probably know whether words are true: those that they name, else the one person who does the step before.
func (p *inquiry) deciders(s *tree.Step, words string) (out []tree.Name) {
	for _, w := range english.Scan(words) {
		if w.Kind == english.NameWord && p.answers(w.Text) {
			out = append(out, tree.Name{Words: w.Text, Is: w.Text})
		}
	}
	if b := before(p.t, s); len(out) == 0 && b != nil && len(b.Who) == 1 && p.answers(b.Who[0].Is) {
		return b.Who
	}
	return out
}

// answers reports whether a name is one of people who can be asked.
func (p *inquiry) answers(name string) bool {
	return strings.HasPrefix(name, "@") && p.unfit(name, false) == ""
}

// askAnswer offers the answers to the question right in front of a decision: “ask @bob whether the order is small. If we do, refund it”.
// What follows a no is asked after that.
func askAnswer(p *inquiry, q *asking, s *tree.Step, c *tree.Cond, k match.Scope) {
	list, at := p.t.Place(s.ID)
	asked := k.Asked()
	if _, amount := c.Right.Literal.(float64); amount || asked == nil || at < 1 || (*list)[at-1].ID != asked.Ref.Step || len(asked.Choices) != 2 || !single(s, c) {
		return
	}
	ask, choices, words := &(*list)[at-1], slices.Clone(asked.Choices), english.Scan(lower.CondWords(c))
	other := func(w english.Word) bool {
		return w.Content() && !w.Matters() && !slices.Contains(english.Stems(english.Scan(ask.Text)), w.Stem)
	}
	if len(words) == 0 || !english.Pronouns[words[0].Low] && slices.ContainsFunc(words, other) { // “if the order is large” behind “ask @bob whether the moon is full”
		return
	}
	if slices.ContainsFunc(words, english.Word.Matters) { // “if we don't”
		slices.Reverse(choices)
	}
	for i, choice := range choices {
		if slices.ContainsFunc(ask.Branches, func(b tree.Branch) bool { return b.Choice == choice || b.Choice == choices[1-i] && len(s.Branches) > 1 }) {
			continue
		}
		label := fmt.Sprintf("The answer of %s: %s", people(ask), choice)
		q.button("answer."+english.Snake(choice), label, func(s *tree.Step) {
			p.t.Replaced = append(append(p.t.Replaced, s.At...), tree.Quotes(c)...)
			for j, b := range s.Branches {
				p.t.Replaced = append(p.t.Replaced, b.At...)
				ask.Branches = append(ask.Branches, tree.Branch{Choice: [2]string{choice, choices[1-i]}[j], Steps: b.Steps})
			}
			*list = slices.Delete(*list, at, at+1)
			p.t.Renumber()
		})
	}
	p.asked = slices.DeleteFunc(p.asked, func(other *asking) bool { return other.ID == asked.Ref.Step+".behind" })
}

// single reports whether a condition is the only one of a decision.
func single(s *tree.Step, c *tree.Cond) bool {
	return s.Kind == tree.Decide && s.Branches[0].When == c && (len(s.Branches) == 1 || len(s.Branches) == 2 && s.Branches[1].Else)
}

// decideBy inserts a step whose answer the condition reads, as is says: in front of a decision, or at the end of each round of a loop.
func (p *inquiry) decideBy(s *tree.Step, c *tree.Cond, by tree.Step, is tree.Cond) {
	by.ID = p.t.NewID()
	by.At = slices.SortedStableFunc(slices.Values(tree.Quotes(c)), func(a, b tree.Quote) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(b.To, a.To)) })
	is.Words, is.Left.Words, is.Left.Ref.Step = c.Words, c.Words, by.ID
	*c = is
	insert(p.t, s, by)
}

// leaveChoices offers to leave a condition out, with the steps behind it. Where it is the only one, those of its other side can stay.
func leaveChoices(p *inquiry, q *asking, s *tree.Step, c *tree.Cond) {
	branch := slices.IndexFunc(s.Branches, func(b tree.Branch) bool { return slices.Contains(b.When.All(), c) })
	if slices.ContainsFunc(s.Branches, func(b tree.Branch) bool { return b.When != nil && b.When != s.Branches[branch].When }) {
		q.button(optLeave, leaveOut+with(p.t, s.Branches[branch].Steps), func(s *tree.Step) { leaveBranch(p, s, branch) })
		return
	}
	if last := s.Branches[len(s.Branches)-1]; last.Else && len(last.Steps) > 0 {
		label := leaveOut + " and always do " + stepNames(p.t, last.Steps)
		if first := stepNames(p.t, s.Branches[0].Steps); first != "" {
			label += ", without " + first
		}
		q.button(optLeaveThen, label, func(s *tree.Step) { leaveFirstSide(p, s) })
	}
	p.leavable(q, s)
}

// leaveBranch removes one of several conditions with its steps.
func leaveBranch(p *inquiry, s *tree.Step, branch int) {
	objectLater(p.t, s, s.Branches[branch].Steps)
	p.leave(tree.Quotes(&s.Branches[branch])...)
	s.Branches = slices.Delete(s.Branches, branch, branch+1)
	p.t.Forget()
}

// leaveFirstSide removes the only condition of a decision with its steps, and puts those of its other side into the place of the decision.
func leaveFirstSide(p *inquiry, s *tree.Step) {
	gone, other := s.Own(), s.Branches[1].Steps
	gone.Branches[0].Steps = s.Branches[0].Steps
	objectLater(p.t, s, gone.Branches[0].Steps)
	p.leave(tree.Quotes(&gone)...)
	other[0].No = s.No
	exchange(p.t, s, other...)
}

// asksFor is what the person who starts a run would have to give for a condition; "" = nothing that has a name.
func asksFor(c *tree.Cond) string {
	if _, number := c.Right.Literal.(float64); number && (c.Left.Words == "" || pronoun(english.Scan(c.Left.Words))) { // "under 50"
		return "amount"
	}
	return c.Left.Words
}
