package run

import (
	"fmt"

	"sluice/engine/expr"
	"sluice/engine/flow"
)

// foldMost bounds how many pure nodes one decision passes; after that the token is dispatched, so that a loop of decisions
// does not become one endless transition.
const foldMost = 200

// drain takes on every token that can go on: through pure nodes, up to a node that a worker performs or that waits.
func (m *machine) drain() {
	for len(m.todo) > 0 || m.release() {
		id := m.todo[0]
		m.todo = m.todo[1:]
		t := m.tok(id)
		n := m.node(t)
		switch {
		case t.Phase != PhaseReady: // the run is paused, or something else has stopped the token
		case n == nil:
			m.noNode(t)
		case m.defers(t):
			m.emit(t, &TokenDeferred{})
		case t.doubtful():
			m.openUnknown(t, fmt.Sprintf("The worker stopped while %s was under way. Whether it took effect is not known.", m.what(t)), nil)
		case n.acts() && t.Done == 0 && !m.canPerform(id), m.folds >= foldMost:
			m.dispatch(id)
		default:
			m.folds++
			m.enter(n, t)
		}
	}
}

func (m *machine) noNode(t Token) {
	m.fail(t.ID, NodeError{Node: t.Node, Type: ErrorExpression, Message: fmt.Sprintf("the flow has no node %q any more", t.Node), Permanent: true})
}

// canPerform reports whether the input's worker can go on with the token.
func (m *machine) canPerform(id int) bool { return m.idle && (id == m.worker || m.c.Follow) }

// enter takes a token through its node, or as far as it comes.
func (m *machine) enter(n *node, t Token) {
	m.doubt = false
	if t.Done != 0 {
		m.leave(t.ID)
		return
	}
	if n.broken != nil {
		m.fail(t.ID, *expressionError(t, n.broken))
		return
	}
	if m.reuse(n, t) {
		return
	}
	switch spec := n.Spec.(type) {
	case *flow.DecisionSpec:
		m.decideNode(n, t, spec)
	case *flow.SetSpec:
		m.setVars(n, t)
	case *flow.TerminalSpec:
		m.terminal(n, t, spec)
	case *flow.ParallelSpec:
		m.fork(n, t, spec)
	case *flow.ForeachSpec:
		m.foreach(n, t, spec)
	case *flow.SequenceSpec:
		m.sequence(n, t, spec)
	case *flow.LoopSpec:
		m.loop(n, t, spec)
	case *flow.EntrySpec:
		m.entry(n, t, spec)
	case *flow.ComputeSpec:
		m.compute(n, t)
	case *flow.OpaqueSpec:
		m.opaque(n, t, spec)
	case *flow.ApprovalSpec:
		m.openApproval(n, t, spec)
	case *flow.AskSpec:
		m.openAsk(n, t, spec)
	case *flow.WaitSpec:
		m.wait(n, t, spec)
	case *flow.SubflowSpec:
		m.subflow(n, t, spec)
	default:
		m.perform(n, t)
	}
}

// dispatch asks for a worker. Whoever held the token before is fenced off.
func (m *machine) dispatch(id int) {
	t := m.tok(id)
	if t.Phase == PhaseHeld {
		return
	}
	if !m.made[id] {
		m.emit(t, &TokenHanded{Epoch: t.Epoch + 1, Reason: "dispatch"})
		t = m.tok(id)
	}
	if t.Phase == PhaseHeld { // it had started before the run was paused
		return
	}
	delete(m.made, id)
	if id == m.worker {
		m.worker, m.idle = 0, false
	}
	m.effect(Dispatch{Token: id, Epoch: t.Epoch})
}

func (m *machine) setVars(n *node, t Token) {
	v, nerr := m.render(n, t, &scope{m: m, t: t})
	if nerr != nil {
		m.fail(t.ID, *nerr)
		return
	}
	if m.writeVars(t, normalMap(v)) {
		m.leave(t.ID)
	}
}

func (m *machine) terminal(n *node, t Token, spec *flow.TerminalSpec) {
	if empty(spec.Output) {
		if t.Prev != 0 {
			m.emit(t, &StepFinished{From: t.Prev})
		}
		m.atTerminal(t.ID, spec)
		return
	}
	sc := &scope{m: m, t: t}
	v, nerr := m.evaluate(t, n.ahead0, func() (any, error) { return n.paramsFor(t).Render(sc, m.options(t)) })
	if nerr != nil {
		m.fail(t.ID, *nerr)
		return
	}
	m.keep(t, &StepFinished{Output: m.veil(n, t, valueOutput(v))})
	m.atTerminal(t.ID, spec)
}

func (m *machine) atTerminal(id int, spec *flow.TerminalSpec) {
	if spec.EndsRun {
		m.endRun(id)
		return
	}
	m.endPath(id, EndTerminal)
}

func empty(v any) bool {
	m, isMap := v.(map[string]any)
	return v == nil || isMap && len(m) == 0
}

// valueOutput is an output made of a rendered value: a text, or data with its text.
func valueOutput(v any) Output {
	v = normal(v)
	if s, ok := v.(string); ok {
		return Output{Text: s}
	}
	if v == nil {
		return Output{}
	}
	return Output{Text: expr.Text(v), Data: []byte(expr.JSON(v))}
}

// follow moves a token along an edge, unless a limit stops it.
func (m *machine) follow(id int, edge, to, why string, s seen) {
	t := m.tok(id)
	if to == flow.End {
		m.emit(t, &RouteTaken{Edge: edge, To: to, Why: why, Seen: s})
		m.endPath(id, EndRoute)
		return
	}
	if m.meets(t, edge, to, why, s) {
		return
	}
	if l := m.limitAt(t, to, 1); l != nil {
		m.atLimit(t, *l)
		return
	}
	m.emit(t, &RouteTaken{Edge: edge, To: to, Why: why, Seen: s})
	m.todo = append(m.todo, id)
}

// endPath ends a token's path: inside a loop or a sequence the token goes back to it. The run's result is what its last path
// brought along.
func (m *machine) endPath(id int, reason string) {
	t := m.tok(id)
	if b := t.around(); b != nil {
		m.emit(t, &RoundEnded{Reason: reason, Back: b.Node, Step: b.Step})
		m.todo = append(m.todo, id)
		return
	}
	m.emit(t, &PathEnded{Reason: reason})
	if t.Frame == 0 {
		m.result = t.Prev
		return
	}
	m.join(t.Frame)
}
