package layout

import (
	"cmp"
	"math"
	"slices"

	"sluice/render/path"
)

// fan sets edges that arrive near the middle of the same top (end 1), or leave near the middle of the same foot (end -1),
// side by side. The one straight in line stays; the others turn in from their side.
func fan(g Graph, c *Chart, end float64) {
	const step = 13.0
	o := newObstacles(g, c)
	for n, edges := range meeting(g, c, end) {
		from := func(k int) float64 { return approach(inward(c.Routes[k].Points, end)) }
		slices.SortStableFunc(edges, func(a, b int) int { return cmp.Compare(from(a), from(b)) })
		zero, x := float64(len(edges)-1)/2, c.Centres[n].X
		for i, k := range edges {
			if p := inward(c.Routes[k].Points, end); straightDown(p, p[len(p)-1]) {
				zero, x = float64(i), p[len(p)-1].X
				break
			}
		}
		gap := min(step, g.Nodes[n].W*.5/float64(max(len(edges), 1)))
		for i, k := range edges {
			old, target := c.Routes[k].Points, path.Point{X: x + (float64(i)-zero)*gap, Y: c.Centres[n].Y*end - g.Nodes[n].H/2}
			turned := inward(turnIn(inward(old, end), target), end)
			if o.hits(path.Evenly(turned, 4), g.Edges[k], 3) <= o.hits(path.Evenly(old, 4), g.Edges[k], 3) {
				c.Routes[k].Points = turned
			}
		}
	}
}

// meeting lists, for every node, the edges that share the middle of its top or foot.
func meeting(g Graph, c *Chart, end float64) [][]int {
	out := make([][]int, len(g.Nodes))
	for i, e := range g.Edges {
		n := e.To
		if end < 0 {
			n = e.From
		}
		p := inward(c.Routes[i].Points, end)
		last, edge := p[len(p)-1], c.Centres[n].Y*end-g.Nodes[n].H/2
		if !c.Routes[i].Back && math.Abs(last.X-c.Centres[n].X) < sway+1 && math.Abs(last.Y-edge) < 3 {
			out[n] = append(out[n], i)
		}
	}
	return out
}

// inward is a route as seen by the end that is looked at: it arrives from above. Its own inverse.
func inward(points []path.Point, end float64) []path.Point {
	if end > 0 {
		return points
	}
	out := make([]path.Point, len(points))
	for i, p := range points {
		out[len(points)-1-i] = path.Point{X: p.X, Y: -p.Y}
	}
	return out
}

// approach is the x from which an edge comes to its end.
func approach(points []path.Point) float64 {
	end := points[len(points)-1]
	way := path.Sample(points, 8)
	for _, p := range slices.Backward(way) {
		if math.Abs(p.X-end.X) > 12 {
			return p.X
		}
	}
	return way[0].X
}

// turnIn leads the last piece of a route to target anew: one smooth turn that arrives from above, wide where there is
// room for it.
func turnIn(points []path.Point, target path.Point) []path.Point {
	if straightDown(points, target) {
		return points
	}
	for _, turn := range []struct{ above, far float64 }{{36, 75}, {19, 170}} {
		if out, ok := turnFrom(points, target, turn.above, turn.far); ok {
			return out
		}
	}
	return points
}

// turnFrom turns from the last point of the route that is well above the target, unless that is too far away.
func turnFrom(points []path.Point, target path.Point, above, far float64) ([]path.Point, bool) {
	const beside = 13.0
	for i := len(points) - 4; i >= 0; i -= 3 {
		for k := 15; k >= 0; k-- {
			t := float64(k) / 16
			p := path.Bezier(points[i], points[i+1], points[i+2], points[i+3], t)
			if p.Dist(target) > far {
				return nil, false
			}
			if target.Y-p.Y < above || math.Abs(p.X-target.X) < beside && target.Y-p.Y < 2*above {
				continue
			}
			head := cutAt(points[:i+4], t)
			tangent := target.Sub(p).Unit()
			if len(head) > 1 {
				tangent = direct(head)
			}
			way := p.Dist(target)
			rise := min(max((target.Y-p.Y)*.75, 10), way*.6)
			return append(head, p.Add(tangent.Mul(way*.4)), path.Point{X: target.X, Y: target.Y - rise}, target), true
		}
	}
	return nil, false
}

func straightDown(points []path.Point, target path.Point) bool {
	n := len(points)
	for _, p := range points[n-4:] {
		if math.Abs(p.X-target.X) > 1.5 {
			return false
		}
	}
	return true
}

// cutAt is the part of a route before share t of its last piece.
func cutAt(points []path.Point, t float64) []path.Point {
	n := len(points) - 4
	out := slices.Clone(points[:n+1])
	if t == 0 {
		return out
	}
	a, b, c, d := points[n], points[n+1], points[n+2], points[n+3]
	return append(out, a.Lerp(b, t), a.Lerp(b, t).Lerp(b.Lerp(c, t), t), path.Bezier(a, b, c, d, t))
}

// sweep replaces the way of an edge that arrives at a head by a single curve, or one round corner, where that is free of
// nodes.
func sweep(g Graph, c *Chart) {
	const air = 4.0
	o := newObstacles(g, c)
	for i, e := range g.Edges {
		r := &c.Routes[i]
		if head := c.Centres[e.To].Y - g.Nodes[e.To].H/2; r.Back || math.Abs(r.Points[len(r.Points)-1].Y-head) > 3 {
			continue
		}
		ways := slices.Concat(sweepsFromFoot(g, c, i), sweepsFromSide(g, c, i))
		if len(ways) == 0 {
			continue
		}
		old := path.Evenly(r.Points, 4)
		hits, near := o.hits(old, e, air), o.near(old, i)
		for _, way := range ways {
			if now := path.Evenly(way, 4); o.hits(now, e, air) > hits || o.near(now, i) > near {
				continue
			}
			r.Points = way
			if e.Label > 0 {
				r.Label = o.labelPlace(Route{Points: way, Label: middle(way)}, e.Label)
			}
			o.routes[i] = laneOf(way)
			break
		}
	}
}

// highest is over how many pixels downwards one curve still looks led and not thrown.
const highest = 320.0

// sweepsFromFoot are the curves worth trying for an edge that leaves by the foot.
func sweepsFromFoot(g Graph, c *Chart, i int) [][]path.Point {
	n, centre, points := g.Nodes[g.Edges[i].From], c.Centres[g.Edges[i].From], c.Routes[i].Points
	from, to := points[0], points[len(points)-1]
	rise := to.Y - from.Y
	switch {
	case math.Abs(from.Y-centre.Y-n.H/2) > 3, math.Abs(from.X-centre.X) > n.W*.3, rise < 12, rise > highest,
		len(points) == 4 && straightDown(points, to):
		return nil
	}
	bend := rise * .55
	return [][]path.Point{{from, {X: from.X, Y: from.Y + bend}, {X: to.X, Y: to.Y - bend}, to}}
}

// sweepsFromSide are those for one that leaves by a corner or the middle of a side: a quarter turn, else one round corner.
// Where it leads back under its node, it bulges.
func sweepsFromSide(g Graph, c *Chart, i int) [][]path.Point {
	const least, bulge = 30.0, 62.0
	n, centre, points := g.Nodes[g.Edges[i].From], c.Centres[g.Edges[i].From], c.Routes[i].Points
	from, to := points[0], points[len(points)-1]
	rise, side := to.Y-from.Y, math.Copysign(1, from.X-centre.X)
	if math.Abs(from.Y-centre.Y) > 3 || math.Abs(from.X-centre.X) < n.W*.4 || rise < n.H/2+20 {
		return nil
	}
	away := (to.X - from.X) * side
	if away < least {
		if away < -.8*n.W || rise > highest {
			return nil
		}
		out := from.X + side*max(bulge, bulge+away)
		return [][]path.Point{{from, {X: out + side*8, Y: from.Y + 4}, {X: to.X, Y: to.Y - rise*.62}, to}}
	}
	var ways [][]path.Point
	if rise <= highest {
		ways = append(ways, []path.Point{from, {X: from.X + side*away*.72, Y: from.Y}, {X: to.X, Y: to.Y - rise*.6}, to})
	}
	return append(ways, elbow(26, from, path.Point{X: to.X, Y: from.Y}, to))
}
