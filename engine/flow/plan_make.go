package flow

import (
	"slices"
	"strconv"
)

// Ids of plan nodes and edges that no run-time node has. A node's id cannot hold the dot they begin with.
const (
	PlanStart     = "·start"
	PlanEnd       = "·end"
	PlanStartEdge = "·start/0"
	PlanLimitEdge = "·limit"
	joinSuffix    = "·join"
)

// EndEdge is the id of the plan edge that is taken when a path ends at a node without a route, so that the fact names
// no edge.
func EndEdge(node string) string { return node + "/end" }

// StartEdge is the id of the plan edge that leads from the start to a node where runs begin.
func (f *Flow) StartEdge(node string) string {
	if node == f.Entry {
		return PlanStartEdge
	}
	return PlanStart + "/" + node
}

// JoinNode is the id of the plan node where the branches of a parallel node come together.
func JoinNode(node string) string { return node + joinSuffix }

// Plan draws the flow. Every run-time node becomes a plan node of the same id, numbered from 1 in declared order.
// Besides there are:
//   - [PlanStart], whose edges lead to the entry and to other places where runs begin, and, if a path of the main line ends without a terminal node, one
//     [PlanEnd]: a picture with one End reads better than one per ending;
//   - a node [JoinNode] behind the branches of a parallel node. What ends inside a branch leads there, under the edge
//     id that the facts name, and the parallel node's own routes start there;
//   - what ends inside the body of a foreach or a loop, or in a branch of a sequence, leads back to that node.
func (f *Flow) Plan() Plan {
	f = f.Clone()
	fillDefaults(f)
	d := &drawing{f: f, graph: newGraph(f), plan: Plan{Title: f.Name, Description: f.Description, Map: map[string][]string{}}}
	d.called = f.subagentNodes()
	d.findFrames()
	d.start()
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if n.pulled() {
			continue
		}
		d.plan.Nodes = append(d.plan.Nodes, PlanNode{
			ID: n.ID, Name: n.DisplayName(), Description: d.describe(n), Type: f.flowchartType(n), Number: i + 1,
			Tools: d.f.toolsOf(n), Criteria: n.criteria(),
		})
		d.plan.Map[n.ID] = []string{n.ID}
		if d.joins[i] {
			join := JoinNode(n.ID)
			d.plan.Nodes = append(d.plan.Nodes, PlanNode{ID: join, Name: joinName(n), Type: TypeProcess})
			d.plan.Map[n.ID] = append(d.plan.Map[n.ID], join)
		}
	}
	for i := range f.Nodes {
		if !f.Nodes[i].pulled() {
			d.edges(i)
		}
	}
	d.limit()
	if slices.ContainsFunc(d.plan.Edges, func(e PlanEdge) bool { return e.To == PlanEnd }) {
		d.plan.Nodes = append(d.plan.Nodes, PlanNode{ID: PlanEnd, Name: "End", Type: TypeTerminal})
	}
	return d.plan
}

// drawing is a plan in the making.
type drawing struct {
	f     *Flow
	graph *graph
	plan  Plan
	frame []int  // of each node: the fork, sequence, foreach or loop whose branch or body it belongs to, or -1
	joins []bool // parallel nodes that get a join node

	called map[string]bool // nodes that are another's subagent: their answers go back to it
}

// findFrames settles which nodes lie inside a branch or body: those that cannot be reached without its edges. Of
// several frames the innermost holds, which has the fewest nodes.
func (d *drawing) findFrames() {
	n := len(d.f.Nodes)
	d.frame, d.joins = make([]int, n), make([]bool, n)
	size := make([]int, n)
	for i := range d.frame {
		d.frame[i] = -1
	}
	entries := d.graph.entries()
	all := d.graph.reachable(entries...)
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
func frameEdges(n *Node) int {
	switch s := n.Spec.(type) {
	case *ParallelSpec:
		return len(s.Branches)
	case *SequenceSpec:
		return len(s.Branches)
	case *ForeachSpec, *LoopSpec:
		return 1
	default:
		return 0
	}
}

// insideOf lists the nodes that are reached only through the first edges of a node.
func (d *drawing) insideOf(i, inner int, entries []int, all []bool) []int {
	cut := *d.graph
	cut.out = slices.Clone(d.graph.out)
	cut.out[i] = nil
	for _, e := range d.f.Nodes[i].Edges()[inner:] {
		if to, ok := d.graph.index[e.To]; ok {
			cut.out[i] = append(cut.out[i], to)
		}
	}
	outside := cut.reachable(entries...)
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
	s, ok := d.f.Nodes[i].Spec.(*ParallelSpec)
	if !ok {
		return false
	}
	if slices.ContainsFunc(s.Branches, func(r Route) bool { return r.To == End }) {
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
	if len(n.Routes) == 0 || n.Spec != nil && n.Spec.Kind() == KindTerminal {
		return true
	}
	return slices.ContainsFunc(n.Edges(), func(e Edge) bool { return e.To == End })
}

// endOf is the plan node that an ending path of the node leads to.
func (d *drawing) endOf(i int) string {
	frame := d.frame[i]
	switch {
	case frame < 0:
		return PlanEnd
	case d.joins[frame]:
		return JoinNode(d.f.Nodes[frame].ID)
	default:
		return d.f.Nodes[frame].ID
	}
}

func (d *drawing) add(e PlanEdge) { d.plan.Edges = append(d.plan.Edges, e) }

func (d *drawing) start() {
	d.plan.Nodes = append(d.plan.Nodes, PlanNode{ID: PlanStart, Name: "Start", Description: d.f.startWords(), Type: TypeStart})
	for _, i := range d.graph.entries() {
		id := d.f.Nodes[i].ID
		d.add(PlanEdge{ID: d.f.StartEdge(id), From: PlanStart, To: id})
	}
}

// edges draws the ways out of one node.
func (d *drawing) edges(i int) {
	n := &d.f.Nodes[i]
	labels := routeLabels(n)
	for _, e := range n.Edges() {
		edge := PlanEdge{ID: e.ID, From: n.ID, To: e.To}
		if e.Kind == EdgeRoute || e.Kind == EdgeError {
			edge.From = d.leaves(i)
		}
		switch {
		case e.To != End:
			if _, ok := d.graph.index[e.To]; !ok {
				continue // an unknown target is reported, not drawn
			}
		case e.Kind == EdgeBranch && n.Kind == KindSequence:
			edge.To = n.ID
		case e.Kind == EdgeBranch:
			edge.To = JoinNode(n.ID)
		default:
			edge.To = d.endOf(i)
		}
		d.label(n, e, labels, &edge)
		d.add(edge)
	}
	for k, id := range n.Subagents {
		if _, ok := d.graph.index[id]; ok {
			d.add(PlanEdge{ID: SubagentEdge(n.ID, k), From: n.ID, To: id, Label: "asks", Description: "may ask this agent while it works"})
		}
	}
	terminal := n.Spec != nil && n.Spec.Kind() == KindTerminal
	if len(n.Routes) == 0 && (!terminal || d.frame[i] >= 0) && !d.called[n.ID] {
		d.add(PlanEdge{ID: EndEdge(n.ID), From: d.leaves(i), To: d.endOf(i)})
	}
}

// leaves is the plan node where a node's own routes begin.
func (d *drawing) leaves(i int) string {
	if d.joins[i] {
		return JoinNode(d.f.Nodes[i].ID)
	}
	return d.f.Nodes[i].ID
}

func (d *drawing) label(n *Node, e Edge, labels []string, edge *PlanEdge) {
	switch e.Kind {
	case EdgeRoute:
		r := n.Routes[e.Index]
		edge.Label = labels[e.Index]
		if words := r.ConditionWords(); words != "" {
			edge.Description = "when " + words
		} else if s, decision := n.Spec.(*DecisionSpec); decision && !r.Default() && bareLiteral(r.When) {
			edge.Description = "when " + s.Expr + " is " + r.When
		} else if !r.Default() {
			edge.Description = "when " + r.When
		} else if len(n.Routes) > 1 {
			edge.Description = "otherwise"
		}
	case EdgeError:
		r := n.OnError[e.Index]
		edge.Error = true
		edge.Label, edge.Description = errorLabel(r, e.Index)
	case EdgeBranch:
		edge.Label = n.branchLabel(e.Index)
	case EdgeBody:
		edge.Label = n.bodyLabel()
	}
}

// limit shows where a run goes on at a limit: as an edge if nothing else leads there, else in the node's words.
func (d *drawing) limit() {
	to := d.f.OnLimit.To
	i, ok := d.graph.index[to]
	if !ok || d.f.OnLimit.Action != LimitHandoff {
		return
	}
	const words = "when a limit is reached"
	if !slices.ContainsFunc(d.plan.Edges, func(e PlanEdge) bool { return e.To == to }) {
		d.add(PlanEdge{ID: PlanLimitEdge, From: PlanStart, To: to, Label: "at a limit", Description: words, Error: true})
		return
	}
	at := slices.IndexFunc(d.plan.Nodes, func(n PlanNode) bool { return n.ID == d.f.Nodes[i].ID })
	node := &d.plan.Nodes[at]
	if node.Description != "" {
		node.Description += "; "
	}
	node.Description += "also " + words
}

func joinName(n *Node) string {
	s := n.Spec.(*ParallelSpec)
	switch s.Join.Type {
	case "any":
		return "First one goes on"
	case "count":
		return "Wait for " + strconv.Itoa(s.Join.Count) + " of " + strconv.Itoa(len(s.Branches))
	default:
		return "Wait for all"
	}
}
