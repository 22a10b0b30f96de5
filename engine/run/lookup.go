package run

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/history"
)

// eachItemAround calls visit for every item of a foreach that a token is inside of, innermost first, until visit returns true.
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

// each gives the tokens of frames and of the frames opened within them; they must not be changed meanwhile.
func (m *machine) each(frames ...int) iter.Seq[*history.Token] {
	return func(yield func(*history.Token) bool) {
		frames := slices.Clone(frames)
		for i := 0; i < len(frames); i++ {
			for j := range m.State.Tokens {
				t := &m.State.Tokens[j]
				if t.Frame != frames[i] {
					continue
				}
				if !yield(t) {
					return
				}
				if fr := m.State.FrameOf(t.ID); fr != nil {
					frames = append(frames, fr.ID)
				}
			}
		}
	}
}

// inside lists the tokens of a frame and of the frames opened within it.
func (m *machine) inside(frames ...int) []history.Token {
	var all []history.Token
	for t := range m.each(frames...) {
		all = append(all, *t)
	}
	slices.SortFunc(all, func(a, b history.Token) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// within lists the tokens of a branch and of the frames opened within it.
func (m *machine) within(frame, branch int) []history.Token {
	return slices.DeleteFunc(m.inside(frame), func(t history.Token) bool { return !m.State.Within(t, frame, branch) })
}

// spreads reports whether the token waits for the branches that its routes have opened (spreadToken).
func spreads(m *machine, t history.Token) bool {
	fr := m.State.FrameOf(t.ID)
	return fr != nil && fr.Spread
}

// actWords names a started step's act, for people.
func (m *machine) actWords(t history.Token) string {
	name := t.Node
	n := m.Node(t)
	if n != nil && n.Name != "" {
		name = n.Name
	}
	var acts []string
	for _, c := range t.Calls {
		if c.Done == 0 && c.Effects == flow.EffectsOnce {
			acts = append(acts, c.What)
		}
	}
	if n != nil && len(acts) == 0 {
		if spec, ok := n.Spec.(*flow.ToolSpec); ok {
			acts = append(acts, spec.Tool)
		}
	}
	if len(acts) == 0 {
		return fmt.Sprintf("%q (step %d)", name, t.Step)
	}
	return fmt.Sprintf("%s in %q (step %d)", strings.Join(acts, ", "), name, t.Step)
}

// cameFrom is the node at the start of the edge by which a token came: the id of an edge begins with it.
func cameFrom(t history.Token) string {
	from, _, ok := strings.Cut(t.Edge, "/")
	if !ok {
		return ""
	}
	return from
}
