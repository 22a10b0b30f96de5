package run

import (
	"fmt"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
	"sluice/engine/run/scope"
)

// drain takes on every token that can go on: through pure nodes, up to a node that a worker performs or that waits.
func (m *machine) drain() {
	for len(m.Queue) > 0 || m.release() {
		id := m.Queue[0]
		m.Queue = m.Queue[1:]
		t := m.Token(id)
		n := m.Node(t)
		switch {
		case t.Phase != history.PhaseReady: // the run is paused, or something else has stopped the token
		case n == nil:
			failMissingNode(m, t)
		case m.defers(t):
			m.emit(t, &history.TokenDeferred{})
		case t.MayActTwice():
			openUnknown(m, t, fmt.Sprintf("The worker stopped while %s was under way. Whether it took effect is not known.", m.what(t)), nil)
		case n.Acts() && t.Done == 0 && !m.canPerform(id), m.folds >= scope.FoldMost:
			m.dispatch(id)
		default:
			m.folds++
			m.enter(n, t)
		}
	}
}

func failMissingNode(m *machine, t history.Token) {
	m.fail(t.ID, history.NodeError{Node: t.Node, Type: history.ErrorExpression, Message: fmt.Sprintf("the flow has no node %q any more", t.Node), Permanent: true})
}

// canPerform reports whether the input's worker can go on with the token.
func (m *machine) canPerform(id int) bool { return m.idle && (id == m.worker || m.c.Follow) }

// enter takes a token through its node, or as far as it comes.
func (m *machine) enter(n *compile.Node, t history.Token) {
	m.Unknown = false
	if t.Done != 0 {
		m.leave(t.ID)
		return
	}
	if n.Broken != nil {
		m.fail(t.ID, *scope.ExpressionError(t, n.Broken))
		return
	}
	if reuseOutput(m, n, t) {
		return
	}
	m.kinds[n.Kind].enter(m, n, t)
}

// dispatch asks for a worker. The worker that held the token before is fenced off.
func (m *machine) dispatch(id int) {
	t := m.Token(id)
	if t.Phase == history.PhaseHeld {
		return
	}
	if !m.made[id] {
		m.emit(t, &history.TokenHanded{Epoch: t.Epoch + 1, Reason: "dispatch"})
		t = m.Token(id)
	}
	if t.Phase == history.PhaseHeld { // it had started before the run was paused
		return
	}
	delete(m.made, id)
	if id == m.worker {
		m.worker, m.idle = 0, false
	}
	m.effect(Dispatch{Token: id, Epoch: t.Epoch})
}

func enterSet(m *machine, n *compile.Node, t history.Token) {
	v, nerr := m.Render(n, t, m.Scope(t))
	if nerr != nil {
		m.fail(t.ID, *nerr)
		return
	}
	if m.writeVars(t, history.NormalMap(v)) {
		m.leave(t.ID)
	}
}

func enterTerminal(m *machine, n *compile.Node, t history.Token, spec *flow.TerminalSpec) {
	if empty(spec.Output) {
		if t.Prev != 0 {
			m.emit(t, &history.StepFinished{From: t.Prev})
		}
		endAtTerminal(m, t.ID, spec)
		return
	}
	sc := m.Scope(t)
	v, nerr := m.Evaluate(t, n.AheadOnEntry, func() (any, error) { return n.ParamsFor(t).Render(sc, m.Options(t)) })
	if nerr != nil {
		m.fail(t.ID, *nerr)
		return
	}
	m.keep(t, &history.StepFinished{Output: veilOutput(m, n, t, scope.ValueOutput(v))})
	endAtTerminal(m, t.ID, spec)
}

func endAtTerminal(m *machine, id int, spec *flow.TerminalSpec) {
	if spec.EndsRun {
		endRun(m, id, history.Outcome(spec.Outcome))
		return
	}
	m.endPathAs(id, history.EndTerminal, history.Outcome(spec.Outcome))
}

func empty(v any) bool {
	m, isMap := v.(map[string]any)
	return v == nil || isMap && len(m) == 0
}

// follow moves a token along an edge, unless a limit stops it.
func (m *machine) follow(id int, edge, to, why string, s scope.Seen) {
	t := m.Token(id)
	if to == flow.End {
		m.emit(t, &history.RouteTaken{Edge: edge, To: to, Why: why, Seen: s})
		m.endPath(id, history.EndRoute)
		return
	}
	if meets(m, t, edge, to, why, s) {
		return
	}
	if l := m.limitAt(t, to, 1); l != nil {
		m.atLimit(t, *l)
		return
	}
	m.emit(t, &history.RouteTaken{Edge: edge, To: to, Why: why, Seen: s})
	m.Queue = append(m.Queue, id)
}

// endPath ends a token's path: inside a loop or a sequence the token goes back to it. The run's result is what its last path
// brought along.
func (m *machine) endPath(id int, reason string) { m.endPathAs(id, reason, "") }

// endPathAs is endPath for a path that declares the outcome of the run.
func (m *machine) endPathAs(id int, reason string, outcome history.Outcome) {
	t := m.Token(id)
	if b := blockAround(&t); b != nil {
		m.emit(t, &history.RoundEnded{Reason: reason, Back: b.Node, Step: b.Step})
		m.Queue = append(m.Queue, id)
		return
	}
	m.emit(t, &history.PathEnded{Reason: reason, Outcome: outcome})
	if t.Frame == 0 {
		m.result = t.Prev
		return
	}
	m.join(t.Frame)
}
