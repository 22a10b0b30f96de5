package layout

import (
	"cmp"
	"math"
	"slices"

	"sluice/render/path"
)

// loopBack leads the ways back anew: short ones in an arc, long ones by a lane with round corners, all at the right and
// each with its own offset. Where neither is free of nodes, Graphviz' way stays.
func loopBack(g Graph, c *Chart) {
	var loops []int
	for i, e := range g.Edges {
		if c.Routes[i].Back && e.From != e.To && c.Centres[e.From].Y > c.Centres[e.To].Y {
			loops = append(loops, i)
		}
	}
	rise := func(k int) float64 { return c.Centres[g.Edges[k].From].Y - c.Centres[g.Edges[k].To].Y }
	slices.SortStableFunc(loops, func(a, b int) int { return cmp.Compare(rise(a), rise(b)) })
	doors := sideDoors(g, c, loops)
	o := newObstacles(g, c)
	for i, k := range loops { // the short ones first: they get the inner places
		e := g.Edges[k]
		best, cost, found := c.Routes[k], o.cost(g, k, c.Routes[k])+25, false
		for _, r := range loopsFor(c, doors[i], rise(k)) {
			if q := o.cost(g, k, r); q < cost {
				best, cost, found = r, q, true
			} else if found && q > cost+60 {
				break // further out it only gets longer
			}
		}
		best.Back = true
		if e.Label > 0 {
			best.Label = o.labelPlace(best, e.Label)
			o.labels = append(o.labels, area{best.Label.X - e.Label/2, best.Label.Y - 8, best.Label.X + e.Label/2, best.Label.Y + 8})
		}
		c.Routes[k] = best
		o.routes[k] = laneOf(best.Points)
	}
}

// door is where a loop leaves its tail and arrives at its head.
type door struct{ from, to path.Point }

// sideDoors spreads the doors along the right sides. From the top: the loops that leave, the shortest first, then those
// that arrive, the longest first; so no two cross at the node.
func sideDoors(g Graph, c *Chart, loops []int) []door {
	const step = 10.0
	doors := make([]door, len(loops))
	for n := range g.Nodes {
		var at []*path.Point
		for i, k := range loops {
			if g.Edges[k].From == n {
				at = append(at, &doors[i].from)
			}
		}
		for i, k := range slices.Backward(loops) {
			if g.Edges[k].To == n {
				at = append(at, &doors[i].to)
			}
		}
		gap := min(step, g.Nodes[n].H*.6/float64(max(len(at), 1)))
		for i, p := range at {
			*p = path.Point{X: c.Centres[n].X + g.Nodes[n].W/2, Y: c.Centres[n].Y + (float64(i)-float64(len(at)-1)/2)*gap}
		}
	}
	return doors
}

// loopsFor are the ways worth trying between two doors.
func loopsFor(c *Chart, d door, rise float64) []Route {
	const arcRise = 190.0
	var out []Route
	inner := max(d.from.X, d.to.X)
	first := 18.0
	if rise < arcRise {
		first = max(first, rise*.24) // a flatter arc would have to hook into the node
	}
	const tries = 90 // enough to find a free lane, and a bound where there is none
	for x := inner + first; x < c.W+70; x += max(9, (c.W+70-inner)/tries) {
		var points []path.Point
		if rise < arcRise {
			far := inner + (x-inner)*4/3 // the controls of an arc that reaches x
			points = []path.Point{d.from, {X: far, Y: d.from.Y}, {X: far, Y: d.to.Y}, d.to}
		} else {
			points = elbow(16, d.from, path.Point{X: x, Y: d.from.Y}, path.Point{X: x, Y: d.to.Y}, d.to)
		}
		out = append(out, Route{Points: points, Label: path.Point{X: x, Y: (d.from.Y + d.to.Y) / 2}})
	}
	return out
}

// obstacles is what a way should keep clear of.
type obstacles struct {
	boxes  []area
	routes []lane
	labels []area // of the ways back led so far
}

type area struct{ left, top, right, bottom float64 }

func (a area) holds(p path.Point, air float64) bool {
	return p.X > a.left-air && p.X < a.right+air && p.Y > a.top-air && p.Y < a.bottom+air
}

func newObstacles(g Graph, c *Chart) *obstacles {
	o := &obstacles{}
	for i, n := range g.Nodes {
		p := c.Centres[i]
		o.boxes = append(o.boxes, area{p.X - n.W/2, p.Y - n.H/2, p.X + n.W/2, p.Y + n.H/2})
	}
	for _, r := range c.Routes {
		o.routes = append(o.routes, laneOf(r.Points))
	}
	return o
}

// cost judges a way for edge k: running through nodes is worst, then having no room for its label, then running along or
// across other edges and their labels; then it should be short.
func (o *obstacles) cost(g Graph, k int, r Route) float64 {
	const air, step = 9.0, 4.0
	e := g.Edges[k]
	way := path.Evenly(r.Points, step)
	total := .12*step*float64(len(way)) + 2000*float64(o.hits(way, e, 1))
	if total > 2000 {
		return total
	}
	total += 30*float64(o.hits(way, e, air)) + 6*float64(o.near(way, k))
	for _, p := range way {
		for _, l := range o.labels {
			if l.holds(p, 3) {
				total += 12
			}
		}
	}
	if e.Label > 0 && !o.free(o.labelPlace(r, e.Label), e.Label) {
		total += 400
	}
	return total
}

// hits counts the points of edge e's way that come nearer to a node than air. Its own nodes may be as
// near as its ends are.
func (o *obstacles) hits(way []path.Point, e Edge, air float64) int {
	n := 0
	for i, p := range way {
		for j, b := range o.boxes {
			if j == e.From || j == e.To {
				if i > 2 && i < len(way)-3 && b.holds(p, -1) {
					n++
				}
			} else if b.holds(p, air) {
				n++
			}
		}
	}
	return n
}

// near counts the points of edge k's way that run along or across other edges. Edges that part or meet at a node do so
// without being counted.
func (o *obstacles) near(way []path.Point, k int) int {
	const far, ends = 5.0, 4
	if len(way) <= 2*ends {
		return 0
	}
	n := 0
	for j, other := range o.routes {
		if j != k {
			n += other.touches(way[ends:len(way)-ends], far)
		}
	}
	return n
}

// lane is a route as points on it, and the area that they take.
type lane struct {
	points []path.Point
	area   area
}

func laneOf(curve []path.Point) lane {
	l := lane{points: path.Sample(curve, 10), area: area{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}}
	for _, p := range l.points {
		l.area = area{min(l.area.left, p.X), min(l.area.top, p.Y), max(l.area.right, p.X), max(l.area.bottom, p.Y)}
	}
	return l
}

// touches counts the points of a way that come near to a lane.
func (l lane) touches(way []path.Point, near float64) int {
	n := 0
	for _, p := range way {
		if !l.area.holds(p, near) {
			continue
		}
		for i := 1; i < len(l.points); i++ {
			if squareDistance(p, l.points[i-1], l.points[i]) < near*near {
				n++
				break
			}
		}
	}
	return n
}

// squareDistance is the square of p's distance from the segment a to b.
func squareDistance(p, a, b path.Point) float64 {
	ab, ap := b.Sub(a), p.Sub(a)
	if l := ab.X*ab.X + ab.Y*ab.Y; l > 0 {
		t := min(max((ap.X*ab.X+ap.Y*ab.Y)/l, 0), 1)
		ap = ap.Sub(ab.Mul(t))
	}
	return ap.X*ap.X + ap.Y*ap.Y
}

// labelPlace is the place on a way that is nearest to where its label should be: a free one if there is one.
func (o *obstacles) labelPlace(r Route, width float64) path.Point {
	const taken = 1e4
	best, cost := r.Label, math.Inf(1)
	for p := range path.Outward(path.Evenly(r.Points, 6), r.Label) {
		c := p.Dist(r.Label)
		if c < cost && !o.free(p, width) {
			c += taken
		}
		if c < cost {
			best, cost = p, c
		}
	}
	return best
}

func (o *obstacles) free(p path.Point, width float64) bool {
	const half, air = 8.0, 5.0
	for _, b := range o.boxes {
		if p.X+width/2+air > b.left && p.X-width/2-air < b.right && p.Y+half+air > b.top && p.Y-half-air < b.bottom {
			return false
		}
	}
	return true
}
