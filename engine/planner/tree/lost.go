package tree

import "slices"

// Lost is what a change took away with the step that it stood below.
type Lost struct {
	Name     string    `json:"name,omitempty"`  // how people know it
	Below    string    `json:"below,omitempty"` // id of the step below which it can stand; "" = it cannot be kept
	Choice   string    `json:"choice,omitempty"`
	List     int       `json:"list,omitempty"` // which of the lists of that step; without Choice
	At       int       `json:"at,omitempty"`   // place in the list
	Steps    []Step    `json:"steps,omitempty"`
	Deadline *Deadline `json:"deadline,omitempty"` // unless the step has another one
}

// Restore puts back what a change took away, at the end of its list where that ends the run. It reports whether it can stand there.
func (t *Tree) Restore(l Lost) bool {
	s := t.Step(l.Below)
	if s == nil {
		return false
	}
	if l.Deadline != nil && s.Deadline == nil {
		s.Deadline = l.Deadline
	}
	if l.Choice != "" && len(l.Steps) > 0 {
		l.List = slices.IndexFunc(s.Branches, func(b Branch) bool { return b.Choice == l.Choice })
		if l.List < 0 {
			l.List, s.Branches = len(s.Branches), append(s.Branches, Branch{Choice: l.Choice})
		}
	}
	if len(l.Steps) > 0 {
		for r := range (&Tree{Steps: l.Steps}).Walk {
			if t.Step(r.ID) != nil { // the step in its place has the id
				r.ID = t.NewID()
			}
		}
		list := s.Lists()[l.List]
		at := min(l.At, len(*list))
		if at > 0 && (*list)[at-1].Kind == Stop {
			at--
		}
		*list = slices.Insert(*list, at, l.Steps...)
	}
	again := Quotes(l.Steps)
	t.Replaced = slices.DeleteFunc(t.Replaced, func(q Quote) bool { return slices.Contains(again, q) })
	t.Renumber()
	t.Forget()
	return true
}
