package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/flow"
)

// choice is what a node's routes come to: the ones that are taken, in order, the values behind them, and the questions that must be
// answered first.
type choice struct {
	ways []way
	seen seen
	asks []Question
}

// way is a route that is taken, and why.
type way struct {
	*route
	why string
}

func (c *choice) take(r *route, why string) { c.ways = append(c.ways, way{r, why}) }

// leave chooses the routes of a finished node and moves the token.
func (m *machine) leave(id int) {
	t := m.tok(id)
	n := m.node(t)
	if n == nil {
		m.todo = append(m.todo, id)
		return
	}
	if fr := m.s.fork(id); fr != nil && fr.Spread {
		m.forkAgain(t, *fr)
		return
	}
	if r := m.executor(n, t); r != nil {
		m.follow(id, r.edge, r.To, "the agent asked for tools", nil)
		return
	}
	if open := n.open(t); len(open) > 0 && m.c.Trial == nil {
		m.ask(n, t, open)
		return
	}
	c, nerr := m.choose(n, t)
	switch {
	case nerr != nil:
		m.fail(id, *nerr)
	case len(c.asks) > 0:
		m.ask(n, t, c.asks)
	case len(c.ways) == 0:
		m.nowhere(n, t, c.seen)
	case len(c.ways) == 1:
		m.follow(id, c.ways[0].edge, c.ways[0].To, c.ways[0].why, c.seen)
	default:
		m.several(n, t, c)
	}
}

// nowhere does what the node says about no route being taken.
func (m *machine) nowhere(n *node, t Token, s seen) {
	caller := ""
	if n.NoMatch == flow.NoMatchCaller {
		caller = cameFrom(t)
	}
	if n.Kind == flow.KindToolexec {
		caller = m.callerOf(t)
	}
	switch {
	case t.talk(n.ID).open():
		m.fail(t.ID, NodeError{
			Node: t.Node, Type: ErrorExpression, Permanent: true,
			Message: "the agent asked for tools, and no route leads to a node that performs them",
		})
	case caller != "":
		m.follow(t.ID, flow.CallerEdge(n.ID), caller, "back to the caller", s)
		return
	case len(n.routes) > 0:
		m.emit(t, &RouteTaken{To: flow.End, Why: "no route matched", Seen: s})
	}
	m.endPath(t.ID, EndNoRoute)
}

// cameFrom is the node at the start of the edge by which a token came: the id of an edge begins with it.
func cameFrom(t Token) string {
	from, _, ok := strings.Cut(t.Edge, "/")
	if !ok {
		return ""
	}
	return from
}

// choose finds the routes that are taken: the first that matches, or what the node's policy says. For a decision the bare
// literals are compared first, default is taken last wherever it stands, and other conditions are evaluated only if no literal
// matched. Under a policy that takes several routes a default counts if nothing else does.
func (m *machine) choose(n *node, t Token) (choice, *NodeError) {
	if m.c.Trial != nil {
		return m.tryChoose(n, t)
	}
	c := choice{seen: seen{}}
	sc := &scope{m: m, t: t, own: n.ID}
	routes := n.ordered()
	if n.Kind == flow.KindDecision {
		routes = m.literals(n, sc, &c, routes)
	}
	first := n.Policy == flow.PolicyFirst
	var defaults []*route
	for _, r := range routes {
		if len(c.ways)+len(c.asks) > 0 && first {
			break
		}
		if r.Default() && !first {
			defaults = append(defaults, r)
			continue
		}
		ok, nerr := m.matches(n, sc, r, &c)
		if nerr != nil {
			return c, nerr
		}
		if ok {
			c.take(r, r.words())
		}
	}
	if n.Policy == flow.PolicyPriority {
		c.highest()
	}
	if len(c.ways) == 0 {
		for _, r := range defaults {
			c.take(r, r.words())
		}
	}
	return c, nil
}

// ordered gives the routes in the order in which they are tried.
func (n *node) ordered() []*route {
	routes := make([]*route, len(n.routes))
	for i := range n.routes {
		routes[i] = &n.routes[i]
	}
	switch {
	case n.Policy == flow.PolicyPriority:
		slices.SortStableFunc(routes, func(a, b *route) int { return cmp.Compare(b.Priority, a.Priority) })
	case n.Kind == flow.KindDecision:
		slices.SortStableFunc(routes, func(a, b *route) int { return boolInt(a.Default()) - boolInt(b.Default()) })
	}
	return routes
}

// literals compares a decision's value with its bare literals. When one matches, other conditions are not looked at.
func (m *machine) literals(n *node, sc *scope, c *choice, routes []*route) []*route {
	value := m.decided(sc.t)
	n.saw(sc, c.seen, value)
	for _, r := range routes {
		if r.literal && expr.EqualLiteral(value, r.When) {
			c.take(r, expr.Text(n.veiled(r.When)))
			if n.Policy == flow.PolicyFirst {
				return nil
			}
		}
	}
	if len(c.ways) > 0 {
		return nil
	}
	return slices.DeleteFunc(routes, func(r *route) bool { return r.literal })
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

// words say why the route is taken.
func (r *route) words() string {
	switch {
	case r.Default():
		return "default"
	case r.If != flow.IfExpr:
		return r.ConditionWords()
	}
	return r.When
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// decided is the value of a decision that has been evaluated.
func (m *machine) decided(t Token) any {
	out, ok := m.load(t.Done)
	if !ok {
		m.foresee(t, m.node(t).ahead)
	}
	if len(out.Data) == 0 {
		return nil
	}
	return decode(out.Data)
}

// matches evaluates a route's condition and notes the values it saw.
func (m *machine) matches(n *node, sc *scope, r *route, c *choice) (bool, *NodeError) {
	if r.Default() {
		return true, nil
	}
	if r.If != flow.IfExpr {
		return m.holds(n, sc.t, r, c), nil
	}
	if r.err != nil && n.Policy == flow.PolicyPriority { // there, an expression that cannot be evaluated does not hold
		c.seen[r.source] = r.err.Error()
		return false, nil
	}
	if r.err != nil {
		return false, expressionError(sc.t, fmt.Errorf("route %q: %w", r.source, r.err))
	}
	v, nerr := m.evaluate(sc.t, n.ahead, func() (any, error) { return r.expr.Test(sc, m.options(sc.t)) })
	if nerr != nil {
		return false, nerr
	}
	c.seen.add(sc, r.expr)
	ok, _ := v.(bool)
	return ok, nil
}

// holds tells whether a condition of another format holds.
func (m *machine) holds(n *node, t Token, r *route, c *choice) bool {
	if r.If != flow.IfAlways {
		m.read(Read{What: ReadOutput, Name: n.ID, Seq: t.Done})
	}
	switch r.If {
	case flow.IfAlways:
		return true
	case flow.IfOutcome:
		got := n.outcome(t)
		m.doubt = m.doubt || m.c.Trial != nil && len(n.Criteria) > 0
		c.seen["outcome"] = got
		return got == r.When
	case flow.IfNext:
		c.seen["state.next"] = t.Next
		return t.Next == r.When || strings.EqualFold(t.Next, r.When) && !n.names(t.Next)
	case flow.IfTool:
		c.seen["state.tool"] = t.Tool
		return t.Tool == r.When
	case flow.IfHandle:
		got := m.handle(n, t)
		c.seen["handle"] = n.veiled(got)
		return got == r.When
	case flow.IfEquals:
		value := m.stepValue(n, t)
		c.seen["value"] = small(value)
		return expr.EqualLiteral(value, r.When)
	case flow.IfLLM:
		met, known := t.Verdicts[r.edge]
		if m.c.Trial != nil {
			m.doubt = true
		} else if !known {
			c.asks = n.asks(t)
		}
		c.seen[r.When] = met
		return met
	}
	return false
}

// names reports whether a route names a next node exactly so: then other spellings of it do not count.
func (n *node) names(next string) bool {
	return slices.ContainsFunc(n.routes, func(r route) bool { return r.If == flow.IfNext && r.When == next })
}

// outcome says whether the step met what was asked of it. That it came to an end at all is a different matter.
func (n *node) outcome(t Token) string {
	if t.Failed || n.failed(t) {
		return flow.OutcomeFailure
	}
	return flow.OutcomeSuccess
}

// handle is the way out that the finished step chose: what its output says, else a person's choice, else a decision's value.
func (m *machine) handle(n *node, t Token) string {
	if t.Handle != "" {
		return t.Handle
	}
	switch n.Kind {
	case flow.KindApproval, flow.KindAsk:
		m.read(Read{What: ReadAnswer, Name: n.ID})
		a, _ := m.s.approval(&t, n.ID)
		return a.Choice
	case flow.KindDecision:
		return expr.Text(m.decided(t))
	}
	return ""
}

// stepValue is what the finished step gave, as one value: its data, else its text.
func (m *machine) stepValue(n *node, t Token) any {
	if t.Done == 0 {
		return nil
	}
	out, ok := m.load(t.Done)
	if !ok {
		m.foresee(t, n.ahead)
	}
	if len(out.Data) > 0 {
		return decode(out.Data)
	}
	return out.Text
}
