package history

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
)

// maxUnsettled bounds State.Unsettled; the oldest are forgotten first.
const maxUnsettled = 64

// Token gives a live token, or nil. The pointer is good until the next Apply.
func (s *State) Token(id int) *Token {
	i, ok := s.tokenAt(id)
	if !ok {
		return nil
	}
	return &s.Tokens[i]
}

// tokenAt gives the place of a token in the list, which is ordered by id. It copies no token: a token is large.
func (s *State) tokenAt(id int) (int, bool) {
	return sort.Find(len(s.Tokens), func(i int) int { return cmp.Compare(id, s.Tokens[i].ID) })
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

// Frame gives an open frame, or nil. The pointer is good until the next Apply.
func (s *State) Frame(id int) *Frame {
	for i := range s.Frames {
		if s.Frames[i].ID == id {
			return &s.Frames[i]
		}
	}
	return nil
}

func (s *State) branch(frame, branch int) (*Branch, error) {
	fr := s.Frame(frame)
	if fr == nil || branch < 0 || branch >= len(fr.Branches) {
		return nil, fmt.Errorf("no branch %d in frame %d", branch, frame)
	}
	return &fr.Branches[branch], nil
}

// FrameOf gives the open frame that a token has opened and waits for, or nil.
func (s *State) FrameOf(token int) *Frame {
	for i := range s.Frames {
		if f := &s.Frames[i]; f.ID != 0 && f.Token == token {
			return f
		}
	}
	return nil
}

// Call gives the index of an act of the started step, or -1.
func (t *Token) Call(number int) int {
	return slices.IndexFunc(t.Calls, func(c Call) bool { return c.Number == number })
}

// Runnable reports whether a worker holds the token, or is about to.
func (t *Token) Runnable() bool { return t.Phase == PhaseReady || t.Phase == PhaseStarted }

// insert keeps the tokens in order of their ids.
func (s *State) insert(t Token) {
	i, _ := slices.BinarySearchFunc(s.Tokens, t.ID, func(t Token, id int) int { return cmp.Compare(t.ID, id) })
	s.Tokens = slices.Insert(s.Tokens, i, t)
	s.NextToken = max(s.NextToken, t.ID+1)
}

// end removes a token. When something else ended it, an act in flight is remembered as unsettled.
func (s *State) end(t Token, byOthers bool) {
	if i, ok := s.tokenAt(t.ID); ok {
		s.Tokens = slices.Delete(s.Tokens, i, i+1)
	}
	s.undefer(t.ID)
	inFlight := t.Phase == PhaseStarted && t.Done == 0
	if byOthers && (inFlight || t.MayActTwice()) {
		s.unsettle(t)
	}
}

// unsettle remembers an act in flight.
func (s *State) unsettle(t Token) {
	s.Unsettled = append(s.Unsettled, Unsettled{Token: t.ID, Step: t.Step, Epoch: t.Epoch, Node: t.Node, Effects: t.Risk()})
	s.Unsettled = s.Unsettled[max(0, len(s.Unsettled)-maxUnsettled):]
}

// endBranch removes the live tokens of a branch, with the frames that were opened inside it.
func (s *State) endBranch(frame, branch int) {
	for _, t := range slices.Clone(s.Tokens) {
		if t.Frame != frame || t.Branch != branch {
			continue
		}
		if inner := s.FrameOf(t.ID); inner != nil {
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
	Put(target, node, seq)
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
	Put(target, node, a)
	return nil
}

// Within reports whether a token moves in a branch, or in a frame opened inside it.
func (s *State) Within(t Token, frame, branch int) bool {
	for t.Frame != frame {
		fr := s.Frame(t.Frame)
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

// Put sets an entry of a map that may not be there yet.
func Put[K comparable, V any](m *map[K]V, key K, v V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = v
}
