package planner

import (
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/tree"
)

// leaveStep removes a step with all steps below it, and marks its words as left out.
func (a *answering) leaveStep(s *tree.Step) {
	a.leave(tree.Quotes(s)...)
	whole := a.next.Steps[0].No == 1 // where the author counts what starts the run, too, the numbers stay
	list, at := a.next.Place(s.ID)
	*list = slices.Delete(*list, at, at+1)
	if whole {
		a.next.Renumber()
	}
	a.forget()
}

// dropInputs removes inputs that nothing uses any more and whose words are left out.
func (a *answering) dropInputs() {
	was, used := inputsOf(a.t), inputsOf(a.next)
	left := func(q tree.Quote) bool {
		return slices.ContainsFunc(a.next.Left, func(l tree.LeftOut) bool { return l.Quote.Overlaps(q) })
	}
	for _, l := range a.next.Left {
		for _, w := range english.Scan(a.next.Words(l.Quote)) {
			if w.Kind == english.InputWord {
				was[idiom.InputName(w.Text)] = true
			}
		}
	}
	a.next.Inputs = slices.DeleteFunc(a.next.Inputs, func(in tree.Input) bool {
		return !used[in.Name] && (was[in.Name] || len(in.At) > 0) && !slices.ContainsFunc(in.At, func(q tree.Quote) bool { return !left(q) })
	})
}

// inputsOf are the inputs that steps and triggers use.
func inputsOf(t *tree.Tree) map[string]bool {
	out := map[string]bool{}
	parts := []any{&t.Steps}
	if t.Deadline != nil {
		parts = append(parts, &t.Deadline.Steps)
	}
	for _, part := range parts {
		for _, r := range tree.Refs(part) {
			out[r.Input] = true
		}
	}
	t.Walk(func(s *tree.Step) bool {
		for _, w := range english.Scan(s.Text) {
			if w.Kind == english.InputWord {
				out[idiom.InputName(w.Text)] = true
			}
		}
		return true
	})
	for i := range t.Inputs {
		for _, g := range t.Triggers {
			if strings.Contains(g.Match, "(?P<"+t.Inputs[i].Name+">") {
				out[t.Inputs[i].Name] = true
			}
		}
	}
	return out
}

// forget clears the values of steps that were removed.
func (a *answering) forget() {
	a.next.Forget(func(_ *tree.Step, r tree.Ref) bool {
		return r.Step != "" && a.next.Step(r.Step) == nil || r.Item != "" && a.next.Step(r.Item) == nil
	})
}
