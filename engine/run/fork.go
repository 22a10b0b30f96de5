package run

import (
	"errors"
	"time"

	"sluice/engine/history"
	"sluice/engine/run/compile"
)

// Fork begins a run as a copy of another one up to a point of its history: the facts up to there are the new run's own. Decide takes the state
// that they fold into.
type Fork struct {
	At         time.Time
	Actor      history.Actor
	From       string // name of the other run
	Origin     string // run id that its idempotency keys name
	Generation int    // of the acts from here on; no other run of this origin has it
	Reason     string
	Keep       []KeptOutput
}

func (Fork) input() {}

// KeptOutput is an output that a node gave after the fork point. The new run takes it instead of performing the node: the first at the first visit.
type KeptOutput struct {
	Node   string
	Output history.Output
}

// ErrForkPoint means that a run cannot be forked there: something else is under way.
var ErrForkPoint = errors.New("something else is under way at this point")

func takeFork(m *machine, in Fork) error {
	if len(m.State.Tokens) != 1 {
		return ErrForkPoint
	}
	t := m.State.Tokens[0]
	if _, ok := m.State.Forkable(t.Step); !ok {
		return ErrForkPoint
	}
	m.emit(history.Token{}, &history.RunForked{From: in.From, Origin: in.Origin, Generation: in.Generation, Reason: in.Reason})
	for _, k := range in.Keep {
		m.emit(history.Token{Node: k.Node}, &history.OutputKept{Output: k.Output})
	}
	m.dispatch(t.ID)
	return nil
}

// reuseOutput finishes a node's step by an output that was kept for it, instead of performing it.
func reuseOutput(m *machine, n *compile.Node, t history.Token) bool {
	kept := m.State.Reuse[n.ID]
	if len(kept) == 0 || t.Attempt > 0 {
		return false
	}
	out, _ := m.Load(kept[0])
	m.Foresee(t, n.Ahead)
	out, isJSON := reply(n, out)
	m.storeOutput(t, &history.StepFinished{Output: out, JSON: isJSON, Reused: kept[0]})
	m.leave(t.ID)
	return true
}
