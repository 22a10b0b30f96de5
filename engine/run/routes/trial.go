package routes

import (
	"slices"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
	"sluice/engine/run/scope"
)

// tryChoose is Choose where values may be unknown: every route up to the first that certainly matches is possible.
func tryChoose(rd *scope.Reader, n *compile.Node, t history.Token) (Choice, *history.NodeError) {
	if n.Policy != flow.PolicyFirst {
		return trySeveral(rd, n, t)
	}
	base := Choice{Seen: scope.Seen{}}
	s := base.Seen
	sc := rd.Scope(t).Of(n.ID)
	routes := n.Ordered()
	var open []Choice
	if n.Kind == flow.KindDecision {
		var sure bool
		if open, sure = tryLiterals(rd, n, sc, base, routes); sure {
			return open[0], nil
		}
		routes = slices.DeleteFunc(routes, func(r *compile.Route) bool { return r.Literal })
	}
	closed := false
	for _, r := range routes {
		rd.Unknown = false
		ok, nerr := routeMatches(rd, n, sc, r, &base)
		if nerr != nil {
			if len(open) == 0 {
				return Choice{Seen: s}, nerr
			}
			break
		}
		if ok || rd.Unknown {
			open = append(open, base.with(r))
		}
		if closed = ok && !rd.Unknown; closed {
			break
		}
	}
	rd.Unknown = false
	if !closed {
		open = append(open, Choice{Seen: s})
	}
	if r := rd.Program.Executor(n); r != nil && n.External() && !slices.ContainsFunc(open, func(c Choice) bool { return c.leads(r) }) {
		open = append(open, base.with(r)) // the agent may ask for tools first
	}
	return open[pickWay(rd, t, open)], nil
}

// tryLiterals compares the bare literals of a decision: all are possible when its value is unknown, else the first that it equals is sure.
func tryLiterals(rd *scope.Reader, n *compile.Node, sc *scope.Scope, base Choice, routes []*compile.Route) (open []Choice, sure bool) {
	rd.Unknown = false
	value := rd.DecisionValue(sc.Token())
	unknown := rd.Unknown
	noteDecision(n, sc, base.Seen, value)
	for _, r := range routes {
		switch {
		case !r.Literal:
		case unknown:
			open = append(open, base.with(r))
		case expr.EqualLiteral(value, r.When):
			return []Choice{base.with(r)}, true
		}
	}
	return open, false
}

func (c Choice) leads(r *compile.Route) bool {
	return slices.ContainsFunc(c.Ways, func(w Way) bool { return w.Route == r })
}

// with is a Choice of one route, by the same values.
func (c Choice) with(r *compile.Route) Choice {
	return Choice{Ways: []Way{{r, r.Words()}}, Seen: c.Seen}
}

// trySeveral is Choose under a policy that takes several routes: each that an unknown value leaves open is taken or not.
func trySeveral(rd *scope.Reader, n *compile.Node, t history.Token) (Choice, *history.NodeError) {
	c := Choice{Seen: scope.Seen{}}
	sc := rd.Scope(t).Of(n.ID)
	var defaults []*compile.Route
	for _, r := range n.Ordered() {
		if r.Default() {
			defaults = append(defaults, r)
			continue
		}
		rd.Unknown = false
		ok, nerr := tryMatches(rd, n, sc, r, &c)
		switch {
		case nerr != nil:
			return c, nerr
		case rd.Unknown:
			ok = rd.Trial.Choose(t, []scope.Way{{Edge: r.Edge, To: r.To}, {}}) == 0
		}
		if ok {
			c.take(r, r.Words())
		}
	}
	rd.Unknown = false
	c.finish(n, defaults)
	return c, nil
}

// tryMatches is routeMatches for the literals of a decision as well.
func tryMatches(rd *scope.Reader, n *compile.Node, sc *scope.Scope, r *compile.Route, c *Choice) (bool, *history.NodeError) {
	if r.Literal {
		return expr.EqualLiteral(rd.DecisionValue(sc.Token()), r.When), nil
	}
	return routeMatches(rd, n, sc, r, c)
}

// pickWay has the trial choose one of several possible ways.
func pickWay(rd *scope.Reader, t history.Token, open []Choice) int {
	if len(open) == 1 {
		return 0
	}
	ways := make([]scope.Way, len(open))
	for i, c := range open {
		if len(c.Ways) > 0 {
			ways[i] = scope.Way{Edge: c.Ways[0].Edge, To: c.Ways[0].To}
		}
	}
	return rd.Trial.Choose(t, ways)
}
