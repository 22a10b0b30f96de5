package flow

import "slices"

// Graph says which nodes lead where. Nodes are named by index; of a repeated id the first node counts.
type Graph struct {
	f     *Flow
	Index map[string]int // by id
	Out   [][]int        // targets that exist, in declared order
}

// NewGraph makes the graph of a flow.
func NewGraph(f *Flow) *Graph {
	g := &Graph{f: f, Index: map[string]int{}, Out: make([][]int, len(f.Nodes))}
	for i := range f.Nodes {
		id := f.Nodes[i].ID
		if _, taken := g.Index[id]; !taken && id != "" && id != End {
			g.Index[id] = i
		}
	}
	for i := range f.Nodes {
		for _, e := range f.Nodes[i].Edges() {
			if to, ok := g.Index[e.To]; ok {
				g.Out[i] = append(g.Out[i], to)
			}
		}
	}
	return g
}

// Entries lists the nodes where runs begin, the flow's own entry first.
func (g *Graph) Entries() []int {
	var all []int
	if i, ok := g.Index[g.f.Entry]; ok {
		all = append(all, i)
	}
	for i := range g.f.Nodes {
		if _, ok := g.f.Nodes[i].Spec.(*EntrySpec); ok && g.f.Nodes[i].ID != g.f.Entry {
			all = append(all, i)
		}
	}
	return all
}

// Reachable marks the nodes that can be reached from the given ones, themselves included.
func (g *Graph) Reachable(from ...int) []bool {
	seen := make([]bool, len(g.Out))
	stack := slices.Clone(from)
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		stack = append(stack, g.Out[n]...)
	}
	return seen
}
