package layout

import (
	"cmp"
	"slices"

	"sluice/render/path"
)

// The stack: one node below the other, each branch whole before the next, and every edge that does not lead to the node below
// in a lane at the left or the right. It is as wide as one node and its lanes, whatever the graph, and takes time in
// proportion to nodes and edges.
const (
	stackGap  = 30.0 // between two nodes
	labelRoom = 24.0 // more, where a label stands on the way between them
	trackRoom = 23.0 // more, for every edge that arrives between them from a lane
	laneGap   = 12.0
	laneStart = 16.0 // from the widest node to the first lane
	laneMost  = 64   // the edges that find no free lane share the last one
	asideGap  = 16.0 // from the widest node to an ending beside it
	asideStep = 18.0 // between two edges that arrive at such an ending
)

// stacked is a stack in the making.
type stacked struct {
	g      Graph
	back   []bool
	order  []int // the nodes from top to bottom
	row    []int // of the nodes
	trunks []*trunk
	of     []*trunk  // of the edges, nil for one that leads straight down
	track  []float64 // of the edges with a label in a lane: the y at which it turns to its head
	chart  *Chart
	half   float64   // of the widest node
	beside [][]int   // of the nodes: the edges to endings beside the column, at most two
	aside  []bool    // of the edges: leads to such an ending
	inset  []float64 // of the edges to such an ending: how far from its middle they arrive
}

// trunk is what runs in one lane: an edge, or several without a label that leave one node or arrive at one.
type trunk struct {
	edges    []int
	top, low float64
	right    bool
	lane     int
}

// stack places the nodes of a graph in one column, at most width wide as long as lanes can still be told apart. With aside,
// small endings may stand at the right of it.
func stack(g Graph, back []bool, width float64, aside bool) *Chart {
	s := &stacked{g: g, back: back, order: stackOrder(g, back), of: make([]*trunk, len(g.Edges)), track: make([]float64, len(g.Edges))}
	s.chart = &Chart{By: "stack", Centres: make([]path.Point, len(g.Nodes)), Routes: make([]Route, len(g.Edges))}
	s.row, s.beside = make([]int, len(g.Nodes)), make([][]int, len(g.Nodes))
	s.aside, s.inset = make([]bool, len(g.Edges)), make([]float64, len(g.Edges))
	s.number()
	if aside {
		s.setAside()
	}
	for _, n := range s.order {
		s.half = max(s.half, g.Nodes[n].W/2)
	}
	s.bundle()
	s.place()
	lanes := s.assign()
	gap := laneGap
	if room := width/2 - s.half - laneStart; lanes > 1 {
		gap = max(3, min(gap, room/float64(lanes-1)))
	}
	for i := range g.Edges {
		s.route(i, gap)
	}
	return s.chart
}

// stackOrder lists the nodes so that forward edges lead down and a branch is whole before the next begins. An ending beside the
// way comes before what its siblings lead to.
func stackOrder(g Graph, back []bool) []int {
	waits, out := make([]int, len(g.Nodes)), outgoing(g)
	for i, e := range g.Edges {
		if !back[i] {
			waits[e.To]++
		}
	}
	var ready, order []int
	for n := len(g.Nodes) - 1; n >= 0; n-- {
		if waits[n] == 0 {
			ready = append(ready, n)
		}
	}
	for len(ready) > 0 {
		n := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		order = append(order, n)
		for _, leaf := range []bool{false, true} {
			for _, k := range slices.Backward(out[n]) {
				to := g.Edges[k].To
				if back[k] || leaf != (g.Nodes[to].Beside && len(out[to]) == 0) {
					continue
				}
				if waits[to]--; waits[to] == 0 {
					ready = append(ready, to)
				}
			}
		}
	}
	return order
}

// number gives the nodes their rows.
func (s *stacked) number() {
	for row, n := range s.order {
		s.row[n] = row
	}
}

// straight tells whether an edge leads to the node below.
func (s *stacked) straight(i int) bool {
	e := s.g.Edges[i]
	return s.row[e.To] == s.row[e.From]+1
}

// bundle gives every edge that does not lead straight down its trunk. Edges without a label that leave one node share one, else
// those that arrive at one node.
func (s *stacked) bundle() {
	bare := func(i int) bool { return !s.back[i] && !s.g.Edges[i].Aside && s.g.Edges[i].Label == 0 }
	leaving, arriving := map[int]int{}, map[int]int{}
	for i, e := range s.g.Edges {
		if bare(i) && !s.straight(i) {
			leaving[e.From]++
			arriving[e.To]++
		}
	}
	type end struct {
		node int
		head bool
	}
	shared, seen := map[end]*trunk{}, map[[2]int]bool{}
	for i, e := range s.g.Edges {
		pair := [2]int{e.From, e.To}
		if s.aside[i] {
			continue
		}
		if s.straight(i) && !seen[pair] {
			seen[pair] = true
			continue
		}
		key, t := end{e.From, false}, &trunk{right: s.back[i]}
		if leaving[e.From] < 2 {
			key, t.right = end{e.To, true}, true
		}
		switch {
		case !bare(i):
			t.right = s.back[i]
		case shared[key] != nil:
			t = shared[key]
		default:
			shared[key] = t
		}
		if len(t.edges) == 0 {
			s.trunks = append(s.trunks, t)
		}
		t.edges = append(t.edges, i)
		s.of[i] = t
	}
}

// place stacks the nodes, with room between them for labels and for what arrives there.
func (s *stacked) place() {
	label, tracks := make([]bool, len(s.order)), make([][]int, len(s.order)) // above the node of a row
	for i, e := range s.g.Edges {
		switch {
		case e.Label == 0 || s.aside[i]:
		case s.of[i] == nil:
			label[s.row[e.To]] = true
		default:
			tracks[s.row[e.To]] = append(tracks[s.row[e.To]], i)
		}
	}
	y, low := 0.0, 0.0 // the foot of the last node, and of the last ending beside one
	for row, n := range s.order {
		if row > 0 {
			y += stackGap - 14
		}
		if label[row] {
			y += labelRoom
		}
		for _, i := range tracks[row] {
			s.track[i] = y + trackRoom/2 - 3
			y += trackRoom
		}
		if row > 0 || len(tracks[row]) > 0 {
			y += 14
		}
		if len(s.beside[n]) > 0 {
			y = max(y, low-s.g.Nodes[n].H/2+8)
			low = s.placeAside(n, y+s.g.Nodes[n].H/2, low)
		}
		s.chart.Centres[n] = path.Point{Y: y + s.g.Nodes[n].H/2}
		y += s.g.Nodes[n].H
	}
}

// assign puts the trunks into lanes, the short ones inside, on the side that has the freer lane where either will do. It
// returns how many lanes the fuller side has.
func (s *stacked) assign() int {
	for _, t := range s.trunks {
		for j, i := range t.edges {
			from, to := s.leaves(i).Y, s.arrives(i).Y
			if j == 0 {
				t.top, t.low = from, from
			}
			t.top, t.low = min(t.top, from, to), max(t.low, from, to)
		}
	}
	slices.SortStableFunc(s.trunks, func(a, b *trunk) int { return cmp.Compare(a.low-a.top, b.low-b.top) })
	var left, right lanes
	for _, t := range s.trunks {
		i := t.edges[0]
		if s.g.Edges[i].Label > 0 && !s.back[i] {
			t.right = right.free(t) < left.free(t)
		}
		t.right = t.right && (s.back[i] || !s.taken(t))
		side := &left
		if t.right {
			side = &right
		}
		t.lane = side.free(t)
		side.take(t)
	}
	return max(len(left), len(right))
}

// lanes are the trunks in the lanes of one side, those of a lane from top to bottom.
type lanes [][]*trunk

// free is the first lane with room for a trunk, or the last one there may be.
func (l lanes) free(t *trunk) int {
	const air = 10.0
	for k, lane := range l {
		at, _ := slices.BinarySearchFunc(lane, t.low+air, func(o *trunk, y float64) int { return cmp.Compare(o.top, y) })
		if at == 0 || lane[at-1].low < t.top-air {
			return k
		}
	}
	return min(len(l), laneMost-1)
}

func (l *lanes) take(t *trunk) {
	if t.lane == len(*l) {
		*l = append(*l, nil)
	}
	lane := &(*l)[t.lane]
	at, _ := slices.BinarySearchFunc(*lane, t.top, func(o *trunk, y float64) int { return cmp.Compare(o.top, y) })
	*lane = slices.Insert(*lane, at, t)
}

// leaves is where an edge in a lane leaves its node: the middle of the height, a little lower where others arrive.
func (s *stacked) leaves(i int) path.Point {
	e := s.g.Edges[i]
	p := s.chart.Centres[e.From]
	if !s.g.Nodes[e.From].Corners {
		p.Y += min(8, s.g.Nodes[e.From].H*.2)
	}
	return p
}

// arrives is where an edge in a lane turns to its node: above it if it has a label, which then stands there, else at its side.
func (s *stacked) arrives(i int) path.Point {
	e := s.g.Edges[i]
	p := s.chart.Centres[e.To]
	if s.track[i] != 0 {
		return path.Point{X: p.X, Y: s.track[i]}
	}
	p.Y -= min(8, s.g.Nodes[e.To].H*.2)
	return p
}

// route leads one edge.
func (s *stacked) route(i int, gap float64) {
	e, r := s.g.Edges[i], &s.chart.Routes[i]
	from, to := s.chart.Centres[e.From], s.chart.Centres[e.To]
	r.Back = s.back[i]
	t := s.of[i]
	if s.aside[i] {
		s.routeAside(i)
		return
	}
	if t == nil {
		a, b := from.Add(path.Point{Y: s.g.Nodes[e.From].H / 2}), to.Sub(path.Point{Y: s.g.Nodes[e.To].H / 2})
		r.Points = elbow(0, a, b)
		r.Label = path.Point{X: a.X, Y: a.Y + labelRoom/2 + 1}
		return
	}
	sign := -1.0
	if t.right {
		sign = 1
	}
	x := sign * (s.half + laneStart + gap*float64(t.lane))
	out, in := s.leaves(i), s.arrives(i)
	a := path.Point{X: from.X + sign*s.g.Nodes[e.From].W/2, Y: out.Y}
	corners := []path.Point{a, {X: x, Y: out.Y}, {X: x, Y: in.Y}}
	if s.track[i] != 0 {
		beside := sign * min(18, s.g.Nodes[e.To].W*.2)
		corners = append(corners, path.Point{X: beside, Y: in.Y}, path.Point{X: beside, Y: to.Y - s.g.Nodes[e.To].H/2})
		r.Label = path.Point{X: beside + sign*(e.Label/2+8), Y: in.Y}
	} else {
		corners = append(corners, path.Point{X: to.X + sign*s.g.Nodes[e.To].W/2, Y: in.Y})
		r.Label = path.Point{X: x, Y: (out.Y + in.Y) / 2}
	}
	r.Points = elbow(9, corners...)
}

// elbow is a line through corners, rounded by up to radius, as Bézier points.
func elbow(radius float64, corners ...path.Point) []path.Point {
	out := []path.Point{corners[0]}
	straight := func(to path.Point) {
		from := out[len(out)-1]
		out = append(out, from.Lerp(to, 1.0/3), from.Lerp(to, 2.0/3), to)
	}
	for i := 1; i < len(corners)-1; i++ {
		a, c, b := corners[i-1], corners[i], corners[i+1]
		k := min(radius, a.Dist(c)/2, c.Dist(b)/2)
		s, e := c.Add(a.Sub(c).Unit().Mul(k)), c.Add(b.Sub(c).Unit().Mul(k))
		straight(s)
		out = append(out, s.Lerp(c, .552), e.Lerp(c, .552), e)
	}
	straight(corners[len(corners)-1])
	return out
}
