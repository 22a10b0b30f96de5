package typecheck

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"sluice/engine/flow"
)

// edge is an edge of a flow by index, with the nodes that have given something when it is taken.
type edge struct {
	from, to int
	gives    []int
}

// TestOrderAgainstPaths: what may and must have run is what the paths from the entry say.
func TestOrderAgainstPaths(t *testing.T) {
	t.Parallel()
	for seed := range uint64(400) {
		f, index := anyFlow(rand.New(rand.NewPCG(seed, 1)))
		o := newOrder(f, index)
		edges := edgesOf(f, index)
		all := comesTo(0, edges, nil)
		for reader := range all {
			for giver := range f.Nodes {
				may := slices.ContainsFunc(edges, func(e edge) bool {
					return all[e.from] && slices.Contains(e.gives, giver) && comesTo(e.to, edges, nil)[reader]
				})
				must := !comesTo(0, edges, func(e edge) bool { return slices.Contains(e.gives, giver) })[reader]
				if gotMay, gotMust := o.before(giver, reader, false); gotMay != may || gotMust != must {
					t.Fatalf("flow %d: n%d before n%d: %v, %v instead of %v, %v", seed, giver, reader, gotMay, gotMust, may, must)
				}
			}
		}
	}
}

// anyFlow is a flow of up to ten nodes with loops, branches and ends.
func anyFlow(r *rand.Rand) (*flow.Flow, map[string]int) {
	n := 1 + r.IntN(10)
	to := func() string { return fmt.Sprint("n", r.IntN(n+1)) } // one more than there are: an end of the flow
	f, index := &flow.Flow{Entry: "n0"}, map[string]int{}
	for i := range n {
		node := flow.Node{ID: fmt.Sprint("n", i), Spec: &flow.SaySpec{}}
		switch r.IntN(5) {
		case 0:
			node.Spec = &flow.ParallelSpec{Branches: []flow.Route{{To: to()}, {To: to()}}}
		case 1:
			node.Spec = &flow.ForeachSpec{Body: to()}
		}
		for range r.IntN(3) {
			node.Routes = append(node.Routes, flow.Route{To: to()})
		}
		if r.IntN(4) == 0 {
			node.OnError = append(node.OnError, flow.ErrorRoute{To: to()})
		}
		f.Nodes, index[node.ID] = append(f.Nodes, node), i
	}
	return f, index
}

// edgesOf lists the edges of a flow. A route gives its node, and what its branches or body come to.
func edgesOf(f *flow.Flow, index map[string]int) []edge {
	var edges []edge
	for i := range f.Nodes {
		for _, e := range f.Nodes[i].Edges() {
			if to, ok := index[e.To]; ok {
				edges = append(edges, edge{from: i, to: to})
			}
		}
	}
	at := 0
	for i := range f.Nodes {
		inner := map[int]bool{i: true}
		for _, head := range f.Nodes[i].Edges() {
			if to, ok := index[head.To]; ok && (head.Kind == flow.EdgeBranch || head.Kind == flow.EdgeBody) {
				for n := range comesTo(to, edges, nil) {
					inner[n] = true
				}
			}
		}
		for _, e := range f.Nodes[i].Edges() {
			if _, ok := index[e.To]; !ok {
				continue
			}
			if e.Kind == flow.EdgeRoute {
				for n := range inner {
					edges[at].gives = append(edges[at].gives, n)
				}
			}
			at++
		}
	}
	return edges
}

// comesTo is every node that is reached from one, by edges that are not left out.
func comesTo(from int, edges []edge, leaveOut func(edge) bool) map[int]bool {
	seen := map[int]bool{from: true}
	for grown := true; grown; {
		grown = false
		for _, e := range edges {
			if seen[e.from] && !seen[e.to] && (leaveOut == nil || !leaveOut(e)) {
				seen[e.to], grown = true, true
			}
		}
	}
	return seen
}
