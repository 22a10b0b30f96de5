package layout

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"sluice/render/path"
)

// phone is how wide charts may be.
const phone = 387.0

// patient is how long tests wait for Graphviz: as long as the slowest machine takes.
const patient = 3 * time.Minute

// chainOf is a line of n boxes.
func chainOf(n int) Graph {
	g := Graph{}
	for i := range n {
		g.Nodes = append(g.Nodes, Node{W: 110, H: 46})
		if i > 0 {
			g.Edges = append(g.Edges, Edge{From: i - 1, To: i})
		}
	}
	return g
}

// randomGraph is connected; edges may go anywhere, loops and parallels included.
func randomGraph(seed uint64, nodes, more int) Graph {
	r := rand.New(rand.NewPCG(seed, 9))
	g := Graph{}
	label := func() float64 { return []float64{0, 0, 30, 110}[r.IntN(4)] }
	for i := range nodes {
		n := Node{W: 70 + float64(r.IntN(130)), H: 36 + float64(r.IntN(60)), Corners: r.IntN(4) == 0}
		if n.Corners {
			n.Outline = []path.Point{{X: 0, Y: -n.H / 2}, {X: n.W / 2, Y: 0}, {X: 0, Y: n.H / 2}, {X: -n.W / 2, Y: 0}}
		}
		g.Nodes = append(g.Nodes, n)
		if i > 0 {
			g.Edges = append(g.Edges, Edge{From: r.IntN(i), To: i, Label: label(), Aside: r.IntN(9) == 0})
		}
	}
	for range more {
		g.Edges = append(g.Edges, Edge{From: r.IntN(nodes), To: r.IntN(nodes), Label: label()})
	}
	return g
}

func faults(g Graph, c *Chart) []string {
	var out []string
	say := func(format string, a ...any) { out = append(out, fmt.Sprintf(format, a...)) }
	for i, p := range c.Centres {
		n := g.Nodes[i]
		if p.X-n.W/2 < -.01 || p.Y-n.H/2 < -.01 || p.X+n.W/2 > c.W+.01 || p.Y+n.H/2 > c.H+.01 {
			say("node %d leaves the chart", i)
		}
		for j, q := range c.Centres[:i] {
			m := g.Nodes[j]
			if math.Abs(p.X-q.X) < (n.W+m.W)/2-1 && math.Abs(p.Y-q.Y) < (n.H+m.H)/2-1 {
				say("nodes %d and %d overlap", i, j)
			}
		}
	}
	for i, e := range g.Edges {
		p := c.Routes[i].Points
		if len(p) < 4 || len(p)%3 != 1 {
			say("edge %d has %d points", i, len(p))
			continue
		}
		for _, end := range []struct {
			at   path.Point
			node int
		}{{p[0], e.From}, {p[len(p)-1], e.To}} {
			border := outlineAt(g.Nodes[end.node], c.Centres[end.node])
			if d := end.at.Dist(path.Nearest(end.at, border)); d > .5 {
				say("edge %d ends %.1f px off node %d", i, d, end.node)
			}
		}
		if slices.ContainsFunc(p, func(q path.Point) bool { return math.IsNaN(q.X + q.Y) }) {
			say("edge %d is nowhere", i)
		}
	}
	return out
}

func TestStackPlacesAnyGraph(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		n := 1 + int(seed)*3
		g := randomGraph(seed, n, n/2)
		for i := range g.Nodes {
			g.Nodes[i].Beside = i%5 == 0
		}
		for _, aside := range []bool{false, true} {
			c := finish(g, stack(g, backEdges(g), phone, aside))
			for _, f := range faults(g, c) {
				t.Errorf("seed %d: %s", seed, f)
			}
		}
	}
}

func TestGraphvizPlacesAnyGraph(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		g := randomGraph(seed, 1+int(seed)%20, int(seed)%9)
		c, err := graphvizLayout(t.Context(), g, backEdges(g))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		c = finish(g, c)
		for _, f := range faults(g, c) {
			t.Errorf("seed %d: %s", seed, f)
		}
	}
}

// A dense graph of this size would keep Graphviz busy for minutes.
func TestHostileGraphIsStacked(t *testing.T) {
	t.Parallel()
	g := randomGraph(1, 400, 3000)
	c, _, err := Arrange(t.Context(), []Graph{g}, phone, patient)
	if err != nil || c.By != "stack" {
		t.Fatalf("by %v, %v", c, err)
	}
	for _, f := range faults(g, c) {
		t.Error(f)
	}
}

// Not parallel: it keeps everybody else from Graphviz.
func TestGraphvizThatDoesNotAnswer(t *testing.T) {
	if err := graphvizTurn.take(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer graphvizTurn.leave()
	c, _, err := Arrange(t.Context(), []Graph{chainOf(5)}, phone, 20*time.Millisecond)
	if err != nil || c.By != "stack" {
		t.Errorf("by %v, %v; want a stack", c, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Arrange(ctx, []Graph{chainOf(5)}, phone, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
	graphvizTurn.since.Store(time.Now().Add(-time.Minute).UnixNano()) // inside for a minute: nobody waits behind it
	start := time.Now()
	c, _, err = Arrange(t.Context(), []Graph{chainOf(5)}, phone, 40*time.Second)
	if err != nil || c.By != "stack" || !c.Makeshift {
		t.Errorf("by %v, %v; want a makeshift stack", c, err)
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("it waited %s behind a layout that does not end", d)
	}
}

// Dense graphs as large as Graphviz is asked for end before anybody gives up on it.
func TestDenseGraphsEndInTime(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		g := randomGraph(seed, MaxNodes/2, MaxEdges-MaxNodes/2+1)
		c, _, err := Arrange(t.Context(), []Graph{g}, phone, patient)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range faults(g, c) {
			t.Errorf("seed %d: %s", seed, f)
		}
	}
}

// Of the sizes of a graph the first that fits is taken, and where none does the nodes are stacked: no chart of ordinary size is
// wider than asked for.
func TestChartsAreAsWideAsAskedFor(t *testing.T) {
	t.Parallel()
	fan := func(branches int, w float64) Graph {
		g := Graph{Nodes: make([]Node, branches+2)}
		for i := range g.Nodes {
			g.Nodes[i] = Node{W: w, H: 46}
		}
		for i := range branches {
			g.Edges = append(g.Edges, Edge{From: 0, To: i + 1}, Edge{From: i + 1, To: branches + 1})
		}
		return g
	}
	for _, c := range []struct {
		branches int
		by       string
		size     int
	}{{2, "graphviz", 0}, {3, "graphviz", 1}, {4, "stack", 0}, {5, "stack", 0}} {
		sizes := []Graph{fan(c.branches, 170), fan(c.branches, 105)}
		chart, size, err := Arrange(t.Context(), sizes, phone, patient)
		if err != nil || chart.By != c.by || size != c.size || chart.W > phone {
			t.Errorf("%d branches: %.0f px wide by %s in size %d (%v), want at most %.0f by %s in size %d", c.branches, chart.W, chart.By, size, err, phone, c.by, c.size)
		}
	}
}

// An ending beside the way leaves the column to the others, and no lane runs through it.
func TestEndingsStandBeside(t *testing.T) {
	t.Parallel()
	g := chainOf(6)
	g.Nodes = append(g.Nodes, Node{W: 90, H: 30, Beside: true}, Node{W: 90, H: 30, Beside: true})
	g.Edges = append(g.Edges, Edge{From: 1, To: 6, Label: 50}, Edge{From: 3, To: 7, Label: 50}, Edge{From: 0, To: 3}, Edge{From: 5, To: 3, Label: 40})
	c := stackWithin(g, backEdges(g), phone)
	for _, f := range faults(g, c) {
		t.Error(f)
	}
	if c.Centres[6].X < c.Centres[0].X+60 || c.W > phone {
		t.Errorf("the first ending is at %v of a chart %.0f px wide", c.Centres[6], c.W)
	}
	if c.Centres[7].X != c.Centres[0].X {
		t.Errorf("the second ending stands in the way back, at %v", c.Centres[7])
	}
}

// An ending to which two nodes lead stands beside the second, and its edges do not cross. One to which a node leads twice stays
// in the column.
func TestSharedEndings(t *testing.T) {
	t.Parallel()
	g := chainOf(6)
	g.Nodes = append(g.Nodes, Node{W: 90, H: 30, Beside: true}, Node{W: 90, H: 30, Beside: true})
	g.Edges = append(g.Edges, Edge{From: 1, To: 6, Label: 50}, Edge{From: 3, To: 6, Label: 50}, Edge{From: 4, To: 7, Label: 40}, Edge{From: 4, To: 7})
	c := stackWithin(g, backEdges(g), phone)
	for _, f := range faults(g, c) {
		t.Error(f)
	}
	if at := c.Centres[6]; at.X < c.Centres[0].X+60 || at.Y < c.Centres[3].Y || at.Y > c.Centres[5].Y {
		t.Errorf("the shared ending is at %v", at)
	}
	if n := crossed(path.Sample(c.Routes[5].Points, 12), path.Sample(c.Routes[6].Points, 12)); n != 0 {
		t.Errorf("its edges cross %d times", n)
	}
	if c.Centres[7].X != c.Centres[0].X {
		t.Errorf("the ending with two edges from one node is at %v", c.Centres[7])
	}
}

func TestWaysBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edges [][2]int
		want  []bool
	}{
		"none":    {[][2]int{{0, 1}, {1, 2}, {0, 2}}, []bool{false, false, false}},
		"cycle":   {[][2]int{{0, 1}, {1, 2}, {2, 0}}, []bool{false, false, true}},
		"itself":  {[][2]int{{0, 1}, {1, 1}}, []bool{false, true}},
		"two":     {[][2]int{{0, 1}, {1, 0}, {1, 2}, {2, 1}}, []bool{false, true, false, true}},
		"no root": {[][2]int{{2, 1}, {1, 2}, {0, 1}}, []bool{false, true, false}},
	} {
		g := Graph{Nodes: make([]Node, 3)}
		for _, e := range c.edges {
			g.Edges = append(g.Edges, Edge{From: e[0], To: e[1]})
		}
		got := backEdges(g)
		forward := Graph{Nodes: g.Nodes}
		for i, e := range g.Edges {
			if !got[i] {
				forward.Edges = append(forward.Edges, e)
			}
		}
		if slices.Contains(backEdges(forward), true) {
			t.Errorf("%s: %v leaves a cycle", name, got)
		}
		if name != "no root" && !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

// Two ways back to one node stand apart, each with its own offset.
func TestWaysBackStandApart(t *testing.T) {
	t.Parallel()
	g := chainOf(5)
	g.Edges = append(g.Edges, Edge{From: 2, To: 1, Label: 60}, Edge{From: 4, To: 1, Label: 60})
	c, _, err := Arrange(t.Context(), []Graph{g}, phone, patient)
	if err != nil {
		t.Fatal(err)
	}
	inner, outer := c.Routes[4], c.Routes[5]
	if !inner.Back || !outer.Back {
		t.Fatal("they are not marked")
	}
	if d := inner.Points[len(inner.Points)-1].Dist(outer.Points[len(outer.Points)-1]); d < 6 {
		t.Errorf("their heads are %.1f px apart", d)
	}
	if n := crossed(path.Sample(inner.Points, 12), path.Sample(outer.Points, 12)); n != 0 {
		t.Errorf("they cross %d times", n)
	}
}

// The branches of a decision and of a gate after it leave by opposite sides: they do not cross.
func TestBranchesDoNotCross(t *testing.T) {
	t.Parallel()
	g := chainOf(7)
	g.Nodes[2].Corners = true
	g.Edges = []Edge{
		{From: 0, To: 1},
		{From: 1, To: 2},
		{From: 2, To: 3, Label: 30},
		{From: 2, To: 4, Label: 30},
		{From: 3, To: 4, Label: 60},
		{From: 3, To: 6, Label: 60},
		{From: 4, To: 5},
	}
	c, _, err := Arrange(t.Context(), []Graph{g}, phone, patient)
	if err != nil {
		t.Fatal(err)
	}
	if n := crossings(c); n != 0 {
		t.Errorf("edges cross %d times", n)
	}
}
