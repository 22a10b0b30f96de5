package run

import (
	"encoding/json"
	"slices"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
	"sluice/engine/run/scope"
)

// tryChoose is choose where values may be unknown: every route up to the first that certainly matches is open.
func tryChoose(m *machine, n *compile.Node, t history.Token) (choice, *history.NodeError) {
	if n.Policy != flow.PolicyFirst {
		return trySeveral(m, n, t)
	}
	base := choice{seen: scope.Seen{}}
	s := base.seen
	sc := m.Scope(t).Of(n.ID)
	routes := n.Ordered()
	var open []choice
	if n.Kind == flow.KindDecision {
		var sure bool
		if open, sure = tryLiterals(m, n, sc, base, routes); sure {
			return open[0], nil
		}
		routes = slices.DeleteFunc(routes, func(r *compile.Route) bool { return r.Literal })
	}
	closed := false
	for _, r := range routes {
		m.Unknown = false
		ok, nerr := routeMatches(m, n, sc, r, &base)
		if nerr != nil {
			if len(open) == 0 {
				return choice{seen: s}, nerr
			}
			break
		}
		if ok || m.Unknown {
			open = append(open, base.with(r))
		}
		if closed = ok && !m.Unknown; closed {
			break
		}
	}
	m.Unknown = false
	if !closed {
		open = append(open, choice{seen: s})
	}
	if r := toExecutor(m, n); r != nil && n.External() && !slices.ContainsFunc(open, func(c choice) bool { return c.leads(r) }) {
		open = append(open, base.with(r)) // the agent may ask for tools first
	}
	return open[pickWay(m, t, open)], nil
}

// tryLiterals compares the bare literals of a decision: all are open when its value is unknown, else the first that it equals is sure.
func tryLiterals(m *machine, n *compile.Node, sc *scope.Scope, base choice, routes []*compile.Route) (open []choice, sure bool) {
	m.Unknown = false
	value := m.DecisionValue(sc.Token())
	unknown := m.Unknown
	noteDecision(n, sc, base.seen, value)
	for _, r := range routes {
		switch {
		case !r.Literal:
		case unknown:
			open = append(open, base.with(r))
		case expr.EqualLiteral(value, r.When):
			return []choice{base.with(r)}, true
		}
	}
	return open, false
}

func (c choice) leads(r *compile.Route) bool {
	return slices.ContainsFunc(c.ways, func(w way) bool { return w.Route == r })
}

// with is a choice of one route, by the same values.
func (c choice) with(r *compile.Route) choice {
	return choice{ways: []way{{r, r.Words()}}, seen: c.seen}
}

// trySeveral is choose under a policy that takes several routes: each that an unknown value leaves open is taken or not.
func trySeveral(m *machine, n *compile.Node, t history.Token) (choice, *history.NodeError) {
	c := choice{seen: scope.Seen{}}
	sc := m.Scope(t).Of(n.ID)
	var defaults []*compile.Route
	for _, r := range n.Ordered() {
		if r.Default() {
			defaults = append(defaults, r)
			continue
		}
		m.Unknown = false
		ok, nerr := tryMatches(m, n, sc, r, &c)
		switch {
		case nerr != nil:
			return c, nerr
		case m.Unknown:
			ok = m.Trial.Choose(t, []scope.Way{{Edge: r.Edge, To: r.To}, {}}) == 0
		}
		if ok {
			c.take(r, r.Words())
		}
	}
	m.Unknown = false
	if n.Policy == flow.PolicyPriority {
		c.highest()
	}
	if len(c.ways) == 0 {
		for _, r := range defaults {
			c.take(r, r.Words())
		}
	}
	return c, nil
}

// tryMatches is matches for the literals of a decision as well.
func tryMatches(m *machine, n *compile.Node, sc *scope.Scope, r *compile.Route, c *choice) (bool, *history.NodeError) {
	if r.Literal {
		return expr.EqualLiteral(m.DecisionValue(sc.Token()), r.When), nil
	}
	return routeMatches(m, n, sc, r, c)
}

// pickWay asks which of several open ways to go.
func pickWay(m *machine, t history.Token, open []choice) int {
	if len(open) == 1 {
		return 0
	}
	ways := make([]scope.Way, len(open))
	for i, c := range open {
		if len(c.ways) > 0 {
			ways[i] = scope.Way{Edge: c.ways[0].Edge, To: c.ways[0].To}
		}
	}
	return m.Trial.Choose(t, ways)
}

// tryList is the list of a foreach where it may be unknown: then there may be no items, or at least one that nobody knows.
func tryList(m *machine, t history.Token, spec *flow.ForeachSpec, list []json.RawMessage) []json.RawMessage {
	if m.Unknown {
		if m.Trial.Choose(t, []scope.Way{{Edge: flow.BodyEdge(t.Node), To: spec.Body}, {}}) == 1 {
			return nil
		}
		if len(list) == 0 {
			list = []json.RawMessage{json.RawMessage("null")}
		}
	}
	if most := m.Trial.Items(t, len(list)); most < len(list) {
		m.Unknown, list = true, list[:most]
	}
	return list
}

// Giver names what gives a node's value from outside: its kind, with the tool or agent. It is "" for what the machine computes by
// itself or people answer.
func Giver(n *flow.Node) string {
	switch s := n.Spec.(type) {
	case *flow.ToolSpec:
		return string(n.Kind) + " " + s.Tool
	case *flow.AgentSpec:
		return string(n.Kind) + " " + s.Agent
	}
	if n.Acts() {
		return string(n.Kind)
	}
	return ""
}
