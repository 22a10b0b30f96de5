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
	a.leave(wordsOf(s)...)
	gone := map[string]bool{s.ID: true}
	for _, l := range s.Lists() {
		for i := range *l {
			below := tree.Tree{Steps: (*l)[i : i+1]}
			below.Walk(func(s *tree.Step) bool { gone[s.ID] = true; return true })
		}
	}
	whole := a.next.Steps[0].No == 1 // where the author counts what starts the run, too, the numbers stay
	a.edit(func(list []tree.Step, at int) ([]tree.Step, bool) {
		if list[at].ID != s.ID {
			return list, false
		}
		return slices.Delete(list, at, at+1), true
	})
	if whole {
		a.next.Renumber()
	}
	a.forget(gone)
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

// edit calls do with each list of steps until do reports that it has changed one.
func (a *answering) edit(do func(list []tree.Step, at int) ([]tree.Step, bool)) {
	lists := []*[]tree.Step{&a.next.Steps}
	if a.next.Deadline != nil {
		lists = append(lists, &a.next.Deadline.Steps)
	}
	for len(lists) > 0 {
		l := lists[0]
		lists = lists[1:]
		for i := range *l {
			if next, ok := do(*l, i); ok {
				*l = next
				return
			}
			lists = append(lists, (*l)[i].Lists()...)
		}
	}
}

// forget clears references to steps that were removed.
func (a *answering) forget(gone map[string]bool) {
	value := func(v *tree.Value) {
		if gone[v.Ref.Step] || gone[v.Ref.Item] {
			v.Ref = tree.Ref{}
		}
	}
	var cond func(c *tree.Cond)
	cond = func(c *tree.Cond) {
		if c == nil {
			return
		}
		if gone[c.Left.Ref.Step] && c.Op == "==" && c.Words != "" && c.Right.Words == "" { // it was made of the words of an answer
			c.Op, c.Right = tree.OpTrue, tree.Value{}
		}
		value(&c.Left)
		value(&c.Right)
		for i := range c.Parts {
			cond(&c.Parts[i])
		}
	}
	a.next.Walk(func(s *tree.Step) bool {
		s.Params = slices.DeleteFunc(s.Params, func(p tree.Param) bool { return gone[p.Value.Ref.Step] || gone[p.Value.Ref.Item] })
		if slices.ContainsFunc(s.Parts, func(v tree.Value) bool { return gone[v.Ref.Step] || gone[v.Ref.Item] }) {
			s.Parts = nil
		}
		value(&s.Over)
		for i := range s.Show {
			value(&s.Show[i])
		}
		for _, names := range [][]tree.Name{s.Who, s.To} {
			for i := range names {
				if gone[names[i].Ref.Step] || gone[names[i].Ref.Item] {
					names[i].Ref = tree.Ref{}
				}
			}
		}
		cond(s.Until)
		for i := range s.Branches {
			cond(s.Branches[i].When)
		}
		return true
	})
}

// wordsOf are all quotes of a step and of those below it.
func wordsOf(s *tree.Step) []tree.Quote {
	out := append([]tree.Quote{s.Said, s.Over.At}, s.At...)
	for _, v := range s.Show {
		out = append(out, v.At)
	}
	for _, n := range append(slices.Clone(s.Who), s.To...) {
		out = append(out, n.At)
	}
	if s.Deadline != nil && s.Deadline.EscalateTo != nil {
		out = append(out, s.Deadline.EscalateTo.At)
	}
	for _, f := range s.Fields {
		out = append(out, f.At)
	}
	out = append(out, condQuotes(s.Until)...)
	for i := range s.Branches {
		out = append(out, branchQuotes(&s.Branches[i])...)
	}
	for i := range s.OnError {
		out = append(out, wordsOf(&s.OnError[i])...)
	}
	return out
}

func branchQuotes(b *tree.Branch) []tree.Quote {
	out := append(slices.Clone(b.At), condQuotes(b.When)...)
	for i := range b.Steps {
		out = append(out, wordsOf(&b.Steps[i])...)
	}
	return out
}

func condQuotes(c *tree.Cond) []tree.Quote {
	if c == nil {
		return nil
	}
	out := append(slices.Clone(c.At), c.Left.At, c.Right.At)
	for i := range c.Parts {
		out = append(out, condQuotes(&c.Parts[i])...)
	}
	return out
}
