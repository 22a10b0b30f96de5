package planner

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/match"
	"sluice/engine/planner/tree"
)

// askCond asks who decides a condition that is not understood.
func (p *inquiry) askCond(s *tree.Step, c *tree.Cond, where string, k match.Scope, offered []match.Candidate) {
	words := condSaid(c)
	q := question(s, "condition", where, "Who decides whether %s?", english.Quote(words))
	q.Quote, q.at = words, cmp.Or(first(c.At), c.Left.At, q.at)
	p.person(q, "A person decides...", "", func(s *tree.Step, who tree.Name) {
		ask := tree.Step{Kind: tree.Ask, Text: english.SentenceCase(words) + "?", Who: []tree.Name{who}, Choices: []string{"yes", "no"}, Judges: true}
		p.decideBy(s, c, ask, tree.Cond{Op: "==", Right: tree.Value{Literal: "yes"}})
	})
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
		q.option(Option{ID: optInput, Label: english.Shorten("The person who starts it gives “"+asked, 74) + "”"}, func(*tree.Step, string) {
			typ := ""
			if _, number := c.Right.Literal.(float64); number {
				typ = "number"
			}
			c.Left.Ref = p.newInput(asked, typ, c.Left.Words)
		})
	} else if p.w.Model {
		q.option(Option{ID: optAgent, Label: "An AI agent decides"}, func(s *tree.Step, _ string) {
			agent := tree.Step{Kind: tree.Agent, Text: "Decide whether this holds: " + words, Fields: []tree.Field{{Name: "holds", Type: "boolean", Required: true}}}
			p.decideBy(s, c, agent, tree.Cond{Op: tree.OpTrue, Left: tree.Value{Ref: tree.Ref{Field: "holds"}}})
		})
	}
	if s.Kind == tree.Decide {
		q.option(Option{ID: optLeave, Label: "Leave it out, with its steps"}, func(s *tree.Step, _ string) { p.leaveBranch(s, c) })
	}
	p.add(q)
}

// decideBy inserts a step whose answer the condition reads, as is says: in front of a decision, or at the end of each round of a loop.
func (p *inquiry) decideBy(s *tree.Step, c *tree.Cond, by tree.Step, is tree.Cond) {
	by.ID = p.t.NewID()
	by.At = slices.SortedStableFunc(slices.Values(tree.Quotes(c)), func(a, b tree.Quote) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(b.To, a.To)) })
	is.Words, is.Left.Words, is.Left.Ref.Step = c.Words, c.Words, by.ID
	*c = is
	list, at := p.t.Place(s.ID)
	if s.Kind == tree.Repeat && len(s.Branches) > 0 {
		list = &s.Branches[0].Steps
		at = len(*list)
	}
	*list = slices.Insert(*list, at, by)
}

// leaveBranch removes the branch of a condition, and the whole decision when no condition is left.
func (p *inquiry) leaveBranch(s *tree.Step, c *tree.Cond) {
	branch := slices.IndexFunc(s.Branches, func(b tree.Branch) bool { return slices.Contains(b.When.All(), c) })
	if !slices.ContainsFunc(s.Branches, func(b tree.Branch) bool { return b.When != nil && b.When != s.Branches[branch].When }) {
		p.leaveStep(s, "")
		return
	}
	p.leave(tree.Quotes(&s.Branches[branch])...)
	s.Branches = slices.Delete(s.Branches, branch, branch+1)
	p.t.Forget()
}

// asksFor is what the person who starts a run would have to give for a condition; "" = nothing that has a name.
func asksFor(c *tree.Cond) string {
	if _, number := c.Right.Literal.(float64); number && (c.Left.Words == "" || pronoun(english.Scan(c.Left.Words))) { // "under 50"
		return "amount"
	}
	return c.Left.Words
}

// comparing are the words for the operators of a comparison.
var comparing = map[string]string{"==": "is", "!=": "is not", ">": "over", "<": "under", ">=": "at least", "<=": "at most"}

// condSaid writes a condition in the words of its author.
func condSaid(c *tree.Cond) string {
	if c.Words != "" {
		return c.Words
	}
	right := c.Right.Words
	if right == "" && c.Right.Literal != nil {
		right = fmt.Sprint(c.Right.Literal)
	}
	if c.Op == tree.OpEmpty {
		return "there is no " + c.Left.Words
	}
	return strings.TrimSpace(c.Left.Words + " " + cmp.Or(comparing[c.Op], c.Op) + " " + right)
}
