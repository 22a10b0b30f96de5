package group

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// graph makes all nodes plain but the forks.
func graph(nodes int, edges ...[2]int) Graph {
	g := Graph{Plain: make([]bool, nodes)}
	ways := make([]int, nodes)
	for _, e := range edges {
		g.Edges = append(g.Edges, Edge{From: e[0], To: e[1]})
		ways[e[0]]++
	}
	for n := range g.Plain {
		g.Plain[n] = ways[n] < 2
	}
	return g
}

func chain(nodes int) Graph {
	g := graph(nodes)
	for n := 1; n < nodes; n++ {
		g.Edges = append(g.Edges, Edge{From: n - 1, To: n})
	}
	return g
}

func TestDivide(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		graph Graph
		want  int
		is    [][]int
	}{
		"few enough": {chain(3), 3, [][]int{{0}, {1}, {2}}},
		"a run":      {chain(9), 3, [][]int{{0, 1, 2, 3}, {4, 5, 6, 7}, {8}}},
		// 0 forks to 1, 2 and 3, which join in 4; 5 and 6 follow
		"a parallel block": {graph(7, [2]int{0, 1}, [2]int{0, 2}, [2]int{0, 3}, [2]int{1, 4}, [2]int{2, 4}, [2]int{3, 4}, [2]int{4, 5}, [2]int{5, 6}), 2, [][]int{{0, 1, 2, 3}, {4, 5, 6}}},
		// 0 -> 1 (fork) -> 2 -> 1 is a way back, 1 -> 3
		"a loop":           {graph(4, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 1}, [2]int{1, 3}), 3, [][]int{{0}, {1, 2}, {3}}},
		"a decision block": {graph(5, [2]int{0, 1}, [2]int{1, 2}, [2]int{1, 3}, [2]int{2, 3}, [2]int{3, 4}), 3, [][]int{{0}, {1, 2}, {3, 4}}},
	} {
		if d := cmp.Diff(c.is, Divide(c.graph, c.want, 99)); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

// Ways on an error lead from everywhere to one place; they do not keep steps apart.
func TestWaysOnErrorsDoNotCount(t *testing.T) {
	t.Parallel()
	g := chain(9)
	for n := range 8 {
		g.Edges = append(g.Edges, Edge{From: n, To: 8, Aside: true})
	}
	if got := Divide(g, 3, 99); len(got) != 3 {
		t.Errorf("got %v, want three groups", got)
	}
}

func TestAnyGraphIsDivided(t *testing.T) {
	t.Parallel()
	const want, links = 24, 60
	for _, c := range []struct{ nodes, edges int }{{1, 0}, {61, 60}, {100, 400}, {1000, 2000}, {4000, 12000}} {
		r := rand.New(rand.NewPCG(uint64(c.nodes), 3))
		g := chain(c.nodes)
		for range c.edges {
			g.Edges = append(g.Edges, Edge{From: r.IntN(c.nodes), To: r.IntN(c.nodes), Aside: r.IntN(5) == 0})
		}
		start := time.Now()
		parts := Divide(g, want, links)
		if d := time.Since(start); d > time.Minute {
			t.Errorf("%d nodes took %s", c.nodes, d)
		}
		if len(parts) > want {
			t.Errorf("%d nodes are in %d groups", c.nodes, len(parts))
		}
		var all []int
		for _, p := range parts {
			all = append(all, p...)
		}
		slices.Sort(all)
		if len(all) != c.nodes || len(slices.Compact(all)) != c.nodes {
			t.Errorf("%d nodes: %d of them are in groups", c.nodes, len(all))
		}
	}
}

// A hub has one way for every node.
func TestHub(t *testing.T) {
	t.Parallel()
	const spokes = 5000
	g := Graph{Plain: make([]bool, spokes)}
	for n := 1; n < spokes; n++ {
		g.Edges = append(g.Edges, Edge{From: 0, To: n})
	}
	if got := len(Divide(g, 24, 60)); got > 24 {
		t.Errorf("%d groups", got)
	}
}
