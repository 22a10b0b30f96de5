package run

import (
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
	"sluice/engine/run/routes"
	"sluice/engine/run/scope"
)

// leave chooses the routes of a finished node and moves the token.
func (m *machine) leave(id int) {
	t := m.Token(id)
	n := m.Node(t)
	if n == nil {
		m.Queue = append(m.Queue, id)
		return
	}
	if fr := m.State.FrameOf(id); fr != nil && fr.Spread {
		retryBranches(m, t, *fr)
		return
	}
	if t.Answered() {
		m.follow(id, flow.TurnEdge(n.ID), n.ID, "the person has answered", nil)
		return
	}
	if r := executorOf(m, n, t); r != nil {
		m.follow(id, r.Edge, r.To, "the agent asked for tools", nil)
		return
	}
	if open := n.OpenCriteria(t); len(open) > 0 && m.Trial == nil {
		askModel(m, n, t, open)
		return
	}
	c, nerr := routes.Choose(m.Reader, n, t)
	switch {
	case nerr != nil:
		m.fail(id, *nerr)
	case len(c.Asks) > 0:
		askModel(m, n, t, c.Asks)
	case waitsForPerson(t, c):
		openTurn(m, n, t)
	case len(c.Ways) == 0:
		noRoute(m, n, t, c.Seen)
	case len(c.Ways) == 1:
		m.follow(id, c.Ways[0].Edge, c.Ways[0].To, c.Ways[0].Why, c.Seen)
	default:
		takeSeveral(m, n, t, c)
	}
}

// noRoute applies the node's rule for the case that no route matches.
func noRoute(m *machine, n *compile.Node, t history.Token, s scope.Seen) {
	caller := ""
	if n.NoMatch == flow.NoMatchCaller {
		caller = cameFrom(t)
	}
	if n.Kind == flow.KindToolexec {
		caller = callerOf(m, t)
	}
	switch {
	case t.Talk(n.ID).Open():
		m.fail(t.ID, history.NodeError{
			Node: t.Node, Type: history.ErrorExpression, Permanent: true,
			Message: "the agent asked for tools, and no route leads to a node that performs them",
		})
		return
	case caller != "":
		m.follow(t.ID, flow.CallerEdge(n.ID), caller, "back to the caller", s)
		return
	case len(n.Outgoing) > 0:
		m.emit(t, &history.RouteTaken{To: flow.End, Why: "no route matched", Seen: s})
	}
	m.endPath(t.ID, history.EndNoRoute)
}

// finish stores a step's output and chooses the route.
func (m *machine) finish(id int, out history.Output, usage *history.Usage, given bool) {
	t := m.Token(id)
	isJSON, aside, n := false, false, m.Node(t)
	if n != nil && n.Spec != nil {
		aside = n.Aside
		out, isJSON = reply(n, out)
		out = n.Named(out)
	}
	m.storeOutput(t, &history.StepFinished{
		Output: out, JSON: isJSON, Usage: usage, Given: given, Aside: aside, Answers: answersFor(m, t), Speaks: speaks(m, n, out, given),
	})
	if remember(m, t, out) {
		m.leave(id)
	}
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
	if l := limitsOf(m).at(t, to, 1); l != nil {
		m.atLimit(t, *l)
		return
	}
	m.emit(t, &history.RouteTaken{Edge: edge, To: to, Why: why, Seen: s})
	m.Queue = append(m.Queue, id)
}

// endPath ends a token's path; inside a loop or a sequence the token goes back to that node. The result of the run is the output of its
// last path.
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
