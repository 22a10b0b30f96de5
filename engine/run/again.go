package run

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Fork goes on, as a run of its own, from a point of another run's history: the facts up to there are the new run's own. Decide takes
// the state that they fold into.
type Fork struct {
	At         time.Time
	Actor      Actor
	From       string // name of the other run
	Origin     string // run id that its idempotency keys name
	Generation int    // of the acts from here on; no other run of this origin has it
	Reason     string
	Keep       []KeptOutput
}

func (Fork) input() {}

// KeptOutput is what a node gave after the fork point, which is taken instead of doing it again: the first for the first visit.
type KeptOutput struct {
	Node   string
	Output Output
}

type (
	// RunForked says where the history that is not the run's own ends.
	RunForked struct {
		From       string `json:"from"`
		Origin     string `json:"origin"`
		Generation int    `json:"generation"`
		Reason     string `json:"reason,omitempty"`
	}
	// OutputKept holds an output for the next visit to a node: it is taken instead of an act.
	OutputKept struct {
		Output Output `json:"output"`
	}
)

// FactKind names the kind.
func (*RunForked) FactKind() FactKind { return "run_forked" }

// FactKind names the kind.
func (*OutputKept) FactKind() FactKind { return "output_kept" }

// ErrForkPoint means that a run cannot be forked there: something else is under way.
var ErrForkPoint = errors.New("something else is under way at this point")

// Forkable gives the token before the node of a step, when the run can be forked there: nothing else is live.
func (s *State) Forkable(step int) (Token, bool) {
	if len(s.Tokens) != 1 || len(s.Frames) != 1 || len(s.Gates)+len(s.Timers) > 0 {
		return Token{}, false
	}
	t := s.Tokens[0]
	return t, t.Step == step && (t.Phase == PhaseReady || t.Phase == PhaseHeld) && t.Attempt == 0 && t.Done == 0
}

func (b *RunForked) apply(s *State, _ Fact) error {
	s.Origin, s.Generation, s.Holds, s.Reuse = b.Origin, b.Generation, nil, nil
	for i := range s.Tokens {
		t := &s.Tokens[i]
		t.Gen = b.Generation
		if t.Phase == PhaseHeld {
			t.Phase = PhaseReady
		}
	}
	return nil
}

func (b *OutputKept) apply(s *State, f Fact) error {
	if f.Node == "" {
		return errors.New("an output is kept for no node")
	}
	put(&s.Reuse, f.Node, append(slices.Clip(s.Reuse[f.Node]), f.Seq))
	return nil
}

// reused takes an output off those that are kept for a node.
func (s *State) reused(node string, seq int64) error {
	kept := s.Reuse[node]
	if len(kept) == 0 || kept[0] != seq {
		return fmt.Errorf("output %d is not the next one that is kept for %s", seq, node)
	}
	if s.Reuse[node] = kept[1:]; len(kept) == 1 {
		delete(s.Reuse, node)
	}
	return nil
}

func (m *machine) forkRun(in Fork) error {
	if len(m.s.Tokens) != 1 {
		return ErrForkPoint
	}
	t := m.s.Tokens[0]
	if _, ok := m.s.Forkable(t.Step); !ok {
		return ErrForkPoint
	}
	m.emit(Token{}, &RunForked{From: in.From, Origin: in.Origin, Generation: in.Generation, Reason: in.Reason})
	for _, k := range in.Keep {
		m.emit(Token{Node: k.Node}, &OutputKept{Output: k.Output})
	}
	m.dispatch(t.ID)
	return nil
}

// reuse finishes a node's step by an output that was kept for it, instead of doing it.
func (m *machine) reuse(n *node, t Token) bool {
	kept := m.s.Reuse[n.ID]
	if len(kept) == 0 || t.Attempt > 0 {
		return false
	}
	out, _ := m.load(kept[0])
	m.foresee(t, n.ahead)
	out, isJSON := reply(n, out)
	m.keep(t, &StepFinished{Output: out, JSON: isJSON, Reused: kept[0]})
	m.leave(t.ID)
	return true
}

// wantKept notes what may be taken over in this decision.
func (m *machine) wantKept() {
	for _, kept := range m.s.Reuse {
		for _, seq := range kept[:min(len(kept), foldMost)] {
			m.want(seq)
		}
	}
}
