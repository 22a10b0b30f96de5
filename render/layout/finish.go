package layout

import (
	"cmp"
	"math"
	"slices"

	"sluice/render/path"
)

// finish makes a layout ready to draw: nearly straight edges straight, arrow heads beside each other instead of on each
// other, every end on the outline of its node, everything within the chart's width and height.
func finish(g Graph, c *Chart) *Chart {
	if c.By == "graphviz" {
		straighten(g, c)
		fanIn(g, c)
		stack(g, c)
	}
	for i, e := range g.Edges {
		points := c.Routes[i].Points
		trim(points, outlineAt(g.Nodes[e.To], c.Centres[e.To]))
		slices.Reverse(points)
		trim(points, outlineAt(g.Nodes[e.From], c.Centres[e.From]))
		slices.Reverse(points)
	}
	frameIn(g, c)
	return c
}

// straighten turns an edge that sways by a few pixels into a vertical line.
func straighten(g Graph, c *Chart) {
	const sway = 9.0
	for i, e := range g.Edges {
		r := &c.Routes[i]
		if r.Back {
			continue
		}
		x := c.Centres[e.To].X
		if g.Nodes[e.From].Corners {
			if math.Abs(c.Centres[e.From].X-x) > 1 && g.Nodes[e.To].Corners {
				continue // corner to corner: it has to sway
			}
			x = c.Centres[e.From].X
		}
		if slices.ContainsFunc(r.Points, func(p path.Point) bool { return math.Abs(p.X-x) > sway }) {
			continue
		}
		for j := range r.Points {
			r.Points[j].X = x
		}
	}
}

// fanIn sets the heads of edges that arrive at the same top side by side. An edge straight from above keeps the middle.
func fanIn(g Graph, c *Chart) {
	const step, straight = 13.0, 4.0
	arriving := make([][]int, len(g.Nodes))
	for i, e := range g.Edges {
		p := c.Routes[i].Points
		end, top := p[len(p)-1], c.Centres[e.To].Y-g.Nodes[e.To].H/2
		if !c.Routes[i].Back && math.Abs(end.X-c.Centres[e.To].X) < straight && math.Abs(end.Y-top) < 3 {
			arriving[e.To] = append(arriving[e.To], i)
		}
	}
	for n, edges := range arriving {
		if len(edges) < 2 {
			continue
		}
		from := func(k int) float64 { return approach(c.Routes[k].Points) - c.Centres[n].X }
		slices.SortStableFunc(edges, func(a, b int) int { return cmp.Compare(from(a), from(b)) })
		zero := float64(len(edges)-1) / 2
		for i, k := range edges {
			if math.Abs(from(k)) < straight {
				zero = float64(i)
				break
			}
		}
		gap := min(step, g.Nodes[n].W*.5/float64(len(edges)))
		for i, k := range edges {
			shiftEnd(c.Routes[k].Points, path.Point{X: (float64(i) - zero) * gap})
		}
	}
}

// approach is the x from which an edge comes to its head.
func approach(points []path.Point) float64 {
	end := points[len(points)-1]
	for i := len(points) - 2; i >= 0; i-- {
		if end.Dist(points[i]) > 28 {
			return points[i].X
		}
	}
	return points[0].X
}

// stack sets several ways back that meet at one side below each other, each with its own offset: the widest loop on the
// outside.
func stack(g Graph, c *Chart) {
	const step = 9.0
	ends, starts := make([][]int, len(g.Nodes)), make([][]int, len(g.Nodes))
	for i, e := range g.Edges {
		if c.Routes[i].Back && e.From != e.To {
			ends[e.To], starts[e.From] = append(ends[e.To], i), append(starts[e.From], i)
		}
	}
	span := func(k int) float64 { p := c.Routes[k].Points; return p[0].Dist(p[len(p)-1]) }
	for n := range g.Nodes {
		for _, at := range []struct {
			edges []int
			sign  float64
		}{{ends[n], -1}, {starts[n], 1}} {
			if len(at.edges) < 2 {
				continue
			}
			slices.SortStableFunc(at.edges, func(a, b int) int { return cmp.Compare(span(a), span(b)) })
			for i, k := range at.edges {
				by := path.Point{Y: at.sign * (float64(i) - float64(len(at.edges)-1)/2) * min(step, g.Nodes[n].H*.5/float64(len(at.edges)))}
				points := c.Routes[k].Points
				if at.sign > 0 {
					slices.Reverse(points)
					shiftEnd(points, by)
					slices.Reverse(points)
				} else {
					shiftEnd(points, by)
				}
			}
		}
	}
}

// shiftEnd moves a curve's end, and bends what leads there.
func shiftEnd(points []path.Point, by path.Point) {
	n := len(points)
	points[n-1] = points[n-1].Add(by)
	points[n-2] = points[n-2].Add(by)
	points[n-3] = points[n-3].Add(by.Mul(.6))
}

func outlineAt(n Node, centre path.Point) []path.Point {
	border := n.Outline
	if border == nil {
		border = []path.Point{{X: -n.W / 2, Y: -n.H / 2}, {X: n.W / 2, Y: -n.H / 2}, {X: n.W / 2, Y: n.H / 2}, {X: -n.W / 2, Y: n.H / 2}}
	}
	out := make([]path.Point, len(border))
	for i, p := range border {
		out[i] = p.Add(centre)
	}
	return out
}

// trim moves the end of a curve, on along its direction or back, to where it meets the outline.
func trim(points, outline []path.Point) {
	const before, beyond, step = 24.0, 60.0, .5
	n := len(points)
	end := points[n-1]
	dir := direct(points)
	for d := -before; d < beyond; d += step {
		if !path.Inside(end.Add(dir.Mul(d)), outline) {
			continue
		}
		lo, hi := d-step, d
		for hi-lo > .01 {
			if mid := (lo + hi) / 2; path.Inside(end.Add(dir.Mul(mid)), outline) {
				hi = mid
			} else {
				lo = mid
			}
		}
		by := dir.Mul(lo)
		points[n-1], points[n-2] = end.Add(by), points[n-2].Add(by)
		return
	}
	points[n-1] = path.Nearest(end, outline) // the curve passes by: end it where it comes nearest
}

// direct is the direction in which a curve arrives.
func direct(points []path.Point) path.Point {
	end := points[len(points)-1]
	for i := len(points) - 2; i >= 0; i-- {
		if end.Dist(points[i]) > .01 {
			return end.Sub(points[i]).Unit()
		}
	}
	return path.Point{Y: 1}
}

// frameIn moves everything so that the chart starts at 0, 0 and W, H hold it all.
func frameIn(g Graph, c *Chart) {
	lo, hi := path.Point{X: math.Inf(1), Y: math.Inf(1)}, path.Point{X: math.Inf(-1), Y: math.Inf(-1)}
	cover := func(p path.Point, w, h float64) {
		lo = path.Point{X: min(lo.X, p.X-w/2), Y: min(lo.Y, p.Y-h/2)}
		hi = path.Point{X: max(hi.X, p.X+w/2), Y: max(hi.Y, p.Y+h/2)}
	}
	for i, n := range g.Nodes {
		cover(c.Centres[i], n.W, n.H)
	}
	for i, e := range g.Edges {
		r := c.Routes[i]
		for j := 0; j+3 < len(r.Points); j += 3 {
			for t := .125; t <= 1; t += .125 {
				cover(path.Bezier(r.Points[j], r.Points[j+1], r.Points[j+2], r.Points[j+3], t), 0, 0)
			}
		}
		if e.Label > 0 {
			cover(r.Label, e.Label, 0)
		}
	}
	for i := range c.Centres {
		c.Centres[i] = c.Centres[i].Sub(lo)
	}
	for _, r := range c.Routes {
		for j := range r.Points {
			r.Points[j] = r.Points[j].Sub(lo)
		}
	}
	for i := range c.Routes {
		c.Routes[i].Label = c.Routes[i].Label.Sub(lo)
	}
	c.W, c.H = hi.X-lo.X, hi.Y-lo.Y
}
