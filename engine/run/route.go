package run

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
	"sluice/engine/run/scope"
)

// choice is what a node's routes come to: the ones that are taken, in order, the values behind them, and the questions that must be
// answered first.
type choice struct {
	ways []way
	seen scope.Seen
	asks []history.Question
}

// way is a route that is taken, and why.
type way struct {
	*compile.Route
	why string
}

func (c *choice) take(r *compile.Route, why string) { c.ways = append(c.ways, way{r, why}) }

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
	c, nerr := chooseRoutes(m, n, t)
	switch {
	case nerr != nil:
		m.fail(id, *nerr)
	case len(c.asks) > 0:
		askModel(m, n, t, c.asks)
	case len(c.ways) == 0:
		noRoute(m, n, t, c.seen)
	case len(c.ways) == 1:
		m.follow(id, c.ways[0].Edge, c.ways[0].To, c.ways[0].why, c.seen)
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

// chooseRoutes finds the routes that are taken: the first that matches, or what the node's policy says. For a decision the bare
// literals are compared first, default is taken last wherever it stands, and other conditions are evaluated only if no literal
// matched. Under a policy that takes several routes a default counts if nothing else does.
func chooseRoutes(m *machine, n *compile.Node, t history.Token) (choice, *history.NodeError) {
	if m.Trial != nil {
		return tryChoose(m, n, t)
	}
	c := choice{seen: scope.Seen{}}
	sc := m.Scope(t).Of(n.ID)
	routes := n.Ordered()
	if n.Kind == flow.KindDecision {
		routes = matchLiterals(m, n, sc, &c, routes)
	}
	first := n.Policy == flow.PolicyFirst
	var defaults []*compile.Route
	for _, r := range routes {
		if len(c.ways)+len(c.asks) > 0 && first {
			break
		}
		if r.Default() && !first {
			defaults = append(defaults, r)
			continue
		}
		ok, nerr := routeMatches(m, n, sc, r, &c)
		if nerr != nil {
			return c, nerr
		}
		if ok {
			c.take(r, r.Words())
		}
	}
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

// matchLiterals compares a decision's value with its bare literals. When one matches, other conditions are not looked at.
func matchLiterals(m *machine, n *compile.Node, sc *scope.Scope, c *choice, routes []*compile.Route) []*compile.Route {
	value := m.DecisionValue(sc.Token())
	noteDecision(n, sc, c.seen, value)
	for _, r := range routes {
		if r.Literal && expr.EqualLiteral(value, r.When) {
			c.take(r, expr.Text(n.Veiled(r.When)))
			if n.Policy == flow.PolicyFirst {
				return nil
			}
		}
	}
	if len(c.ways) > 0 {
		return nil
	}
	return slices.DeleteFunc(routes, func(r *compile.Route) bool { return r.Literal })
}

// highest leaves out expressions that hold beside others of a higher priority. Routes come with the highest first.
func (c *choice) highest() {
	i := slices.IndexFunc(c.ways, func(w way) bool { return w.If == flow.IfExpr })
	if i < 0 {
		return
	}
	top := c.ways[i].Priority
	c.ways = slices.DeleteFunc(c.ways, func(w way) bool { return w.If == flow.IfExpr && w.Priority < top })
}

// routeMatches evaluates a route's condition and notes the values it saw.
func routeMatches(m *machine, n *compile.Node, sc *scope.Scope, r *compile.Route, c *choice) (bool, *history.NodeError) {
	if r.Default() {
		return true, nil
	}
	if r.If != flow.IfExpr {
		return conditionHolds(m, n, sc.Token(), r, c), nil
	}
	if r.Err != nil && n.Policy == flow.PolicyPriority { // there, an expression that cannot be evaluated does not hold
		c.seen[r.Source] = r.Err.Error()
		return false, nil
	}
	if r.Err != nil {
		return false, scope.ExpressionError(sc.Token(), fmt.Errorf("route %q: %w", r.Source, r.Err))
	}
	v, nerr := m.Evaluate(sc.Token(), n.Ahead, func() (any, error) { return r.Expr.Test(sc, m.Options(sc.Token())) })
	if nerr != nil {
		return false, nerr
	}
	c.seen.Add(sc, r.Expr)
	ok, _ := v.(bool)
	return ok, nil
}

// conditionHolds tells whether a condition of another format holds.
func conditionHolds(m *machine, n *compile.Node, t history.Token, r *compile.Route, c *choice) bool {
	if r.If != flow.IfAlways {
		m.Note(scope.Read{What: scope.ReadOutput, Name: n.ID, Seq: t.Done})
	}
	switch r.If {
	case flow.IfAlways:
		return true
	case flow.IfOutcome:
		got := outcomeOf(n, t)
		m.Unknown = m.Unknown || m.Trial != nil && len(n.Criteria) > 0
		c.seen["outcome"] = got
		return got == r.When
	case flow.IfNext:
		c.seen["state.next"] = t.Next
		return t.Next == r.When || strings.EqualFold(t.Next, r.When) && !n.Names(t.Next)
	case flow.IfTool:
		c.seen["state.tool"] = t.Tool
		return t.Tool == r.When
	case flow.IfHandle:
		got := handleOf(m, n, t)
		c.seen["handle"] = n.Veiled(got)
		return got == r.When
	case flow.IfEquals:
		value := m.StepValue(n, t)
		c.seen["value"] = scope.Short(value)
		return expr.EqualLiteral(value, r.When)
	case flow.IfLLM:
		met, known := t.Verdicts[r.Edge]
		if m.Trial != nil {
			m.Unknown = true
		} else if !known {
			c.asks = n.OpenRoutes(t)
		}
		c.seen[r.When] = met
		return met
	}
	return false
}

// outcome says whether the step met what was asked of it. That it came to an end at all is a different matter.
func outcomeOf(n *compile.Node, t history.Token) string {
	if t.Failed || criterionFailed(n, t) {
		return flow.OutcomeFailure
	}
	return flow.OutcomeSuccess
}

// handleOf is the way out that the finished step chose: what its output says, else a person's choice, else a decision's value.
func handleOf(m *machine, n *compile.Node, t history.Token) string {
	if t.Handle != "" {
		return t.Handle
	}
	if n.Question() != nil {
		m.Note(scope.Read{What: scope.ReadAnswer, Name: n.ID})
		a, _ := scope.ApprovalSeen(m.State, &t, n.ID)
		return a.Choice
	}
	if n.Kind == flow.KindDecision {
		return expr.Text(m.DecisionValue(t))
	}
	return ""
}
