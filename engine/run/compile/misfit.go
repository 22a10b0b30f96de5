package compile

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/history"
)

// Misfits lists, in words for people, why a run in the state s cannot move to another revision; none = it can. Every live token, frame and gate
// must be at a node that has the same id and kind there. An act that has begun, or may have happened, must be exactly the same there: it cannot be
// finished, nor asked about, as another act.
func Misfits(from, to *Program, s *history.State) []string {
	var why []string
	say := func(format string, args ...any) {
		if line := fmt.Sprintf(format, args...); !slices.Contains(why, line) {
			why = append(why, line)
		}
	}
	step := func(id string) string { // as people know it
		if n := from.Nodes[id]; n != nil && n.Name != "" {
			return n.Name
		}
		return id
	}
	for _, t := range s.Tokens {
		was, is := from.Nodes[t.Node], to.Nodes[t.Node]
		switch {
		case is == nil:
			say("it stands at %q, which is not there any more", step(t.Node))
		case was == nil:
		case was.Kind != is.Kind:
			say("it stands at %q, which is %s now instead of %s", step(t.Node), kindWords(is.Kind), kindWords(was.Kind))
		case (t.Phase == history.PhaseStarted || t.Phase == history.PhaseChild || t.Phase == history.PhaseEvent || t.Phase == history.PhaseMessage || t.Resume) && from.Does(t.Node) != to.Does(t.Node):
			say("%q is under way, and has changed", step(t.Node))
		}
	}
	for _, t := range s.Tokens {
		for _, b := range t.Blocks {
			if is := to.Nodes[b.Node]; is == nil || from.Does(b.Node) != to.Does(b.Node) {
				say("it is inside of %q, which has changed", step(b.Node))
			}
		}
	}
	for _, fr := range s.Frames {
		if fr.Meet != "" && to.Nodes[fr.Meet] == nil {
			say("its ways meet at %q, which is not there any more", step(fr.Meet))
		}
		was, is := from.Nodes[fr.Node], to.Nodes[fr.Node]
		if fr.ID == 0 || was == nil || is == nil || was.Kind != is.Kind {
			continue // the token that opened it has said so
		}
		if spec, ok := is.Spec.(*flow.ParallelSpec); ok && !fr.Spread && !slices.Equal(heads(fr), targetsOf(spec)) {
			say("the branches of %q are under way, and are others now", step(fr.Node))
		}
	}
	return why
}

func kindWords(k flow.Kind) string {
	if strings.ContainsRune("aeiou", rune(string(k)[0])) {
		return "an " + string(k)
	}
	return "a " + string(k)
}

func heads(fr history.Frame) []string {
	list := make([]string, len(fr.Branches))
	for i, br := range fr.Branches {
		list[i] = br.Head
	}
	return list
}

func targetsOf(spec *flow.ParallelSpec) []string {
	list := make([]string, len(spec.Branches))
	for i, r := range spec.Branches {
		list[i] = r.To
	}
	return list
}
