package run

import (
	"errors"
	"slices"
	"strings"
	"time"

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

func takeMove(m *machine, in Move) error {
	switch {
	case m.State.Seq == 0:
		return history.ErrNotStarted
	case m.State.Status.Final():
		return ErrOver
	}
	if why := compile.Misfits(m.Program, in.To, m.State); len(why) > 0 {
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
		m.Queue = append(m.Queue, g.Token) // the outputs that all of them read are asked for at once
	}
	for _, g := range gates {
		askAgain(m, g, in.Asked[g.ID])
	}
	return nil
}

// askAgain closes a gate and opens another one in its place, without the votes. A question about an error keeps its words.
func askAgain(m *machine, g history.Gate, asked *history.GateOpened) {
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
