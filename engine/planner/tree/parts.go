package tree

import (
	"cmp"
	"reflect"
	"slices"
)

// Place gives the list that holds a step, and where it stands there; nil = the tree has no such step.
func (t *Tree) Place(id string) (list *[]Step, at int) {
	lists := []*[]Step{&t.Steps}
	if t.Deadline != nil {
		lists = append(lists, &t.Deadline.Steps)
	}
	for ; len(lists) > 0; lists = lists[1:] {
		for i := range *lists[0] {
			if (*lists[0])[i].ID == id {
				return lists[0], i
			}
			lists = append(lists, (*lists[0])[i].Lists()...)
		}
	}
	return nil, 0
}

// Behind gives the steps that follow a step in its list.
func (t *Tree) Behind(s *Step) []Step {
	list, at := t.Place(s.ID)
	return (*list)[at+1:]
}

// Ends reports whether nothing but the naming of what a run gives follows a step.
func (t *Tree) Ends(s *Step) bool {
	n := len(t.Steps)
	found, ends := ends(t.Steps, s.ID)
	return found && ends && t.Steps[n-1].Kind == Set
}

func ends(list []Step, id string) (found, only bool) {
	for i := range list {
		s := &list[i]
		here := s.ID == id
		for _, below := range s.Lists() {
			if found, only := ends(*below, id); found {
				if !only || s.Kind != Decide && s.Kind != Ask && s.Kind != Do {
					return true, false
				}
				here = true
			}
		}
		if here {
			return true, !slices.ContainsFunc(list[i+1:], func(s Step) bool { return s.Kind != Set })
		}
	}
	return false, false
}

// Again gives copies of steps for another place. They quote nothing, because the words are in one place only.
func (t *Tree) Again(list []Step) []Step {
	out := (&Tree{Steps: list}).Clone()
	for s := range out.Walk {
		s.ID, s.No, s.At = t.NewID(), 0, nil
		for i := range s.Branches {
			s.Branches[i].At = nil
		}
		for _, q := range collect[Quote](reflect.ValueOf(s), false) {
			*q = Quote{}
		}
	}
	return out.Steps
}

// Names lists whom a step asks and tells, and who is asked when nobody answers.
func (s *Step) Names() []*Name { return collect[Name](reflect.ValueOf(s), false) }

// All lists a condition and its parts, each before its own parts; nil has none.
func (c *Cond) All() (out []*Cond) {
	if c == nil {
		return nil
	}
	out = []*Cond{c}
	for i := range c.Parts {
		out = append(out, c.Parts[i].All()...)
	}
	return out
}

// Conds lists the conditions of a step, of its branches and of the end of its loop, each before its parts.
func (s *Step) Conds() (out []*Cond) {
	for i := range s.Branches {
		out = append(out, s.Branches[i].When.All()...)
	}
	return append(out, s.Until.All()...)
}

// Uses lists the values that a step itself gets, beside those of the steps below it.
func (s *Step) Uses() []*Ref { return collect[Ref](reflect.ValueOf(s), false) }

// Forget clears the values that a step no longer gets, because the step that gives them is gone or comes later. They are looked for anew.
func (t *Tree) Forget() {
	place := map[string]int{}
	for s := range t.Walk {
		place[s.ID] = len(place)
	}
	for s := range t.Walk {
		behind := place[s.ID] // the last step that is known
		lost := func(v Value) bool {
			from := cmp.Or(v.Ref.Step, v.Ref.Item)
			at, ok := place[from]
			return from != "" && (!ok || at > behind)
		}
		clear := func(r *Ref) {
			if lost(Value{Ref: *r}) {
				*r = Ref{}
			}
		}
		s.Params = slices.DeleteFunc(s.Params, func(p Param) bool { return lost(p.Value) })
		s.Show = slices.DeleteFunc(s.Show, lost)
		if slices.ContainsFunc(s.Parts, lost) {
			s.Parts = nil
		}
		clear(&s.Over.Ref)
		for _, n := range s.Names() {
			clear(&n.Ref)
		}
		if s.Until != nil { // it is read when the steps of the loop are done
			behind += len(slices.Collect(s.Walk)) - 1
		}
		for _, c := range s.Conds() {
			if lost(c.Left) && c.Op == "==" && c.Words != "" && c.Right.Words == "" { // it was made of the words of an answer
				c.Op, c.Right = OpTrue, Value{}
			}
			clear(&c.Left.Ref)
			clear(&c.Right.Ref)
		}
	}
}
