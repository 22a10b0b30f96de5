package planner

import (
	"fmt"
	"slices"

	"sluice/engine/planner/english"
	"sluice/engine/planner/match"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// askOnly asks whether people are asked only where a comparison holds that stands in the question to them and that the run can make itself:
// "ask @finance if the amount is over 100" and "have @finance approve amounts over 100" do not say so.
func (p *planning) askOnly(s *tree.Step, k match.Scope) {
	id := s.ID + ".only"
	c, ok := comparison(s, k)
	if !ok {
		return
	}
	if p.compared[id] = c; slices.Contains(p.t.Settled, id) {
		return
	}
	p.add(Question{
		ID: id, Step: s.ID, Kind: "only", Quote: s.Text, Default: optOnlyThen,
		Text: fmt.Sprintf("When is %s asked?", people(s)),
		Options: []Option{
			{ID: optOnlyThen, Label: english.Shorten("Only when it is so: "+c.Words, 75)},
			{ID: optEitherWay, Label: "Each time"},
		},
	}, placeOf(s))
}

// comparison gives the comparison with an amount that the text of an approval is, or ends with when it is one of a known value.
func comparison(s *tree.Step, k match.Scope) (tree.Cond, bool) {
	if !approves(s) || len(s.Parts) > 0 {
		return tree.Cond{}, false
	}
	toks := phrase.Scan(s.Text, 0, len(s.Text))
	for whole := true; len(toks) > 2; toks, whole = toks[1:], false { // "approve amounts over 100"
		c := values.Source{Src: s.Text}.Condition(toks)
		if _, amount := c.Right.Literal.(float64); !amount || isFact(&c) || len(c.Parts) > 0 || len(english.Scan(c.Left.Words)) == 0 {
			break
		}
		if bound, _ := bindLeft(&c, k, tree.Ref{}); bound || whole {
			return c, true
		}
	}
	return tree.Cond{}, false
}

// only asks people where the comparison holds, or settles that they are asked each time.
func (a *answering) only(s *tree.Step) {
	a.settle(a.question.ID)
	if a.option.ID != optOnlyThen {
		return
	}
	c := a.compared[a.question.ID]
	c.At = slices.DeleteFunc([]tree.Quote{s.Said}, tree.Quote.Empty)
	ask := *s
	ask.ID, ask.No, ask.Text, ask.Said, ask.Choices = a.next.NewID(), 0, "", tree.Quote{}, nil
	*s = tree.Step{ID: s.ID, No: s.No, Kind: tree.Decide, Branches: []tree.Branch{{When: &c, Steps: []tree.Step{ask}}}}
}
