package flow

import "slices"

// EdgeKind says why an edge is taken.
type EdgeKind string

// The kinds of edges.
const (
	EdgeRoute  EdgeKind = "route"
	EdgeError  EdgeKind = "error"
	EdgeBranch EdgeKind = "branch"
	EdgeBody   EdgeKind = "body"
)

// Edge is one way out of a node, with the id that facts and plan edges use.
type Edge struct {
	ID    string
	Kind  EdgeKind
	Index int // in the node's routes, error routes or branches
	To    string
}

// BodyEdge is the id of the edge from a foreach or a loop to the head of its body.
func BodyEdge(node string) string { return node + "/body" }

// Edges lists all ways out of the node: branches or body, routes, error routes, each in declared order.
func (n *Node) Edges() []Edge {
	var out []Edge
	for i, b := range n.branches() {
		out = append(out, Edge{BranchEdge(n.ID, i), EdgeBranch, i, b.To})
	}
	switch s := n.Spec.(type) {
	case *ForeachSpec:
		out = append(out, Edge{BodyEdge(n.ID), EdgeBody, 0, s.Body})
	case *LoopSpec:
		out = append(out, Edge{BodyEdge(n.ID), EdgeBody, 0, s.Body})
	}
	for i, r := range n.Routes {
		out = append(out, Edge{RouteEdge(n.ID, i), EdgeRoute, i, r.To})
	}
	for i, r := range n.OnError {
		out = append(out, Edge{ErrorEdge(n.ID, i), EdgeError, i, r.To})
	}
	return out
}

// branches are the heads of a fork's or a sequence's branches.
func (n *Node) branches() []Route {
	switch s := n.Spec.(type) {
	case *ParallelSpec:
		return s.Branches
	case *SequenceSpec:
		return s.Branches
	}
	return nil
}

// graph answers questions about who leads where. Nodes are named by index; of a repeated id the first node counts.
type graph struct {
	f     *Flow
	index map[string]int
	out   [][]int // targets that exist, in declared order
}

func newGraph(f *Flow) *graph {
	g := &graph{f: f, index: map[string]int{}, out: make([][]int, len(f.Nodes))}
	for i := range f.Nodes {
		id := f.Nodes[i].ID
		if _, taken := g.index[id]; !taken && id != "" && id != End {
			g.index[id] = i
		}
	}
	for i := range f.Nodes {
		for _, e := range f.Nodes[i].Edges() {
			if to, ok := g.index[e.To]; ok {
				g.out[i] = append(g.out[i], to)
			}
		}
	}
	return g
}

// entries lists the nodes where runs begin, the flow's own entry first.
func (g *graph) entries() []int {
	var all []int
	if i, ok := g.index[g.f.Entry]; ok {
		all = append(all, i)
	}
	for i := range g.f.Nodes {
		if _, ok := g.f.Nodes[i].Spec.(*EntrySpec); ok && g.f.Nodes[i].ID != g.f.Entry {
			all = append(all, i)
		}
	}
	return all
}

// reachable marks the nodes that can be reached from the given ones, themselves included.
func (g *graph) reachable(from ...int) []bool {
	seen := make([]bool, len(g.out))
	stack := slices.Clone(from)
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		stack = append(stack, g.out[n]...)
	}
	return seen
}

// cycle finds a cycle that can be reached from a node: the nodes on it in order, without repeating the first. The walk
// keeps its own stack, since a flow may be one long chain.
func (g *graph) cycle(from int) []int {
	const fresh, open, done = 0, 1, 2
	state := make([]int, len(g.out))
	type visit struct{ node, next int }
	stack := []visit{{from, 0}}
	state[from] = open
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == len(g.out[top.node]) {
			state[top.node] = done
			stack = stack[:len(stack)-1]
			continue
		}
		to := g.out[top.node][top.next]
		top.next++
		switch state[to] {
		case fresh:
			state[to] = open
			stack = append(stack, visit{to, 0})
		case open:
			var loop []int
			for i := range stack {
				if stack[i].node == to || loop != nil {
					loop = append(loop, stack[i].node)
				}
			}
			return loop
		}
	}
	return nil
}
