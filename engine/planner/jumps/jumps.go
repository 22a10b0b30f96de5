// Package jumps turns jumps between steps, such as "go back to 2" and "if it is paid go to 6", into loops and branches: a tree has no jumps.
package jumps

import (
	"slices"
	"strings"

	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// Jump is a step that goes to the step with the number Max, Retry times at most. It stands in a tree only until Structure has run.
const Jump tree.Kind = "Jump"

// Structure replaces jumps: one back by a loop, one forward by the other side of its condition. Others stay unread.
func Structure(t *tree.Tree, list *[]tree.Step) {
	const most = 32 // jumps that are looked at
	looked := 0
	for i := 0; i < len(*list) && looked < most; i++ {
		s := &(*list)[i]
		if s.Kind == Jump {
			looked++
			if p := Place(*list, s.Max); p >= 0 && p < i {
				loop := tree.Step{ID: t.NewID(), Kind: tree.Repeat, At: s.At}
				*list = slices.Delete(*list, i, i+1)
				Wrap(list, p, i, loop)
				i = p
			}
			continue
		}
		for b := range s.Branches {
			steps := s.Branches[b].Steps
			if len(steps) == 0 || steps[len(steps)-1].Kind != Jump {
				continue
			}
			looked++
			if p := Place(*list, steps[len(steps)-1].Max); p >= 0 && p <= i {
				back(t, list, p, i, s, b)
				i = p
			} else if p > i {
				forward(list, i, b, p)
			}
			break
		}
	}
	Drop(list)
}

// Back makes a loop of the steps from one on up to another, where an answer to that one, or to a question below it, goes back.
func Back(t *tree.Tree, list *[]tree.Step, from, to int, ask *tree.Step, choice string) {
	b := slices.IndexFunc(ask.Branches, func(b tree.Branch) bool { return b.Choice == choice })
	ask.Branches[b].Steps = append(ask.Branches[b].Steps, tree.Step{Kind: Jump})
	back(t, list, from, to, ask, b)
}

// back makes a loop of the steps p to i, where a branch of i, or of a step below it, goes back to p.
func back(t *tree.Tree, list *[]tree.Step, p, i int, s *tree.Step, b int) {
	branch := &s.Branches[b]
	last := len(branch.Steps) - 1
	loop := tree.Step{ID: t.NewID(), Kind: tree.Repeat, Max: branch.Steps[last].Retry, At: branch.Steps[last].At}
	branch.Steps = branch.Steps[:last]
	var until tree.Cond
	switch {
	case s.Kind == tree.Ask || s.Kind == tree.Do:
		until = tree.Cond{Op: "!=", Left: tree.Value{Words: "answer", Ref: tree.Ref{Step: s.ID}}, Right: tree.Value{Literal: branch.Choice}, Words: "not " + branch.Choice}
		Refusals(t, s, branch.Choice)
	case branch.When != nil && b == 0:
		until = *branch.When
		until.At = nil
		until = values.Unless(until)
	default:
		return
	}
	loop.Until = &until
	if len(s.Branches) == 1 && len(branch.Steps) == 0 && s.Kind == tree.Decide && i > p { // the condition alone decides about the loop
		until.At, loop.At = branch.When.At, slices.Concat(s.At, branch.At, loop.At)
		*list = slices.Delete(*list, i, i+1)
		i--
	}
	Wrap(list, p, i+1, loop)
}

// Refusals says what a refusal does where an answer to the step goes back, or on: it is that answer, or it ends the run as ever.
func Refusals(t *tree.Tree, s *tree.Step, goes string) {
	choices := s.Choices
	switch {
	case s.Kind == tree.Do:
		choices = tree.PersonChoices()
	case len(choices) == 0:
		choices = []string{"approve", "reject"}
	}
	refuses := func(c string) bool {
		return phrase.Answers[strings.ToLower(c)] == "reject" || strings.EqualFold(c, "no") || c == tree.PersonChoices()[1]
	}
	s.Judges = s.Judges || refuses(goes)
	for _, c := range choices {
		if c != goes && refuses(c) && !slices.ContainsFunc(s.Branches, func(b tree.Branch) bool { return b.Choice == c }) {
			s.Branches = append(s.Branches, tree.Branch{Choice: c, Steps: []tree.Step{{ID: t.NewID(), Kind: tree.Stop}}})
		}
	}
}

// forward moves the steps that a jump leaves out to the other side of its condition.
func forward(list *[]tree.Step, i, b, p int) {
	s := &(*list)[i]
	if s.Kind != tree.Decide || len(s.Branches) > 1 {
		return
	}
	branch := &s.Branches[b]
	last := len(branch.Steps) - 1
	s.At = append(s.At, branch.Steps[last].At...)
	branch.Steps = branch.Steps[:last]
	s.Branches = append(s.Branches, tree.Branch{Else: true, Steps: slices.Clone((*list)[i+1 : p])})
	*list = slices.Delete(*list, i+1, p)
}

// In reports whether steps hold a jump that is not structured yet.
func In(list []tree.Step) (found bool) {
	for s := range (&tree.Tree{Steps: list}).Walk {
		found = found || s.Kind == Jump
	}
	return found
}

// Drop leaves out jumps that could not be structured: their words are unread then.
func Drop(list *[]tree.Step) {
	*list = slices.DeleteFunc(*list, func(s tree.Step) bool { return s.Kind == Jump })
	for i := range *list {
		for _, l := range (*list)[i].Lists() {
			Drop(l)
		}
	}
}

// Place is where the step with a number stands in a list; -1 = nowhere.
func Place(list []tree.Step, no int) int {
	for i := range list {
		if list[i].No == no || list[i].No == 0 && i+1 == no {
			return i
		}
	}
	return -1
}

// Wrap puts the steps from one place up to another below a step.
func Wrap(list *[]tree.Step, from, to int, around tree.Step) {
	inner := slices.Clone((*list)[from:to])
	if len(inner) > 0 {
		around.No, inner[0].No = inner[0].No, 0
	}
	around.Branches = append([]tree.Branch{{Steps: inner}}, around.Branches...)
	*list = slices.Replace(*list, from, to, around)
}
