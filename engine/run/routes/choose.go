package routes

import (
	"fmt"
	"slices"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
	"sluice/engine/run/scope"
)

// Choice is the result of choosing among a node's routes: the ones that are taken, in order, the values behind them, and the questions that
// must be answered first.
type Choice struct {
	Ways []Way
	Seen scope.Seen
	Asks []history.Question
}

// Way is a route that is taken, and why.
type Way struct {
	*compile.Route
	Why string
}

func (c *Choice) take(r *compile.Route, why string) { c.Ways = append(c.Ways, Way{r, why}) }

// Choose finds the routes that are taken: the first that matches, or what the node's policy says. For a decision the bare
// literals are compared first, default is taken last wherever it stands, and other conditions are evaluated only if no literal
// matched. Under a policy that takes several routes a default counts if nothing else does.
func Choose(rd *scope.Reader, n *compile.Node, t history.Token) (Choice, *history.NodeError) {
	if rd.Trial != nil {
		return tryChoose(rd, n, t)
	}
	c := Choice{Seen: scope.Seen{}}
	sc := rd.Scope(t).Of(n.ID)
	routes := n.Ordered()
	if n.Kind == flow.KindDecision {
		routes = matchLiterals(rd, n, sc, &c, routes)
	}
	first := n.Policy == flow.PolicyFirst
	var defaults []*compile.Route
	for _, r := range routes {
		if len(c.Ways)+len(c.Asks) > 0 && first {
			break
		}
		if r.Default() && !first {
			defaults = append(defaults, r)
			continue
		}
		ok, nerr := routeMatches(rd, n, sc, r, &c)
		if nerr != nil {
			return c, nerr
		}
		if ok {
			c.take(r, r.Words())
		}
	}
	c.finish(n, defaults)
	return c, nil
}

// finish keeps the routes of the highest priority where the node asks for that, and takes the default routes when no other one was taken.
func (c *Choice) finish(n *compile.Node, defaults []*compile.Route) {
	if n.Policy == flow.PolicyPriority {
		c.highest()
	}
	if len(c.Ways) == 0 {
		for _, r := range defaults {
			c.take(r, r.Words())
		}
	}
}

// matchLiterals compares a decision's value with its bare literals. When one matches, other conditions are not looked at.
func matchLiterals(rd *scope.Reader, n *compile.Node, sc *scope.Scope, c *Choice, routes []*compile.Route) []*compile.Route {
	value := rd.DecisionValue(sc.Token())
	noteDecision(n, sc, c.Seen, value)
	for _, r := range routes {
		if r.Literal && expr.EqualLiteral(value, r.When) {
			c.take(r, expr.Text(n.Masked(r.When)))
			if n.Policy == flow.PolicyFirst {
				return nil
			}
		}
	}
	if len(c.Ways) > 0 {
		return nil
	}
	return slices.DeleteFunc(routes, func(r *compile.Route) bool { return r.Literal })
}

// highest leaves out expressions that hold beside others of a higher priority. Routes come with the highest first.
func (c *Choice) highest() {
	i := slices.IndexFunc(c.Ways, func(w Way) bool { return w.If == flow.IfExpr })
	if i < 0 {
		return
	}
	top := c.Ways[i].Priority
	c.Ways = slices.DeleteFunc(c.Ways, func(w Way) bool { return w.If == flow.IfExpr && w.Priority < top })
}

// routeMatches evaluates a route's condition and records the values that it read.
func routeMatches(rd *scope.Reader, n *compile.Node, sc *scope.Scope, r *compile.Route, c *Choice) (bool, *history.NodeError) {
	if r.Default() {
		return true, nil
	}
	if r.If != flow.IfExpr {
		return conditionHolds(rd, n, sc.Token(), r, c), nil
	}
	if r.Err != nil && n.Policy == flow.PolicyPriority { // there, an expression that cannot be evaluated does not hold
		c.Seen[r.Source] = r.Err.Error()
		return false, nil
	}
	if r.Err != nil {
		return false, scope.ExpressionError(sc.Token(), fmt.Errorf("route %q: %w", r.Source, r.Err))
	}
	v, nerr := rd.Evaluate(sc.Token(), n.Ahead, func() (any, error) { return r.Expr.Test(sc, rd.Options(sc.Token())) })
	if nerr != nil {
		return false, nerr
	}
	c.Seen.Add(sc, r.Expr)
	ok, _ := v.(bool)
	return ok, nil
}

// noteDecision records the values behind a decision.
func noteDecision(n *compile.Node, sc *scope.Scope, s scope.Seen, value any) {
	for _, c := range n.Cases {
		s.Add(sc, c.Expr)
	}
	s.Add(sc, n.Value.Expr)
	name := n.Value.Source
	if name == "" {
		name = "value"
	}
	s[name] = scope.Short(n.Masked(value))
}
