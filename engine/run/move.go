package run

import (
	"fmt"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
	"sluice/engine/run/scope"
)

// drain moves every token that can move: through pure nodes, up to a node that a worker performs or that waits.
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
			openUnknown(m, t, fmt.Sprintf("The worker stopped while %s was under way. Whether it took effect is not known.", m.actWords(t)), nil)
		case n.Acts() && t.Done == 0 && !m.canPerform(id), m.folds >= scope.FoldMost:
			m.dispatch(id)
		default:
			m.folds++
			m.enter(n, t)
		}
	}
}

// enter takes a token through its node, or up to the point where it waits.
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
	m.storeOutput(t, &history.StepFinished{Output: maskText(m, n, t, scope.ValueOutput(v))})
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
