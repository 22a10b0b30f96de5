package layout

import (
	"context"
	"math"

	"sluice/render/path"
)

// flips bounds how many side changes are tried: each costs a layout.
const flips = 5

// uncross lays the graph out again with single branches leaving by the other side, as long as edges cross, and keeps what
// makes it tidier. It returns the graph with the sides that won.
func uncross(ctx context.Context, g Graph, back []bool, c *Chart) (Graph, *Chart, error) {
	kinds := branchings(g, back)
	best := untidiness(c)
	tried := 0
	for n, k := range kinds {
		if k != choice || tried == flips {
			continue
		}
		if crossings(c) == 0 {
			return g, c, nil
		}
		tried++
		flipped := g.flip(n)
		other, err := graphvizLayout(ctx, flipped, back)
		if err != nil {
			return g, nil, err
		}
		if u := untidiness(other); u < best {
			g, c, best = flipped, other, u
		}
	}
	return g, c, nil
}

// flip is the graph with node n's branches on the other side.
func (g Graph) flip(n int) Graph {
	nodes := make([]Node, len(g.Nodes))
	copy(nodes, g.Nodes)
	nodes[n].mirrored = !nodes[n].mirrored
	return Graph{nodes, g.Edges}
}

// untidiness weighs what disturbs the eye: crossings most, then turns, then length.
func untidiness(c *Chart) float64 {
	sum := 80 * float64(crossings(c))
	for _, r := range c.Routes {
		way := path.Sample(r.Points, 6)
		for i := 1; i < len(way); i++ {
			sum += .05 * way[i].Dist(way[i-1])
			if i+1 < len(way) {
				sum += 6 * turn(way[i-1], way[i], way[i+1])
			}
		}
	}
	return sum
}

// turn is the angle between two chords, in radians.
func turn(a, b, c path.Point) float64 {
	u, v := b.Sub(a).Unit(), c.Sub(b).Unit()
	return math.Abs(math.Atan2(u.X*v.Y-u.Y*v.X, u.X*v.X+u.Y*v.Y))
}

// crossings counts where edges cross each other. Where two begin or end together they do not count.
func crossings(c *Chart) int {
	ways := make([][]path.Point, len(c.Routes))
	for i, r := range c.Routes {
		ways[i] = path.Sample(r.Points, 6)
	}
	n := 0
	for i, a := range ways {
		for _, b := range ways[:i] {
			n += crossed(a, b)
		}
	}
	return n
}

func crossed(a, b []path.Point) int {
	const together = 26.0
	n := 0
	for i := 1; i < len(a); i++ {
		for j := 1; j < len(b); j++ {
			if !cross(a[i-1], a[i], b[j-1], b[j]) {
				continue
			}
			p := a[i]
			nearEnd := func(w []path.Point) bool {
				return min(p.Dist(w[0]), p.Dist(w[len(w)-1])) < together
			}
			if !nearEnd(a) || !nearEnd(b) {
				n++
			}
		}
	}
	return n
}

// cross tells whether two segments cross.
func cross(a, b, c, d path.Point) bool {
	side := func(p, q, r path.Point) float64 { return (q.X-p.X)*(r.Y-p.Y) - (q.Y-p.Y)*(r.X-p.X) }
	return side(a, b, c)*side(a, b, d) < 0 && side(c, d, a)*side(c, d, b) < 0
}
