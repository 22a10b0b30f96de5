package validate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/naming"
)

// rules checks the rules of other formats that hold for the whole flow.
func (v *validator) rules() {
	r := v.Flow.Rules
	v.NonNegative(flow.At{Path: "rules.visits"}, "rules.visits", float64(r.Visits))
	v.NonNegative(flow.At{Path: "rules.tool_turns"}, "rules.tool_turns", float64(r.ToolTurns))
	v.NonNegative(flow.At{Path: "rules.node_timeout"}, "rules.node_timeout", float64(r.NodeTimeout.Clock)+float64(r.NodeTimeout.WorkingDays))
}

// foreign checks the parts of a node that only other formats have.
func (v *validator) foreign(a flow.At, n *flow.Node) {
	if !slices.Contains([]flow.Policy{flow.PolicyFirst, flow.PolicyAll, flow.PolicyPriority}, n.Policy) {
		v.Error(a.In("policy"), "wrong-value", fmt.Sprintf("unknown policy '%s'%s", n.Policy, a.On), "one of first, all, priority")
	}
	if !slices.Contains([]flow.NoMatch{flow.NoMatchEnd, flow.NoMatchCaller, flow.NoMatchBlock}, n.NoMatch) {
		v.Error(a.In("no_match"), "wrong-value", fmt.Sprintf("unknown no_match '%s'%s", n.NoMatch, a.On), "one of end, caller, block")
	}
	for i, r := range n.Routes {
		v.condition(a.Item("routes", i), r)
	}
	for i, c := range n.Criteria {
		place := a.Item("criteria", i)
		twice := slices.ContainsFunc(n.Criteria[:i], func(o flow.Clause) bool { return o.ID == c.ID })
		switch {
		case !v.Required(place.In("id"), "id", c.ID):
		case twice:
			v.Error(place.In("id"), "duplicate-id", fmt.Sprintf("criterion '%s' is there twice%s", c.ID, a.On), "")
		}
		v.Required(place.In("text"), "text", c.Text)
	}
	v.subagentNodes(a, n)
	v.arrivals(a, n)
}

// condition checks a route's kind of condition and its operand.
func (v *validator) condition(a flow.At, r flow.Route) {
	switch {
	case r.If == flow.IfExpr:
	case !slices.Contains(flow.Conditions(), r.If):
		v.Error(a.In("if"), "wrong-value", fmt.Sprintf("unknown kind of condition '%s'%s", r.If, a.On), "one of "+conditionNames())
	case r.If == flow.IfAlways && r.When != "":
		v.Error(a.In("when"), "out-of-place", "a route that is always taken has no 'when'"+a.On, "")
	case r.If == flow.IfOutcome && r.When != flow.OutcomeSuccess && r.When != flow.OutcomeFailure:
		v.Error(a.In("when"), "wrong-value", fmt.Sprintf("unknown outcome '%s'%s", r.When, a.On), "success or failure")
	case r.If != flow.IfAlways && r.If != flow.IfEquals:
		v.Required(a.In("when"), "when", r.When)
	}
}

func conditionNames() string {
	names := make([]string, 0, len(flow.Conditions()))
	for _, c := range flow.Conditions() {
		names = append(names, string(c))
	}
	return strings.Join(names, ", ")
}

// Subagents checks the nodes whose agents others may call as tools, and nothing else of a flow.
func Subagents(f *flow.Flow) flow.Problems {
	v := &validator{Checker: flow.NewChecker(f, nil, flow.Checks{})}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		v.subagentNodes(flow.At{Path: fmt.Sprintf("flow.nodes[%d]", i), Node: n.ID, On: fmt.Sprintf(" on flow node '%s'", n.ID)}, n)
	}
	return v.Problems
}

// subagentNodes checks the nodes that a node's agent may call as tools.
func (v *validator) subagentNodes(a flow.At, n *flow.Node) {
	for i, id := range n.Subagents {
		place := a.Item("subagent_nodes", i)
		k, known := v.Graph.Index[id]
		switch {
		case !known:
			v.Error(place, "unknown-target", fmt.Sprintf("unknown subagent '%s'%s", id, a.On), naming.Suggest(id, v.IDs))
		case id == n.ID:
			v.Error(place, "own-subagent", "an agent cannot be its own subagent"+a.On, "")
		case !isAgent(n) || !isAgent(&v.Flow.Nodes[k]):
			v.Error(place, "no-agent", fmt.Sprintf("only an agent can have another as subagent, such as '%s'%s", id, a.On), "")
		default:
			if way := v.subagentWay(id, n.ID, nil); way != nil {
				v.Error(place, "subagent-cycle", "subagents call each other in a circle: "+strings.Join(append([]string{n.ID}, way...), " -> "), "")
			}
		}
	}
}

func isAgent(n *flow.Node) bool { _, ok := n.Spec.(*flow.AgentSpec); return ok }

// subagentWay gives the nodes on a path of calls from one subagent to another node, or nil.
func (v *validator) subagentWay(from, to string, passed []string) []string {
	passed = append(slices.Clip(passed), from)
	if from == to {
		return passed
	}
	k, known := v.Graph.Index[from]
	if !known {
		return nil
	}
	for _, next := range v.Flow.Nodes[k].Subagents {
		if slices.Contains(passed, next) {
			continue
		}
		if way := v.subagentWay(next, to, passed); way != nil {
			return way
		}
	}
	return nil
}

// arrivals checks parameters that depend on the edge by which a token comes.
func (v *validator) arrivals(a flow.At, n *flow.Node) {
	if len(n.Arrivals) == 0 {
		return
	}
	edges := map[string]bool{}
	for i := range v.Flow.Nodes {
		for _, e := range v.Flow.Nodes[i].Edges() {
			if e.To == n.ID {
				edges[e.ID] = true
			}
		}
	}
	_, tool := n.Spec.(*flow.ToolSpec)
	for _, edge := range slices.Sorted(maps.Keys(n.Arrivals)) {
		place := a.In("arrivals").In(edge)
		if !edges[edge] {
			v.Error(place, "unknown-edge", fmt.Sprintf("no edge '%s' leads to this node%s", edge, a.On), "")
		}
		v.Templates(place, n.Arrivals[edge], tool)
	}
}
