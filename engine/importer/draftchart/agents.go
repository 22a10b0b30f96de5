package draftchart

import (
	"fmt"
	"slices"

	"sluice/engine/flow"
)

// attachAgents makes browser nodes agents of the nodes before them. Such a node has no edges of its own in a runtime graph: the nodes before
// it go on to where it led.
func attachAgents(d *Draft) (corrections []string) {
	for i := range d.Nodes {
		n := d.Nodes[i]
		t, _ := n.FlowchartType.Canonical()
		callers := d.callersOf(n.ID)
		if n.NodeType != typeBrowser && t != flow.TypeBrowser || n.ID == d.EntryNode || len(callers) == 0 {
			continue
		}
		if moved := attachAgent(d, n.ID, callers); moved {
			corrections = append(corrections, fmt.Sprintf("'%s' is an agent that %s calls: its edges were moved there", n.ID, quoted(callers)))
		}
	}
	return corrections
}

// callersOf lists the nodes before a node, those that name it as their agent among them.
func (d *Draft) callersOf(id string) []string {
	var callers []string
	add := func(caller string) {
		if caller != id && !slices.Contains(callers, caller) {
			callers = append(callers, caller)
		}
	}
	for _, n := range d.Nodes {
		if slices.Contains(n.SubAgents, id) {
			add(n.ID)
		}
	}
	for _, e := range d.Edges {
		if e.Target == id && !d.delegates(e) {
			add(e.Source)
		}
	}
	return callers
}

// attachAgent moves the edges of a node to its callers, and reports whether there were any.
func attachAgent(d *Draft, id string, callers []string) (moved bool) {
	var edges, in, out []Edge
	for _, e := range d.Edges {
		switch {
		case d.delegates(e):
			edges = append(edges, e)
		case e.Target == id:
			in = append(in, e)
		case e.Source == id:
			out, moved = append(out, e), true
		default:
			edges = append(edges, e)
		}
	}
	for _, caller := range callers {
		n := d.node(caller)
		if !slices.Contains(n.SubAgents, id) {
			n.SubAgents = append(n.SubAgents, id)
		}
		for _, e := range out {
			known := slices.ContainsFunc(edges, func(o Edge) bool { return o.Source == caller && o.Target == e.Target })
			if e.Target == caller || e.Target == id || known || len(edges) >= maxEdges {
				continue
			}
			e.ID, e.Source = "", caller
			if i := slices.IndexFunc(in, func(o Edge) bool { return o.Source == caller && o.Label != "" }); i >= 0 {
				e.Label, e.Condition, e.Description = in[i].Label, in[i].Condition, in[i].Description
			}
			edges = append(edges, e)
		}
	}
	d.Edges = edges
	return moved
}

// showAgents draws the edges between a node and the agents that it calls.
func showAgents(d *Draft) {
	has := map[[2]string]bool{}
	for _, e := range d.Edges {
		has[[2]string{e.Source, e.Target}] = true
	}
	for _, n := range d.Nodes {
		for _, id := range n.SubAgents {
			if !has[[2]string{n.ID, id}] {
				d.Edges = append(d.Edges, Edge{Source: n.ID, Target: id, Condition: always, Label: labelDelegate})
			}
			if !has[[2]string{id, n.ID}] {
				d.Edges = append(d.Edges, Edge{Source: id, Target: n.ID, Condition: always, Label: labelReport})
			}
		}
	}
}

// dropUnconnected leaves out the nodes that no edge connects with the first one, in whatever direction.
func dropUnconnected(d *Draft) (corrections []string) {
	beside := map[string][]string{}
	connect := func(a, b string) { beside[a], beside[b] = append(beside[a], b), append(beside[b], a) }
	for _, e := range d.Edges {
		connect(e.Source, e.Target)
	}
	for _, n := range d.Nodes {
		for _, id := range n.SubAgents {
			connect(n.ID, id)
		}
	}
	kept := map[string]bool{d.EntryNode: true}
	for stack := []string{d.EntryNode}; len(stack) > 0; {
		id := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, next := range beside[id] {
			if !kept[next] {
				kept[next] = true
				stack = append(stack, next)
			}
		}
	}
	d.Nodes = slices.DeleteFunc(d.Nodes, func(n Node) bool {
		if !kept[n.ID] {
			corrections = append(corrections, fmt.Sprintf("'%s' is not connected with '%s': it was left out", n.ID, d.EntryNode))
		}
		return !kept[n.ID]
	})
	d.Edges = slices.DeleteFunc(d.Edges, func(e Edge) bool { return !kept[e.Source] })
	d.TerminalNodes = slices.DeleteFunc(d.TerminalNodes, func(id string) bool { return !kept[id] })
	return corrections
}
