package run

import (
	"strings"

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
	if fr := m.State.Fork(id); fr != nil && fr.Spread {
		retryBranches(m, t, *fr)
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
	case len(c.Ways) == 0:
		noRoute(m, n, t, c.Seen)
	case len(c.Ways) == 1:
		m.follow(id, c.Ways[0].Edge, c.Ways[0].To, c.Ways[0].Why, c.Seen)
	default:
		takeSeveral(m, n, t, c)
	}
}

// noRoute does what the node says about no route being taken.
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

// cameFrom is the node at the start of the edge by which a token came: the id of an edge begins with it.
func cameFrom(t history.Token) string {
	from, _, ok := strings.Cut(t.Edge, "/")
	if !ok {
		return ""
	}
	return from
}
