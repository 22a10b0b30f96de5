package flow

import "strconv"

// EdgeKind says why an edge is taken.
type EdgeKind string

// The kinds of edges.
const (
	EdgeRoute  EdgeKind = "route"
	EdgeError  EdgeKind = "error"
	EdgeBranch EdgeKind = "branch"
	EdgeBody   EdgeKind = "body"
)

// Edge is one edge from a node, with the id that facts and chart edges use.
type Edge struct {
	ID    string
	Kind  EdgeKind
	Index int // in the node's routes, error routes or branches
	To    string
}

// BodyEdge is the id of the edge from a foreach or a loop to the head of its body.
func BodyEdge(node string) string { return node + "/body" }

// Edges lists all edges from the node: branches or body, routes, error routes, each in declared order.
func (n *Node) Edges() []Edge {
	var out []Edge
	for i, b := range n.Branches() {
		out = append(out, Edge{BranchEdge(n.ID, i), EdgeBranch, i, b.To})
	}
	if s, ok := n.Spec.(looper); ok {
		out = append(out, Edge{BodyEdge(n.ID), EdgeBody, 0, *s.body()})
	}
	for i, r := range n.Routes {
		out = append(out, Edge{RouteEdge(n.ID, i), EdgeRoute, i, r.To})
	}
	for i, r := range n.OnError {
		out = append(out, Edge{ErrorEdge(n.ID, i), EdgeError, i, r.To})
	}
	return out
}

// Targets lists the nodes that a token may go to from the node.
func (n *Node) Targets() []string {
	var all []string
	for _, to := range n.Ways() {
		all = append(all, *to)
	}
	return all
}

// Ways gives where the node says that it leads, so that a way can lead elsewhere: routes, error routes, branches, body.
func (n *Node) Ways() []*string {
	var all []*string
	for i := range n.Routes {
		all = append(all, &n.Routes[i].To)
	}
	for i := range n.OnError {
		all = append(all, &n.OnError[i].To)
	}
	branches := n.Branches() // those of the node itself
	for i := range branches {
		all = append(all, &branches[i].To)
	}
	if s, ok := n.Spec.(looper); ok {
		all = append(all, s.body())
	}
	return all
}

// Branches are the heads of the branches of a parallel node or a sequence.
func (n *Node) Branches() []Route {
	if s, ok := n.Spec.(brancher); ok {
		return s.branches()
	}
	return nil
}

// RouteEdge is the id of a node's i-th route, as facts and chart edges name it.
func RouteEdge(node string, i int) string { return node + "/" + strconv.Itoa(i) }

// ErrorEdge is the id of a node's i-th error route.
func ErrorEdge(node string, i int) string { return node + "/error/" + strconv.Itoa(i) }

// BranchEdge is the id of a parallel node's i-th branch.
func BranchEdge(node string, i int) string { return node + "/branch/" + strconv.Itoa(i) }

// SubagentEdge is the id of the chart edge from a node to the i-th node that it may ask.
func SubagentEdge(node string, i int) string { return node + "/subagent/" + strconv.Itoa(i) }

// CallerEdge is the id of the edge back to the node that called a node, see NoMatchCaller.
func CallerEdge(node string) string { return node + "/caller" }

// TurnEdge is the id of the edge by which an agent of a conversation comes to its next turn.
func TurnEdge(node string) string { return node + "/turn" }

// LimitEdge is the id of the edge to the handoff node of a limit.
func LimitEdge(node string) string { return node + "/limit" }

// EndEdge is the id of the chart edge that is taken when a path ends at a node without a route, so that the fact names
// no edge.
func EndEdge(node string) string { return node + "/end" }

// StartEdge is the id of the chart edge that leads from the start to a node where runs begin.
func (f *Flow) StartEdge(node string) string {
	if node == f.Entry {
		return EntryEdge
	}
	return StartNode + "/" + node
}

// Ids in a chart that no node of the flow has. An id of a node cannot hold the dot that they begin with.
const (
	StartNode   = "·start"   // where runs begin
	EndNode     = "·end"     // where the paths outside of branches and bodies end
	EntryEdge   = "·start/0" // from the start to the entry
	HandoffEdge = "·limit"   // to the node that a limit hands the run to
)
