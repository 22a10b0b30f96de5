package tree

import "slices"

// Exchange puts other steps into the place of one.
func (t *Tree) Exchange(s *Step, others ...Step) {
	whole := t.Steps[0].No == 1 // where the author counts what starts the run, too, the numbers stay
	list, at := t.Place(s.ID)
	*list = slices.Replace(*list, at, at+1, others...)
	if whole {
		t.Renumber()
	}
	t.Forget()
}

// InsertFor puts a step in front of another one whose condition or text uses what it gives: of a loop, at the end of each round.
func (t *Tree) InsertFor(s *Step, by Step) {
	list, at := t.Place(s.ID)
	if s.Kind == Repeat && len(s.Branches) > 0 {
		list = &s.Branches[0].Steps
		at = len(*list)
	}
	*list = slices.Insert(*list, at, by)
}

// Before gives the step directly before another one in its list; nil = there is none.
func (t *Tree) Before(s *Step) *Step {
	list, at := t.Place(s.ID)
	if at == 0 {
		return nil
	}
	return &(*list)[at-1]
}

// Earlier gives the steps that stand before another one in the words, in order.
func (t *Tree) Earlier(s *Step) (out []*Step) {
	for o := range t.Walk {
		if o.ID == s.ID {
			break
		}
		out = append(out, o)
	}
	return out
}
