package run

import (
	"cmp"
	"fmt"
	"slices"
)

// maxUnsettled bounds State.Unsettled; the oldest are forgotten first.
const maxUnsettled = 64

// Token gives a live token, or nil. The pointer is good until the next Apply.
func (s *State) Token(id int) *Token {
	i, ok := slices.BinarySearchFunc(s.Tokens, id, func(t Token, id int) int { return cmp.Compare(t.ID, id) })
	if !ok {
		return nil
	}
	return &s.Tokens[i]
}

func (s *State) need(id int) (*Token, error) {
	if t := s.Token(id); t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("no live token %d", id)
}

// Gate gives an open gate, or nil. The pointer is good until the next Apply.
func (s *State) Gate(id int) *Gate {
	for i := range s.Gates {
		if s.Gates[i].ID == id {
			return &s.Gates[i]
		}
	}
	return nil
}

// Timer gives a pending timer, or nil. The pointer is good until the next Apply.
func (s *State) Timer(id int) *Timer {
	for i := range s.Timers {
		if s.Timers[i].ID == id {
			return &s.Timers[i]
		}
	}
	return nil
}

func (s *State) frame(id int) *Frame {
	for i := range s.Frames {
		if s.Frames[i].ID == id {
			return &s.Frames[i]
		}
	}
	return nil
}

func (s *State) branch(frame, branch int) (*Branch, error) {
	fr := s.frame(frame)
	if fr == nil || branch < 0 || branch >= len(fr.Branches) {
		return nil, fmt.Errorf("no branch %d in frame %d", branch, frame)
	}
	return &fr.Branches[branch], nil
}

// fork gives the open frame of a fork's own token, or nil.
func (s *State) fork(token int) *Frame {
	for i := range s.Frames {
		if f := &s.Frames[i]; f.ID != 0 && f.Token == token {
			return f
		}
	}
	return nil
}

func (t *Token) call(number int) int {
	return slices.IndexFunc(t.Calls, func(c Call) bool { return c.Number == number })
}

// carried reports whether a worker carries the token, or is about to.
func (t *Token) carried() bool { return t.Phase == PhaseReady || t.Phase == PhaseStarted }

// insert keeps the tokens in order of their ids.
func (s *State) insert(t Token) {
	i, _ := slices.BinarySearchFunc(s.Tokens, t.ID, func(t Token, id int) int { return cmp.Compare(t.ID, id) })
	s.Tokens = slices.Insert(s.Tokens, i, t)
	s.NextToken = max(s.NextToken, t.ID+1)
}

// end removes a token. When something else ended it, an act in flight is remembered as unsettled.
func (s *State) end(t Token, byOthers bool) {
	s.Tokens = slices.DeleteFunc(s.Tokens, func(o Token) bool { return o.ID == t.ID })
	s.undefer(t.ID)
	inFlight := t.Phase == PhaseStarted && t.Done == 0
	if byOthers && (inFlight || t.doubtful()) {
		s.unsettle(t)
	}
}

// unsettle remembers an act in flight.
func (s *State) unsettle(t Token) {
	s.Unsettled = append(s.Unsettled, Unsettled{Token: t.ID, Step: t.Step, Epoch: t.Epoch, Node: t.Node, Effects: t.risk()})
	s.Unsettled = s.Unsettled[max(0, len(s.Unsettled)-maxUnsettled):]
}

// endBranch removes what still moves in a branch, with the frames that were opened inside it.
func (s *State) endBranch(frame, branch int) {
	for _, t := range slices.Clone(s.Tokens) {
		if t.Frame != frame || t.Branch != branch {
			continue
		}
		if inner := s.fork(t.ID); inner != nil {
			id := inner.ID
			for i := range inner.Branches {
				s.endBranch(id, i)
			}
			s.Frames = slices.DeleteFunc(s.Frames, func(f Frame) bool { return f.ID == id })
		}
		s.end(t, true)
	}
}

// setOutput writes where the token writes: its branch, or the run itself.
func (s *State) setOutput(t *Token, node string, seq int64) error {
	target := &s.Frames[0].Outputs
	if t.Frame != 0 {
		br, err := s.branch(t.Frame, t.Branch)
		if err != nil {
			return err
		}
		target = &br.Outputs
	}
	put(target, node, seq)
	return nil
}

func (s *State) setApproval(t *Token, node string, a Approval) error {
	target := &s.Approvals
	if t.Frame != 0 {
		br, err := s.branch(t.Frame, t.Branch)
		if err != nil {
			return err
		}
		target = &br.Approvals
	}
	put(target, node, a)
	return nil
}

func put[K comparable, V any](m *map[K]V, key K, v V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = v
}

// layers calls visit for every scope that a token reads, innermost first, until visit returns true: its branch, then the
// scope of the fork, ..., then the run itself (a nil branch).
func (s *State) layers(t *Token, visit func(*Branch) bool) {
	for frame, branch := t.Frame, t.Branch; frame != 0; {
		fr := s.frame(frame)
		if fr == nil || branch >= len(fr.Branches) {
			return
		}
		if visit(&fr.Branches[branch]) {
			return
		}
		parent := s.Token(fr.Token)
		if parent == nil {
			return
		}
		frame, branch = parent.Frame, parent.Branch
	}
	visit(nil)
}

// items calls visit for every item of a foreach that a token is inside of, innermost first, until visit returns true.
func (s *State) items(t *Token, visit func(*Frame, *Branch) bool) {
	for frame, branch := t.Frame, t.Branch; frame != 0; {
		fr := s.frame(frame)
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

// output gives the fact of a node's latest output as the token sees it, or 0. Of the step that it has just finished a token sees its
// own, whatever others of its scope have done at that node since.
func (s *State) output(t *Token, node string) (seq int64) {
	if t.Done != 0 && t.Node == node {
		return t.Done
	}
	s.layers(t, func(b *Branch) bool {
		outputs := s.Frames[0].Outputs
		if b != nil {
			outputs = b.Outputs
		}
		seq = outputs[node]
		return seq != 0
	})
	return seq
}

func (s *State) approval(t *Token, node string) (a Approval, ok bool) {
	s.layers(t, func(b *Branch) bool {
		approvals := s.Approvals
		if b != nil {
			approvals = b.Approvals
		}
		a, ok = approvals[node]
		return ok
	})
	return a, ok
}

// within reports whether a token moves in a branch, or in a frame opened inside it.
func (s *State) within(t Token, frame, branch int) bool {
	for t.Frame != frame {
		fr := s.frame(t.Frame)
		if fr == nil || fr.ID == 0 {
			return false
		}
		parent := s.Token(fr.Token)
		if parent == nil {
			return false
		}
		t = *parent
	}
	return t.Branch == branch
}
