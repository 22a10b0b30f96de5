package planner

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/tree"
)

// condition applies the chosen option to a condition: it is left out, or a value, an input, people or a model decide it.
func (a *answering) condition(s *tree.Step) error {
	c, branch := a.condAt(s)
	if c == nil {
		return stale()
	}
	switch a.option.ID {
	case optLeave:
		a.leaveBranch(s, branch)
	case optValue:
		c.Left.Ref, _ = refOf(a.value)
		if c.Op == "" {
			c.Op = tree.OpTrue
		}
	case optInput:
		typ := ""
		if _, number := c.Right.Literal.(float64); number {
			typ = "number"
		}
		c.Left.Ref = tree.Ref{Input: a.newInput(asksFor(c), typ, c.Left.Words)}
	case optPerson:
		ask := tree.Step{Kind: tree.Ask, Text: english.SentenceCase(condSaid(c)) + "?", Who: []tree.Name{a.chosen()}, Choices: []string{"yes", "no"}, Judges: true}
		a.decideBy(s, c, branch, ask, "", "yes", "==")
	case optAgent:
		agent := tree.Step{Kind: tree.Agent, Text: "Decide whether this holds: " + condSaid(c), Fields: []tree.Field{{Name: "holds", Type: "boolean", Required: true}}}
		a.decideBy(s, c, branch, agent, "holds", nil, tree.OpTrue)
	}
	return nil
}

// condAt finds the condition that a question is about; branch is -1 for the end of a loop.
func (a *answering) condAt(s *tree.Step) (*tree.Cond, int) {
	path := strings.Split(strings.TrimPrefix(a.question.ID, s.ID+"."), ".")
	c, branch := s.Until, -1
	if path[0] == "when" && len(path) > 1 {
		n, err := strconv.Atoi(path[1])
		if err != nil || n >= len(s.Branches) {
			return nil, 0
		}
		c, branch, path = s.Branches[n].When, n, path[1:]
	}
	for _, part := range path[1:] {
		n, err := strconv.Atoi(part)
		if err != nil || c == nil || n >= len(c.Parts) {
			return nil, 0
		}
		c = &c.Parts[n]
	}
	return c, branch
}

// decideBy inserts a step whose answer the condition reads: in front of a decision, or at the end of each round of a loop.
func (a *answering) decideBy(s *tree.Step, c *tree.Cond, branch int, by tree.Step, field string, answer any, op string) {
	by.ID = a.next.NewID()
	by.At = slices.SortedStableFunc(slices.Values(tree.Quotes(c)), func(a, b tree.Quote) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(b.To, a.To)) })
	*c = tree.Cond{Op: op, Words: c.Words, Left: tree.Value{Words: c.Words, Ref: tree.Ref{Step: by.ID, Field: field}}}
	if answer != nil {
		c.Right = tree.Value{Literal: answer}
	}
	if branch < 0 && len(s.Branches) > 0 {
		s.Branches[0].Steps = append(s.Branches[0].Steps, by)
		return
	}
	list, at := a.next.Place(s.ID)
	*list = slices.Insert(*list, at, by)
}

// leaveBranch removes a branch, and the whole decision when no condition is left.
func (a *answering) leaveBranch(s *tree.Step, branch int) {
	others := 0
	for i := range s.Branches {
		if i != branch && s.Branches[i].When != nil {
			others++
		}
	}
	if others == 0 {
		a.leaveStep(s)
		return
	}
	b := &s.Branches[branch]
	a.leave(tree.Quotes(b)...)
	s.Branches = slices.Delete(s.Branches, branch, branch+1)
	a.forget()
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
