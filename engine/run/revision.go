package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
)

// Move puts the run on another revision of its flow. Open gates are asked anew, as that revision words them.
type Move struct {
	At       time.Time
	Actor    history.Actor
	To       *compile.Program
	Revision int
	Hash     string
	Asked    map[int]*history.GateOpened // the open gates by id, as they were opened
}

func (Move) input() {}

// MisfitError says why a run cannot move to another revision.
type MisfitError struct{ Why []string }

// Error lists the reasons.
func (e *MisfitError) Error() string { return strings.Join(e.Why, "; ") }

// ErrAsked means that a gate was opened that Move does not know: read the open gates again.
var ErrAsked = errors.New("a gate was opened meanwhile")

// Misfits lists, in words for people, why a run that stands in s cannot go on with another revision; none = it fits. Whatever is
// live must be at a node of the same id and kind there. An act that has begun, or may have happened, must be the very same: it
// cannot be finished, nor asked about, as something else.
func Misfits(from, to *compile.Program, s *history.State) []string {
	var why []string
	say := func(format string, args ...any) {
		if line := fmt.Sprintf(format, args...); !slices.Contains(why, line) {
			why = append(why, line)
		}
	}
	for _, t := range s.Tokens {
		was, is := from.Nodes[t.Node], to.Nodes[t.Node]
		switch {
		case is == nil:
			say("it stands at %q, which is not there any more", t.Node)
		case was == nil:
		case was.Kind != is.Kind:
			say("it stands at %q, which is %s now instead of %s", t.Node, kindWords(is.Kind), kindWords(was.Kind))
		case (t.Phase == history.PhaseStarted || t.Phase == history.PhaseChild || t.Phase == history.PhaseEvent || t.Phase == history.PhaseMessage || t.Resume) && from.Does(t.Node) != to.Does(t.Node):
			say("%q is under way, and has changed", t.Node)
		}
	}
	for _, t := range s.Tokens {
		for _, b := range t.Blocks {
			if is := to.Nodes[b.Node]; is == nil || from.Does(b.Node) != to.Does(b.Node) {
				say("it is inside of %q, which has changed", b.Node)
			}
		}
	}
	for _, fr := range s.Frames {
		if fr.Meet != "" && to.Nodes[fr.Meet] == nil {
			say("its ways meet at %q, which is not there any more", fr.Meet)
		}
		was, is := from.Nodes[fr.Node], to.Nodes[fr.Node]
		if fr.ID == 0 || was == nil || is == nil || was.Kind != is.Kind {
			continue // the token that opened it has said so
		}
		if spec, ok := is.Spec.(*flow.ParallelSpec); ok && !fr.Spread && !slices.Equal(heads(fr), targetsOf(spec)) {
			say("the branches of %q are under way, and are others now", fr.Node)
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

func takeMove(m *machine, in Move) error {
	switch {
	case m.State.Seq == 0:
		return history.ErrNotStarted
	case m.State.Status.Final():
		return ErrOver
	}
	if why := Misfits(m.Program, in.To, m.State); len(why) > 0 {
		return &MisfitError{Why: why}
	}
	b := &history.RevisionChanged{Revision: in.Revision, Hash: in.Hash}
	for _, t := range m.State.Tokens {
		if m.Node(t) != nil && t.Attempt > 0 && m.Program.Does(t.Node) != in.To.Does(t.Node) {
			b.Again = append(b.Again, t.ID)
		}
	}
	m.Program = in.To
	m.emit(history.Token{}, b)
	gates := slices.Clone(m.State.Gates)
	if slices.ContainsFunc(gates, func(g history.Gate) bool { return in.Asked[g.ID] == nil }) {
		return ErrAsked
	}
	for _, g := range gates {
		m.Queue = append(m.Queue, g.Token) // so that what they all read is asked for at once
	}
	for _, g := range gates {
		askAnew(m, g, in.Asked[g.ID])
	}
	return nil
}

// askAnew closes a gate and opens another one in its place; votes do not count for it. What went wrong is asked in the same words.
func askAnew(m *machine, g history.Gate, asked *history.GateOpened) {
	m.closeGate(g, &history.GateDecided{Gate: g.ID, Choice: history.ChoiceSuperseded})
	t := m.Token(g.Token)
	switch g.Kind {
	case history.GateApproval, history.GateAsk:
		m.enter(m.Node(t), t)
	case history.GateAgent, history.GateCall: // its step is offered, or its call asked for, again by the worker that performs it
	default:
		again := *asked
		again.Due = time.Time{}
		m.open(t, &again, nil)
	}
}
