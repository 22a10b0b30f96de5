package chart

import (
	"slices"
	"strconv"

	"sluice/engine/flow"
)

const joinSuffix = "·join"

// JoinNode is the id of the chart node where the branches of a parallel node come together.
func JoinNode(node string) string { return node + joinSuffix }

// Of makes the chart of a flow. Every run-time node becomes a chart node of the same id, numbered from 1 in declared order.
// The chart also has:
//   - [StartNode], whose edges lead to the entry and to other nodes where runs begin;
//   - one [EndNode] for all paths outside of branches and bodies that end without a terminal node;
//   - a node [JoinNode] after the branches of a parallel node. A path that ends inside a branch leads there, under the edge
//     id that the facts name, and the parallel node's own routes start there;
//   - a stub for an ending beside the main path that only posts a message to the requester; it has no edge to [EndNode];
//   - an edge back to a foreach, a loop or a sequence from every path that ends inside its body or branches.
func Of(f *flow.Flow) Chart {
	f = f.WithDefaults()
	d := &drawing{f: f, graph: flow.NewGraph(f), chart: Chart{Title: f.Name, Description: f.Description, Map: map[string][]string{}}}
	d.called = f.SubagentNodes()
	d.findFrames()
	d.start()
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if n.Pulled() {
			continue
		}
		d.chart.Nodes = append(d.chart.Nodes, Node{
			ID: n.ID, Name: n.DisplayName(), Description: n.Describe(), Type: f.ChartType(n), Number: strconv.Itoa(i + 1),
			Person: byPerson(n), Tools: d.f.ToolsOf(n), Criteria: criteria(n),
		})
		d.chart.Map[n.ID] = []string{n.ID}
		if d.joins[i] {
			join := JoinNode(n.ID)
			d.chart.Nodes = append(d.chart.Nodes, Node{ID: join, Name: joinName(n), Type: flow.TypeProcess})
			d.chart.Map[n.ID] = append(d.chart.Map[n.ID], join)
		}
	}
	for i := range f.Nodes {
		if !f.Nodes[i].Pulled() {
			d.edges(i)
		}
	}
	d.limit()
	d.stubs()
	if slices.ContainsFunc(d.chart.Edges, func(e Edge) bool { return e.To == flow.EndNode }) {
		d.chart.Nodes = append(d.chart.Nodes, Node{ID: flow.EndNode, Name: "End", Type: flow.TypeTerminal})
	}
	return d.chart
}

// drawing builds a chart.
type drawing struct {
	f     *flow.Flow
	graph *flow.Graph
	chart Chart
	frame []int  // of each node: the fork, sequence, foreach or loop whose branch or body it belongs to, or -1
	joins []bool // parallel nodes that get a join node

	called map[string]bool // nodes that are called as subagents: their answers return to the caller
}

// findFrames finds the nodes inside a branch or body: those that cannot be reached without its edges. Of
// several frames the innermost counts, which has the fewest nodes.
func (d *drawing) findFrames() {
	n := len(d.f.Nodes)
	d.frame, d.joins = make([]int, n), make([]bool, n)
	size := make([]int, n)
	for i := range d.frame {
		d.frame[i] = -1
	}
	entries := d.graph.Entries()
	all := d.graph.Reachable(entries...)
	for i := range d.f.Nodes {
		inner := frameEdges(&d.f.Nodes[i])
		if inner == 0 || !all[i] {
			continue
		}
		inside := d.insideOf(i, inner, entries, all)
		for _, k := range inside {
			if k != i && (d.frame[k] < 0 || len(inside) < size[k]) {
				d.frame[k], size[k] = i, len(inside)
			}
		}
	}
	for i := range d.f.Nodes {
		d.joins[i] = d.hasJoin(i)
	}
}

// frameEdges counts the edges into branches or body; they come first among a node's edges.
func frameEdges(n *flow.Node) int {
	inner := 0
	for _, e := range n.Edges() {
		if e.Kind == flow.EdgeBranch || e.Kind == flow.EdgeBody {
			inner++
		}
	}
	return inner
}

// insideOf lists the nodes that are reached only through the first edges of a node.
func (d *drawing) insideOf(i, inner int, entries []int, all []bool) []int {
	cut := *d.graph
	cut.Out = slices.Clone(d.graph.Out)
	cut.Out[i] = nil
	for _, e := range d.f.Nodes[i].Edges()[inner:] {
		if to, ok := d.graph.Index[e.To]; ok {
			cut.Out[i] = append(cut.Out[i], to)
		}
	}
	outside := cut.Reachable(entries...)
	var inside []int
	for k := range all {
		if all[k] && !outside[k] {
			inside = append(inside, k)
		}
	}
	return inside
}

// hasJoin reports whether something inside a parallel node's branches ends there.
func (d *drawing) hasJoin(i int) bool {
	s, ok := d.f.Nodes[i].Spec.(*flow.ParallelSpec)
	if !ok {
		return false
	}
	if slices.ContainsFunc(s.Branches, func(r flow.Route) bool { return r.To == flow.End }) {
		return true
	}
	for k := range d.f.Nodes {
		if d.frame[k] == i && d.ends(k) {
			return true
		}
	}
	return false
}

// ends reports whether a path may end at the node.
func (d *drawing) ends(k int) bool {
	n := &d.f.Nodes[k]
	if len(n.Routes) == 0 || n.Spec != nil && n.Spec.Kind() == flow.KindTerminal {
		return true
	}
	return slices.ContainsFunc(n.Edges(), func(e flow.Edge) bool { return e.To == flow.End })
}

// endOf is the chart node that an ending path of the node leads to.
func (d *drawing) endOf(i int) string {
	frame := d.frame[i]
	switch {
	case frame < 0:
		return flow.EndNode
	case d.joins[frame]:
		return JoinNode(d.f.Nodes[frame].ID)
	default:
		return d.f.Nodes[frame].ID
	}
}

func (d *drawing) add(e Edge) { d.chart.Edges = append(d.chart.Edges, e) }

func (d *drawing) start() {
	d.chart.Nodes = append(d.chart.Nodes, Node{ID: flow.StartNode, Name: "Start", Description: startWords(d.f), Type: flow.TypeStart})
	for _, i := range d.graph.Entries() {
		id := d.f.Nodes[i].ID
		d.add(Edge{ID: d.f.StartEdge(id), From: flow.StartNode, To: id})
	}
}

// edges draws the edges from one node.
func (d *drawing) edges(i int) {
	n := &d.f.Nodes[i]
	labels := routeLabels(n)
	for _, e := range n.Edges() {
		edge := Edge{ID: e.ID, From: n.ID, To: e.To}
		if e.Kind == flow.EdgeRoute || e.Kind == flow.EdgeError {
			edge.From = d.leaves(i)
		}
		switch {
		case e.To != flow.End:
			if _, ok := d.graph.Index[e.To]; !ok {
				continue // an unknown target is reported, not drawn
			}
		case e.Kind == flow.EdgeBranch && n.Kind == flow.KindSequence:
			edge.To = n.ID
		case e.Kind == flow.EdgeBranch:
			edge.To = JoinNode(n.ID)
		default:
			edge.To = d.endOf(i)
		}
		d.label(n, e, labels, &edge)
		d.add(edge)
	}
	for k, id := range n.Subagents {
		if _, ok := d.graph.Index[id]; ok {
			d.add(Edge{ID: flow.SubagentEdge(n.ID, k), From: n.ID, To: id, Label: "asks", Description: "may ask this agent while it works"})
		}
	}
	terminal := n.Spec != nil && n.Spec.Kind() == flow.KindTerminal
	if len(n.Routes) == 0 && (!terminal || d.frame[i] >= 0) && !d.called[n.ID] {
		d.add(Edge{ID: flow.EndEdge(n.ID), From: d.leaves(i), To: d.endOf(i)})
	}
}

// leaves gives the chart node where a node's own routes begin.
func (d *drawing) leaves(i int) string {
	if d.joins[i] {
		return JoinNode(d.f.Nodes[i].ID)
	}
	return d.f.Nodes[i].ID
}

func (d *drawing) label(n *flow.Node, e flow.Edge, labels []string, edge *Edge) {
	switch e.Kind {
	case flow.EdgeRoute:
		r := n.Routes[e.Index]
		edge.Label = labels[e.Index]
		if words := r.ConditionWords(); words != "" {
			edge.Description = "when " + words
		} else if s, decision := n.Spec.(*flow.DecisionSpec); decision && !r.Default() && flow.BareLiteral(r.When) {
			edge.Description = "when " + s.Expr + " is " + r.When
		} else if !r.Default() {
			edge.Description = "when " + r.When
		} else if len(n.Routes) > 1 {
			edge.Description = "otherwise"
		}
	case flow.EdgeError:
		r := n.OnError[e.Index]
		edge.Error = true
		edge.Label, edge.Description = errorLabel(r, e.Index)
	case flow.EdgeBranch:
		edge.Label = branchLabel(n, e.Index)
	case flow.EdgeBody:
		edge.Label = bodyLabel(n)
	}
}

// limit shows the handoff node of a limit: by an edge if no other edge leads there, else in the description of the node.
func (d *drawing) limit() {
	to := d.f.OnLimit.To
	i, ok := d.graph.Index[to]
	if !ok || d.f.OnLimit.Action != flow.LimitHandoff {
		return
	}
	const words = "when a limit is reached"
	if !slices.ContainsFunc(d.chart.Edges, func(e Edge) bool { return e.To == to }) {
		d.add(Edge{ID: flow.HandoffEdge, From: flow.StartNode, To: to, Label: "at a limit", Description: words, Error: true})
		return
	}
	at := slices.IndexFunc(d.chart.Nodes, func(n Node) bool { return n.ID == d.f.Nodes[i].ID })
	node := &d.chart.Nodes[at]
	if node.Description != "" {
		node.Description += "; "
	}
	node.Description += "also " + words
}

func joinName(n *flow.Node) string {
	s := n.Spec.(*flow.ParallelSpec)
	switch s.Join.Type {
	case "any":
		return "First one goes on"
	case "count":
		return "Wait for " + strconv.Itoa(s.Join.Count) + " of " + strconv.Itoa(len(s.Branches))
	default:
		return "Wait for all"
	}
}
