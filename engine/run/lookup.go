package run

import (
	"sluice/engine/history"
)

// items calls visit for every item of a foreach that a token is inside of, innermost first, until visit returns true.
func eachItemAround(s *history.State, t *history.Token, visit func(*history.Frame, *history.Branch) bool) {
	for frame, branch := t.Frame, t.Branch; frame != 0; {
		fr := s.Frame(frame)
		if fr == nil || branch < 0 || branch >= len(fr.Branches) {
			return
		}
		if fr.Each != nil && visit(fr, &fr.Branches[branch]) {
			return
		}
		parent := s.Token(fr.Token)
		if parent == nil {
			return
		}
		frame, branch = parent.Frame, parent.Branch
	}
}
