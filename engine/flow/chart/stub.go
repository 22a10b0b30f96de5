package chart

import (
	"slices"

	"sluice/engine/flow"
)

// byPerson reports whether a person does the step.
func byPerson(n *flow.Node) bool {
	switch n.Spec.(type) {
	case *flow.ApprovalSpec, *flow.AskSpec:
		return true
	}
	return false
}

// stubs marks the endings that only post a message to the requester, and removes their edges to the end. An ending is marked
// if every edge to it is a branch or an error route. If all branches of a node are such endings, the first one is not marked:
// it is the main path.
func (d *drawing) stubs() {
	ways := map[string][]string{} // the targets of a node's branches, without error routes
	for _, e := range d.chart.Edges {
		if to := ways[e.From]; !e.Error && !slices.Contains(to, e.To) {
			ways[e.From] = append(to, e.To)
		}
	}
	stub := map[string]bool{}
	for i := range d.f.Nodes {
		if n := &d.f.Nodes[i]; d.frame[i] < 0 && d.onlyTells(n) {
			stub[n.ID] = true
		}
	}
	for _, e := range d.chart.Edges {
		if !e.Error && (len(ways[e.From]) < 2 || e.From == flow.StartNode) {
			delete(stub, e.To)
		}
	}
	var main []string
	for _, to := range ways {
		if !slices.ContainsFunc(to, func(id string) bool { return !stub[id] }) {
			main = append(main, to[0])
		}
	}
	for _, id := range main {
		delete(stub, id)
	}
	for i := range d.chart.Nodes {
		d.chart.Nodes[i].Stub = stub[d.chart.Nodes[i].ID]
	}
	d.chart.Edges = slices.DeleteFunc(d.chart.Edges, func(e Edge) bool { return stub[e.From] && e.To == flow.EndNode })
}

// onlyTells reports whether a node ends its path with a message to the requester or with an outcome alone.
func (d *drawing) onlyTells(n *flow.Node) bool {
	switch n.Spec.(type) {
	case *flow.SaySpec, *flow.TerminalSpec:
	default:
		return false
	}
	return !slices.ContainsFunc(n.Edges(), func(e flow.Edge) bool { return e.To != flow.End }) && len(n.Subagents) == 0 &&
		slices.ContainsFunc(d.chart.Edges, func(e Edge) bool { return e.To == n.ID })
}
