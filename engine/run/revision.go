package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/engine/flow"
)

// Move puts the run on another revision of its flow. Open gates are asked anew, as that revision words them.
type Move struct {
	At       time.Time
	Actor    Actor
	To       *Program
	Revision int
	Hash     string
	Asked    map[int]*GateOpened // the open gates by id, as they were opened
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
func Misfits(from, to *Program, s *State) []string {
	var why []string
	say := func(format string, args ...any) {
		if line := fmt.Sprintf(format, args...); !slices.Contains(why, line) {
			why = append(why, line)
		}
	}
	for _, t := range s.Tokens {
		was, is := from.nodes[t.Node], to.nodes[t.Node]
		switch {
		case is == nil:
			say("it stands at %q, which is not there any more", t.Node)
		case was == nil:
		case was.Kind != is.Kind:
			say("it stands at %q, which is %s now instead of %s", t.Node, kindWords(is.Kind), kindWords(was.Kind))
		case (t.Phase == PhaseStarted || t.Phase == PhaseChild || t.Phase == PhaseEvent || t.Resume) && from.does(t.Node) != to.does(t.Node):
			say("%q is under way, and has changed", t.Node)
		}
	}
	for _, t := range s.Tokens {
		for _, b := range t.Blocks {
			if is := to.nodes[b.Node]; is == nil || from.does(b.Node) != to.does(b.Node) {
				say("it is inside of %q, which has changed", b.Node)
			}
		}
	}
	for _, fr := range s.Frames {
		if fr.Meet != "" && to.nodes[fr.Meet] == nil {
			say("its ways meet at %q, which is not there any more", fr.Meet)
		}
		was, is := from.nodes[fr.Node], to.nodes[fr.Node]
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

func heads(fr Frame) []string {
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

// does is what a node does, as text; where it leads to is left out.
func (p *Program) does(id string) string {
	n := p.nodes[id]
	if n == nil {
		return ""
	}
	does := []any{n.Kind, n.Spec}
	if spec, ok := n.Spec.(*flow.AgentSpec); ok {
		does = append(does, p.flow.AgentByID(spec.Agent))
	}
	text, err := json.Marshal(does)
	if err != nil {
		return err.Error() // a document that came from JSON goes back to it
	}
	return string(text)
}

func (b *RevisionChanged) apply(s *State, _ Fact) error {
	s.Revision = b.Revision
	for _, id := range b.Again {
		t, err := s.need(id)
		if err != nil {
			return err
		}
		t.Gen, t.Attempt, t.Calls, t.Started = t.Gen+1, 0, nil, time.Time{}
	}
	return nil
}

func (m *machine) move(in Move) error {
	switch {
	case m.s.Seq == 0:
		return errNotStarted
	case m.s.Status.Final():
		return ErrOver
	}
	if why := Misfits(m.p, in.To, m.s); len(why) > 0 {
		return &MisfitError{Why: why}
	}
	b := &RevisionChanged{Revision: in.Revision, Hash: in.Hash}
	for _, t := range m.s.Tokens {
		if m.node(t) != nil && t.Attempt > 0 && m.p.does(t.Node) != in.To.does(t.Node) {
			b.Again = append(b.Again, t.ID)
		}
	}
	m.p = in.To
	m.emit(Token{}, b)
	gates := slices.Clone(m.s.Gates)
	if slices.ContainsFunc(gates, func(g Gate) bool { return in.Asked[g.ID] == nil }) {
		return ErrAsked
	}
	for _, g := range gates {
		m.todo = append(m.todo, g.Token) // so that what they all read is asked for at once
	}
	for _, g := range gates {
		m.askAnew(g, in.Asked[g.ID])
	}
	return nil
}

// askAnew closes a gate and opens another one in its place; votes do not count for it. What went wrong is asked in the same words.
func (m *machine) askAnew(g Gate, asked *GateOpened) {
	m.closeGate(g, &GateDecided{Gate: g.ID, Choice: ChoiceSuperseded})
	t := m.tok(g.Token)
	switch g.Kind {
	case GateApproval, GateAsk:
		m.enter(m.node(t), t)
	case GateAgent: // its step is offered again by whoever performs it
	default:
		again := *asked
		again.Due = time.Time{}
		m.open(t, &again, nil)
	}
}
