package agentgraph

import (
	"fmt"
	"slices"
	"strings"
)

// preflight reports what the format refuses before a run.
func (r reader) preflight(g graph) {
	var starts []node
	for _, n := range g.nodes {
		switch n.kind {
		case typeStart:
			starts = append(starts, n)
		case typeAgent, typeIf, typeApproval:
		default:
			r.Warn(n.at.At, "", "unknown-type", fmt.Sprintf("'%s' has the unknown type '%s': it is passed", n.id, n.kind), "")
		}
	}
	for _, c := range g.connections {
		if c.handle == handleSubagent {
			r.subagent(g, c)
		}
	}
	r.subagentCircle(g)
	switch {
	case len(starts) == 0:
		r.Error(r.Root.At, "", "no-start", "the graph has no start", "")
		return
	case len(starts) > 1:
		r.Error(starts[1].at.At, "", "two-starts", fmt.Sprintf("the graph has two starts, '%s' and '%s'", starts[0].id, starts[1].id), "")
		return
	case len(g.execution(starts[0].id)) == 0:
		r.Error(starts[0].at.At, "", "start-unconnected", "nothing is connected with the start", "")
	}
	for _, id := range g.reached(starts[0].id) {
		r.leaves(g, g.nodes[g.index[id]])
	}
}

// reached lists the nodes that a run can come to.
func (g graph) reached(from string) []string {
	seen := []string{from}
	known := map[string]bool{from: true}
	for i := 0; i < len(seen); i++ {
		for _, c := range g.execution(seen[i]) {
			if !known[c.target] {
				known[c.target] = true
				seen = append(seen, c.target)
			}
		}
	}
	return seen
}

// leaves reports an if or an approval that no run can leave.
func (r reader) leaves(g graph, n node) {
	handled := func(want func(handle string) bool) bool {
		return slices.ContainsFunc(g.execution(n.id), func(c connection) bool { return want(c.handle) })
	}
	switch n.kind {
	case typeIf:
		if !handled(func(h string) bool { return h == handleFalse || strings.HasPrefix(h, "condition-") }) {
			r.Error(n.at.At, "", "if-unconnected", fmt.Sprintf("nothing is connected with the conditions of '%s'", n.id), "")
		}
	case typeApproval:
		if !handled(func(h string) bool { return h == handleApprove || h == handleReject }) {
			r.Error(n.at.At, "", "approval-unconnected", fmt.Sprintf("nothing is connected with the answers of '%s'", n.id), "")
		}
	}
}

// subagent reports a connection that does not make one agent the tool of another.
func (r reader) subagent(g graph, c connection) {
	bad := func(code, message string) { r.Error(c.at.At, "", code, message, "") }
	from, to := g.nodes[g.index[c.source]], g.nodes[g.index[c.target]]
	others := func(want func(o connection) bool) bool { return len(g.where(want)) > 0 }
	switch {
	case from.kind != typeAgent:
		bad("subagent-source", fmt.Sprintf("'%s' is no agent: it cannot have a subagent", c.source))
	case to.kind != typeAgent:
		bad("subagent-target", fmt.Sprintf("'%s' is no agent: it cannot be a subagent", c.target))
	case c.source == c.target:
		bad("own-subagent", fmt.Sprintf("'%s' cannot be its own subagent", c.source))
	case !flag(from.data.Get("tools"), "subagents"):
		bad("subagents-off", fmt.Sprintf("the tools of '%s' do not have subagents", c.source))
	case c.targetHandle != "" && c.targetHandle != handleInput:
		bad("subagent-handle", fmt.Sprintf("the subagent '%s' is connected at '%s' instead of input", c.target, c.targetHandle))
	case others(func(o connection) bool {
		return o.handle == handleSubagent && o.target == c.target && o.source != c.source
	}):
		bad("two-parents", fmt.Sprintf("'%s' is the subagent of several agents", c.target))
	case others(func(o connection) bool {
		return o.handle != handleSubagent && (o.source == c.target || o.target == c.target)
	}):
		bad("subagent-in-flow", fmt.Sprintf("'%s' is a subagent and a step of the graph", c.target))
	}
}

// subagentCircle reports agents that call each other in a circle, with the way around it.
func (r reader) subagentCircle(g graph) {
	done := map[string]bool{}
	var walk func(id string, way []string) bool
	walk = func(id string, way []string) bool {
		if from := slices.Index(way, id); from >= 0 {
			r.Error(g.nodes[g.index[id]].at.At, "", "subagent-cycle", "agents call each other in a circle: "+strings.Join(append(way[from:], id), " -> "), "")
			return true
		}
		if done[id] {
			return false
		}
		for _, next := range g.subagents(id) {
			if next != id && walk(next, append(slices.Clone(way), id)) {
				return true
			}
		}
		done[id] = true
		return false
	}
	for _, n := range g.nodes {
		if walk(n.id, nil) {
			return
		}
	}
}
