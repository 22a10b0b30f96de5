package chart

import (
	"maps"
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

// stubs marks the endings that only post a message to the requester, and removes what leads on from them. An ending is marked
// if every edge to it is a branch or an error route. If all branches of a node are such endings, the first one is not marked:
// it is the main path. What only such endings of a frame lead to is left out.
func (d *drawing) stubs() {
	ways := map[string][]string{} // the targets of a node's branches, without error routes
	for _, e := range d.chart.Edges {
		if to := ways[e.From]; !e.Error && !slices.Contains(to, e.To) {
			ways[e.From] = append(to, e.To)
		}
	}
	stub := map[string]bool{}
	for i := range d.f.Nodes {
		if n := &d.f.Nodes[i]; d.onlyTells(i) {
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
	d.chart.Edges = slices.DeleteFunc(d.chart.Edges, func(e Edge) bool { return stub[e.From] })
	d.leaveOut()
}

// leaveOut leaves out the ends of ways inside frames to which no edge leads any more.
func (d *drawing) leaveOut() {
	reached := map[string]bool{}
	for _, e := range d.chart.Edges {
		reached[e.To] = true
	}
	gone := map[string]bool{}
	for i := range d.f.Nodes {
		if id := d.f.Nodes[i].ID; d.endsWay(i) && !reached[id] {
			gone[id] = true
			delete(d.chart.Map, id)
		}
	}
	d.chart.Nodes = slices.DeleteFunc(d.chart.Nodes, func(n Node) bool { return gone[n.ID] })
	d.chart.Edges = slices.DeleteFunc(d.chart.Edges, func(e Edge) bool { return gone[e.From] })
}

// endsWay reports whether a node only ends a way inside a frame.
func (d *drawing) endsWay(i int) bool {
	_, ends := d.f.Nodes[i].Spec.(*flow.TerminalSpec)
	return ends && d.frame[i] >= 0
}

// onlyTells reports whether a node ends its path with a message to the requester or with an outcome alone.
func (d *drawing) onlyTells(i int) bool {
	n := &d.f.Nodes[i]
	switch n.Spec.(type) {
	case *flow.SaySpec:
	case *flow.TerminalSpec:
		if d.frame[i] >= 0 {
			return false
		}
	default:
		return false
	}
	goesOn := func(e flow.Edge) bool {
		if to, ok := d.graph.Index[e.To]; ok {
			return !d.endsWay(to)
		}
		return d.frame[i] >= 0 // a join waits for it
	}
	return (d.frame[i] < 0 || len(n.Routes) > 0) && !slices.ContainsFunc(n.Edges(), goesOn) && len(n.Subagents) == 0 && slices.ContainsFunc(d.chart.Edges, func(e Edge) bool { return e.To == n.ID })
}

// OneStub is the chart in which the stubs of a node that look the same are one, under one edge with the labels of all. The chart is one that
// [Of] made.
func (p Chart) OneStub() Chart {
	type look struct{ from, name, description, number string }
	stubs, ways := map[string]Node{}, map[string]int{}
	for _, n := range p.Nodes {
		if n.Stub {
			stubs[n.ID] = n
		}
	}
	for _, e := range p.Edges {
		ways[e.To]++
	}
	var edges []Edge
	first, shown, gone := map[look]int{}, map[string][]string{}, map[string]string{}
	for _, e := range p.Edges {
		n, stub := stubs[e.To]
		alone := stub && !e.Error && ways[e.To] == 1
		of := look{e.From, n.Name, n.Description, n.Number}
		if at, found := first[of]; alone && found {
			one := &edges[at]
			one.Label, one.Description = alternatives(one.Label, e.Label), alternatives(one.Description, e.Description)
			shown[e.ID], gone[e.To] = []string{one.ID}, one.To
			continue
		}
		if alone {
			first[of] = len(edges)
		}
		shown[e.ID], edges = []string{e.ID}, append(edges, e)
	}
	if len(gone) == 0 {
		return p
	}
	p.Nodes = slices.DeleteFunc(slices.Clone(p.Nodes), func(n Node) bool { return gone[n.ID] != "" })
	p.Edges, p.Shown, p.Map = edges, shown, maps.Clone(p.Map)
	for id, shapes := range p.Map {
		if to := gone[shapes[0]]; to != "" {
			p.Map[id] = []string{to}
		}
	}
	return p
}

// alternatives joins the labels of ways of which one is taken.
func alternatives(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " / " + b
}
