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
	// By says who placed it: "graphviz" or "plain"; Folded that it stands in several columns.
	By     string
	Folded bool
	// Makeshift says that the chart is a plain one because Graphviz failed or took too long: later it may do better.
	Makeshift bool
	sideways  bool
	column    []int // of the nodes of a folded chart
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

// Frame is the room in which a picture is seen at once, in CSS pixels. Between layouts the one shown largest in it wins.
type Frame struct{ W, H float64 }

// tangled tells whether a graph has so many edges that nothing makes it tidy; time spent on trying would be lost.
func (g Graph) tangled() bool { return len(g.Edges) > 10+len(g.Nodes)*8/5 }

// Arrange lays a graph out in the way that shows largest in the frame. It always gives a chart: where Graphviz is not to
// be asked, fails or takes longer than patience, its turn included, nodes are placed plainly. The only error is the
// context's. Safe for concurrent use.
func Arrange(ctx context.Context, g Graph, frame Frame, patience time.Duration) (*Chart, error) {
	if len(g.Nodes) == 0 {
		return &Chart{By: "plain"}, nil
	}
	back := backEdges(g)
	if len(g.Nodes) > MaxNodes || len(g.Edges) > MaxEdges {
		return finish(g, plain(g, back)), nil
	}
	type answer struct {
		chart *Chart
		err   error
	}
	done := make(chan answer, 1)
	limit, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if graphvizTurn.overdue(patience) {
		return makeshift(g, back), nil
	}
	go func() { // goes on after a timeout, holding the turn: Graphviz cannot be interrupted
		chart, err := best(limit, g, back, frame)
		done <- answer{chart, err}
	}()
	select {
	case a := <-done:
		if a.err == nil {
			return finish(g, a.chart), nil
		}
	case <-limit.Done():
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return makeshift(g, back), nil
}

func makeshift(g Graph, back []bool) *Chart {
	c := finish(g, plain(g, back))
	c.Makeshift = true
	return c
}

// best tries the layouts worth trying and keeps the one that shows largest.
func best(ctx context.Context, g Graph, back []bool, frame Frame) (*Chart, error) {
	winner, err := graphvizLayout(ctx, g, back, down)
	if err != nil {
		return nil, err
	}
	if !g.tangled() {
		if g, winner, err = uncross(ctx, g, back, winner); err != nil {
			return nil, err
		}
	}
	score := func(c *Chart) float64 { return min(frame.W/c.W, frame.H/c.H, 1) }
	top := score(winner)
	if top == 1 {
		return winner, nil
	}
	consider := func(c *Chart, bias float64) {
		if s := score(c) * bias; s > top {
			winner, top = c, s
		}
	}
	upright := winner
	if upright.W > .8*upright.H { // a tall chart would only become a wider one
		sideways, err := graphvizLayout(ctx, g, back, right)
		if err != nil {
			return nil, err
		}
		sideways.sideways = true
		consider(sideways, .9) // people read down: another way must gain something
	}
	cuts := bridges(g, back, upright)
	var folded []cut
	for count := 2; count <= 3 && frame.H/winner.H < frame.W/winner.W; count++ { // as long as height is what is short
		c, by := columns(g, cuts, upright, count, score)
		if c == nil {
			continue
		}
		if consider(c, .95); winner == c {
			folded = by
		}
	}
	if winner.Folded && !upstanding(g, back, winner) {
		again, err := refold(ctx, g, back, folded)
		if err != nil {
			return nil, err
		}
		if again != nil && score(again) > .96*score(winner) {
			winner = again
		}
	}
	return winner, nil
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
