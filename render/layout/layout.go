package layout

import (
	"context"
	"time"

	"sluice/render/path"
)

// Graph is what is laid out: sizes and links, no words.
type Graph struct {
	Nodes []Node
	Edges []Edge
}

// Node is a shape to be placed. Lengths are CSS pixels at scale 1.
type Node struct {
	W, H float64
	// Outline is the border around the centre {0, 0}; nil means the whole box.
	Outline []path.Point
	// Corners says that branches leave from the left and right corner, as they do from a diamond.
	Corners bool
	// Beside says that it is a small ending, which may stand beside the way.
	Beside bool

	mirrored bool // branches leave by the left side first
}

// Edge links two nodes by their index. Label is the width of the pill on it, 0 without one.
type Edge struct {
	From, To int
	Label    float64
	// Aside says that it leaves the main way, as a way on an error does: by the side and not by the foot.
	Aside bool
}

// Chart is a finished layout. It is shared between pictures: read it, never change it.
type Chart struct {
	W, H    float64
	Centres []path.Point // of the nodes
	Routes  []Route      // of the edges
	// By says who placed it: "graphviz" or "stack".
	By string
	// Makeshift says that the chart is a stack because Graphviz failed or took too long: later it may do better.
	Makeshift bool
}

// Route is the way of one edge: 3n+1 Bézier points from the outline of its tail to the outline of its head.
type Route struct {
	Points []path.Point
	Label  path.Point // where room was kept for the pill
	Back   bool       // leads back to a node that leads here
}

// The sizes up to which Graphviz is asked; beyond them it may take seconds, and cannot be interrupted. A larger chart is
// also too much for one picture.
const (
	MaxNodes = 60
	MaxEdges = 90
)

// tangled tells whether a graph has so many edges that nothing makes it tidy; time spent on trying would be lost.
func (g Graph) tangled() bool { return len(g.Edges) > 10+len(g.Nodes)*8/5 }

// Arrange lays a graph out at most width wide. It is given the same graph in several sizes, the most comfortable one first, and
// says which of them it took. Where Graphviz finds nothing that narrow, is not to be asked, fails or takes longer than patience,
// its turn included, the nodes of the first size are stacked. The only error is the context's. Safe for concurrent use.
func Arrange(ctx context.Context, sizes []Graph, width float64, patience time.Duration) (*Chart, int, error) {
	g := sizes[0]
	if len(g.Nodes) == 0 {
		return &Chart{By: "stack"}, 0, nil
	}
	back := backEdges(g)
	if len(g.Nodes) > MaxNodes || len(g.Edges) > MaxEdges {
		return stackWithin(g, back, width), 0, nil
	}
	type answer struct {
		chart *Chart
		size  int
		err   error
	}
	done := make(chan answer, 1)
	limit, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if graphvizTurn.overdue(patience) {
		return makeshift(g, back, width), 0, nil
	}
	go func() { // goes on after a timeout, holding the turn: Graphviz cannot be interrupted
		chart, size, err := best(limit, sizes, back, width)
		done <- answer{chart, size, err}
	}()
	select {
	case a := <-done:
		if a.err == nil {
			return a.chart, a.size, nil
		}
	case <-limit.Done():
	}
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	return makeshift(g, back, width), 0, nil
}

func makeshift(g Graph, back []bool, width float64) *Chart {
	c := stackWithin(g, back, width)
	c.Makeshift = true
	return c
}

// best is the first layout by Graphviz that is narrow enough, else a stack.
func best(ctx context.Context, sizes []Graph, back []bool, width float64) (*Chart, int, error) {
	const near, hopeless = 1.1, 1.5 // so many times too wide, it is not made tidy, and not tried in the next size
	for i, g := range sizes {
		c, err := graphvizLayout(ctx, g, back)
		if err != nil {
			return nil, 0, err
		}
		if c.W > hopeless*width {
			break
		}
		if c.W > near*width {
			continue
		}
		if !g.tangled() {
			if g, c, err = uncross(ctx, g, back, c); err != nil {
				return nil, 0, err
			}
		}
		if c = finish(g, c); c.W <= width {
			return c, i, nil
		}
	}
	return stackWithin(sizes[0], back, width), 0, nil
}

// stackWithin is the stack with endings beside the way, or where that is too wide the one with all nodes in one column.
func stackWithin(g Graph, back []bool, width float64) *Chart {
	if c := finish(g, stack(g, back, width, true)); c.W <= width {
		return c
	}
	return finish(g, stack(g, back, width, false))
}

// backEdges marks the edges that lead to a node still on the depth-first way to their tail, loops to itself included.
func backEdges(g Graph) []bool {
	out := outgoing(g)
	back := make([]bool, len(g.Edges))
	const fresh, open, done = 0, 1, 2
	state := make([]int, len(g.Nodes))
	type visit struct{ node, next int }
	for root := range g.Nodes {
		if state[root] != fresh {
			continue
		}
		state[root] = open
		stack := []visit{{root, 0}} // not recursive: a chain may be long
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if top.next == len(out[top.node]) {
				state[top.node] = done
				stack = stack[:len(stack)-1]
				continue
			}
			k := out[top.node][top.next]
			top.next++
			switch to := g.Edges[k].To; state[to] {
			case fresh:
				state[to] = open
				stack = append(stack, visit{to, 0})
			case open:
				back[k] = true
			}
		}
	}
	return back
}

// outgoing lists, for every node, the indexes of its edges in their order.
func outgoing(g Graph) [][]int {
	out := make([][]int, len(g.Nodes))
	for i, e := range g.Edges {
		out[e.From] = append(out[e.From], i)
	}
	return out
}
