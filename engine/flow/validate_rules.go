package flow

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/engine/naming"
)

// rules checks the rules of other formats that hold for the whole flow.
func (v *validator) rules() {
	r := v.f.Rules
	v.nonNegative(at{path: "rules.visits"}, "rules.visits", float64(r.Visits))
	v.nonNegative(at{path: "rules.tool_turns"}, "rules.tool_turns", float64(r.ToolTurns))
	v.nonNegative(at{path: "rules.node_timeout"}, "rules.node_timeout", float64(r.NodeTimeout.Clock)+float64(r.NodeTimeout.WorkingDays))
}

// foreign checks the parts of a node that only other formats have.
func (v *validator) foreign(a at, n *Node) {
	if !slices.Contains([]Policy{PolicyFirst, PolicyAll, PolicyPriority}, n.Policy) {
		v.error(a.in("policy"), "wrong-value", fmt.Sprintf("unknown policy '%s'%s", n.Policy, a.on), "one of first, all, priority")
	}
	if !slices.Contains([]NoMatch{NoMatchEnd, NoMatchCaller, NoMatchBlock}, n.NoMatch) {
		v.error(a.in("no_match"), "wrong-value", fmt.Sprintf("unknown no_match '%s'%s", n.NoMatch, a.on), "one of end, caller, block")
	}
	for i, r := range n.Routes {
		v.condition(a.item("routes", i), r)
	}
	for i, c := range n.Criteria {
		place := a.item("criteria", i)
		twice := slices.ContainsFunc(n.Criteria[:i], func(o Clause) bool { return o.ID == c.ID })
		switch {
		case !v.required(place.in("id"), "id", c.ID):
		case twice:
			v.error(place.in("id"), "duplicate-id", fmt.Sprintf("criterion '%s' is there twice%s", c.ID, a.on), "")
		}
		v.required(place.in("text"), "text", c.Text)
	}
	v.subagentNodes(a, n)
	v.arrivals(a, n)
}

// condition checks a route's kind of condition and its operand.
func (v *validator) condition(a at, r Route) {
	switch {
	case r.If == IfExpr:
	case !slices.Contains(Conditions(), r.If):
		v.error(a.in("if"), "wrong-value", fmt.Sprintf("unknown kind of condition '%s'%s", r.If, a.on), "one of "+conditionNames())
	case r.If == IfAlways && r.When != "":
		v.error(a.in("when"), "out-of-place", "a route that is always taken has no 'when'"+a.on, "")
	case r.If == IfOutcome && r.When != OutcomeSuccess && r.When != OutcomeFailure:
		v.error(a.in("when"), "wrong-value", fmt.Sprintf("unknown outcome '%s'%s", r.When, a.on), "success or failure")
	case r.If != IfAlways && r.If != IfEquals:
		v.required(a.in("when"), "when", r.When)
	}
}

func conditionNames() string {
	names := make([]string, 0, len(Conditions()))
	for _, c := range Conditions() {
		names = append(names, string(c))
	}
	return strings.Join(names, ", ")
}

// subagentNodes checks the nodes that a node's agent may call as tools.
func (v *validator) subagentNodes(a at, n *Node) {
	for i, id := range n.Subagents {
		place := a.item("subagent_nodes", i)
		k, known := v.graph.Index[id]
		switch {
		case !known:
			v.error(place, "unknown-target", fmt.Sprintf("unknown subagent '%s'%s", id, a.on), naming.Suggest(id, v.ids))
		case id == n.ID:
			v.error(place, "own-subagent", "an agent cannot be its own subagent"+a.on, "")
		case !isAgent(n) || !isAgent(&v.f.Nodes[k]):
			v.error(place, "no-agent", fmt.Sprintf("only an agent can have another as subagent, such as '%s'%s", id, a.on), "")
		default:
			if way := v.subagentWay(id, n.ID, nil); way != nil {
				v.error(place, "subagent-cycle", "subagents call each other in a circle: "+strings.Join(append([]string{n.ID}, way...), " -> "), "")
			}
		}
	}
}

func isAgent(n *Node) bool { _, ok := n.Spec.(*AgentSpec); return ok }

// subagentWay gives the nodes on a path of calls from one subagent to another node, or nil.
func (v *validator) subagentWay(from, to string, passed []string) []string {
	passed = append(slices.Clip(passed), from)
	if from == to {
		return passed
	}
	k, known := v.graph.Index[from]
	if !known {
		return nil
	}
	for _, next := range v.f.Nodes[k].Subagents {
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
func (v *validator) arrivals(a at, n *Node) {
	if len(n.Arrivals) == 0 {
		return
	}
	edges := map[string]bool{}
	for i := range v.f.Nodes {
		for _, e := range v.f.Nodes[i].Edges() {
			if e.To == n.ID {
				edges[e.ID] = true
			}
		}
	}
	_, tool := n.Spec.(*ToolSpec)
	for _, edge := range slices.Sorted(maps.Keys(n.Arrivals)) {
		place := a.in("arrivals").in(edge)
		if !edges[edge] {
			v.error(place, "unknown-edge", fmt.Sprintf("no edge '%s' leads to this node%s", edge, a.on), "")
		}
		v.templates(place, n.Arrivals[edge], tool)
	}
}
