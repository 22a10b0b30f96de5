package layout

import (
	"math"
	"slices"

	"sluice/render/path"
)

// finish makes a layout ready to draw: nearly straight edges straight, ways back in clean loops, edges that meet beside
// each other instead of on each other, every end on the outline of its node, everything within the chart's size.
func finish(g Graph, c *Chart) *Chart {
	if c.By == "graphviz" {
		straighten(g, c)
		fan(g, c, 1)
		fan(g, c, -1)
		sweep(g, c)
		if !g.tangled() {
			loopBack(g, c)
		}
	}
	for i, e := range g.Edges {
		points := c.Routes[i].Points
		trim(points, outlineAt(g.Nodes[e.To], c.Centres[e.To]))
		slices.Reverse(points)
		trim(points, outlineAt(g.Nodes[e.From], c.Centres[e.From]))
		slices.Reverse(points)
	}
	if c.By == "graphviz" {
		placeLabels(g, c)
	}
	frameIn(g, c)
	return c
}

// placeLabels puts every label on its route, near the room kept for it and free of nodes.
func placeLabels(g Graph, c *Chart) {
	o := newObstacles(g, c)
	for i, e := range g.Edges {
		if r := &c.Routes[i]; e.Label > 0 {
			r.Label = o.labelPlace(*r, e.Label)
		} else {
			r.Label = middle(r.Points)
		}
	}
}

// sway is by how many pixels an edge may miss a vertical line and still be made one.
const sway = 18.0

// straighten turns an edge that sways a little into a vertical line.
func straighten(g Graph, c *Chart) {
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
	end, dir := points[n-1], direct(points)
	at := func(d float64) bool { return path.Inside(end.Add(dir.Mul(d)), outline) }
	d := -before
	for d > -4*before && at(d) { // the curve ends deep inside
		d -= step
	}
	for d < beyond && !at(d) {
		d += step
	}
	lo, hi := d-step, d
	if at(lo) || !at(hi) { // the curve passes by: end it where it comes nearest
		points[n-1] = path.Nearest(end, outline)
		return
	}
	for hi-lo > .01 {
		if mid := (lo + hi) / 2; at(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	by := dir.Mul(lo)
	points[n-1], points[n-2] = end.Add(by), points[n-2].Add(by)
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
		for _, p := range path.Sample(c.Routes[i].Points, 24) {
			cover(p, 0, 0)
		}
		if e.Label > 0 {
			cover(c.Routes[i].Label, e.Label, 0)
		}
	}
	for i := range c.Centres {
		c.Centres[i] = c.Centres[i].Sub(lo)
	}
	for i := range c.Routes {
		r := &c.Routes[i]
		for j := range r.Points {
			r.Points[j] = r.Points[j].Sub(lo)
		}
		r.Label = r.Label.Sub(lo)
	}
	c.W, c.H = hi.X-lo.X, hi.Y-lo.Y
}
