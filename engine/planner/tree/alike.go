package tree

import (
	"cmp"
	"slices"
)

// Alike gives the questions around one that ask others for the same: "ask @ana and @bob for a number" are two.
func (t *Tree) Alike(s *Step) []Step {
	list, at := t.Place(s.ID)
	same := func(o Step) bool {
		return o.Kind == Ask && len(o.Who) == 1 && o.Text == s.Text && o.Free == s.Free && len(o.Choices)+len(o.Branches) == 0 &&
			slices.EqualFunc(o.Fields, s.Fields, func(a, b Field) bool { return a.Name == b.Name })
	}
	if list == nil || len(s.Fields) == 0 && !s.Free || !same(*s) {
		return nil
	}
	for o := range t.Walk {
		if all := branchesOf(o); slices.ContainsFunc(all, func(o Step) bool { return o.ID == s.ID }) {
			return slices.DeleteFunc(all, func(o Step) bool { return !same(o) })
		}
	}
	from, to := at, at+1
	for from > 0 && same((*list)[from-1]) {
		from--
	}
	for to < len(*list) && same((*list)[to]) {
		to++
	}
	return (*list)[from:to]
}

// branchesOf gives the steps of a parallel step whose branches have one step each; nil = it is no such step.
func branchesOf(s *Step) (all []Step) {
	for _, b := range s.Branches {
		if s.Kind != Parallel || len(b.Steps) != 1 {
			return nil
		}
		all = append(all, b.Steps[0])
	}
	return all
}

// OfEach puts the answers of all who were asked for the same in the place of the answer of one, with their names.
func (t *Tree) OfEach(parts []Value) (out []Value) {
	for _, v := range parts {
		var all []Step
		if s := t.Step(v.Ref.Step); s != nil {
			all = t.Alike(s)
		}
		if len(all) < 2 {
			out = append(out, v)
			continue
		}
		for i, s := range all {
			lead := cmp.Or(s.Who[0].Is, s.Who[0].Words) + ": "
			if i > 0 {
				lead = ", " + lead
			}
			out = append(out, Value{Literal: lead}, Value{Words: v.Words, Ref: Ref{Step: s.ID, Field: v.Ref.Field}})
		}
	}
	return out
}
