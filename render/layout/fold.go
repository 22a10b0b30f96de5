package layout

import (
	"context"
	"math"
	"slices"

	"sluice/render/path"
)

const (
	gutter   = 50.0 // between two columns
	linkRoom = 22.0 // below the first and above the second end of a link between columns
)

// cut is an edge that is the only link between its two sides, and the nodes on its far side.
type cut struct {
	edge int
	far  []bool
	size int
	y    float64 // where the upright layout crosses it
}

// columns finds the fold that score likes best, cut out of the upright layout without laying anything out again. It
// returns nil where none draws cleanly.
func columns(g Graph, cuts []cut, upright *Chart, count int, score func(*Chart) float64) (*Chart, []cut) {
	var best *Chart
	var by []cut
	for _, chosen := range choices(cuts, count, upright.H) {
		c := fold(g, chosen, func(part column) *Chart { return upright.cutOut(part) })
		if c != nil && (best == nil || score(c) > score(best)) {
			best, by = c, chosen
		}
	}
	return best, by
}

// refold lays out every column of a fold by itself, which straightens what the others had pushed aside.
func refold(ctx context.Context, g Graph, back []bool, cuts []cut) (*Chart, error) {
	var failed error
	c := fold(g, cuts, func(part column) *Chart {
		if failed != nil {
			return &Chart{}
		}
		own := make([]bool, len(part.edges))
		for i, k := range part.edges {
			own[i] = back[k]
		}
		chart, err := graphvizLayout(ctx, part.graph, own, down)
		if err != nil {
			failed = err
			return &Chart{}
		}
		return chart
	})
	return c, failed
}

// upstanding tells whether the columns of a fold stand straight as they were cut out: every node has one below it to which
// it leads, where it leads on within its column at all. Laying them out again would change little and costs as much as the
// whole chart.
func upstanding(g Graph, back []bool, c *Chart) bool {
	leads, straight := make([]bool, len(g.Nodes)), make([]bool, len(g.Nodes))
	for i, e := range g.Edges {
		if back[i] || c.column[e.From] != c.column[e.To] {
			continue
		}
		leads[e.From] = true
		if math.Abs(c.Centres[e.From].X-c.Centres[e.To].X) <= sway {
			straight[e.From] = true
		}
	}
	return slices.Equal(leads, straight)
}

func bridges(g Graph, back []bool, upright *Chart) []cut {
	var out []cut
	for i, e := range g.Edges {
		if back[i] || e.From == e.To {
			continue
		}
		far := side(g, e.To, i)
		if far[e.From] {
			continue
		}
		c := cut{edge: i, far: far, y: (upright.Centres[e.From].Y + upright.Centres[e.To].Y) / 2}
		for _, f := range far {
			if f {
				c.size++
			}
		}
		if c.size > 1 && c.size < len(g.Nodes)-1 {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b cut) int { return b.size - a.size })
	return out
}

// side marks every node linked with from, in either direction, without the edge skip.
func side(g Graph, from, skip int) []bool {
	near := make([][]int, len(g.Nodes))
	for i, e := range g.Edges {
		if i != skip {
			near[e.From] = append(near[e.From], e.To)
			near[e.To] = append(near[e.To], e.From)
		}
	}
	seen := make([]bool, len(g.Nodes))
	seen[from] = true
	for todo := []int{from}; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, m := range near[n] {
			if !seen[m] {
				seen[m] = true
				todo = append(todo, m)
			}
		}
	}
	return seen
}

// choices are the sets of cuts worth laying out: those that divide the height most evenly.
func choices(cuts []cut, columns int, height float64) [][]cut {
	const worth = 8
	type choice struct {
		cuts []cut
		off  float64
	}
	var all []choice
	if columns == 2 {
		for _, c := range cuts {
			all = append(all, choice{[]cut{c}, math.Abs(c.y - height/2)})
		}
	} else {
		for i, a := range cuts {
			for _, b := range cuts[i+1:] {
				if a.size > b.size && within(b.far, a.far) {
					all = append(all, choice{[]cut{a, b}, math.Abs(a.y-height/3) + math.Abs(b.y-height*2/3)})
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b choice) int {
		switch {
		case a.off < b.off:
			return -1
		case a.off > b.off:
			return 1
		}
		return 0
	})
	var out [][]cut
	for _, c := range all[:min(worth, len(all))] {
		out = append(out, c.cuts)
	}
	return out
}

func within(inner, outer []bool) bool {
	for i, in := range inner {
		if in && !outer[i] {
			return false
		}
	}
	return true
}

// column is one part of a folded graph, with the places of its nodes and edges in the whole.
type column struct {
	graph        Graph
	nodes, edges []int
}

// fold sets the parts of a graph beside each other, as lay places each. It returns nil where a link between two columns
// would run through nodes.
func fold(g Graph, cuts []cut, lay func(column) *Chart) *Chart {
	whole := &Chart{By: "graphviz", Folded: true, Centres: make([]path.Point, len(g.Nodes)), Routes: make([]Route, len(g.Edges))}
	whole.column = make([]int, len(g.Nodes))
	for i, part := range divide(g, cuts) {
		chart := lay(part)
		if len(chart.Centres) != len(part.nodes) {
			return nil
		}
		for j, n := range part.nodes {
			whole.Centres[n], whole.column[n] = chart.Centres[j].Add(path.Point{X: whole.W, Y: linkRoom}), i
		}
		for j, k := range part.edges {
			whole.Routes[k] = chart.Routes[j].moved(path.Point{X: whole.W, Y: linkRoom})
		}
		whole.W += chart.W + gutter
		whole.H = max(whole.H, chart.H+linkRoom)
	}
	whole.W -= gutter
	for _, k := range cuts {
		if crossesNodes(g, whole, k.edge) {
			return nil
		}
		e := g.Edges[k.edge]
		foot := whole.Centres[e.From].Add(path.Point{Y: g.Nodes[e.From].H / 2})
		head := whole.Centres[e.To].Sub(path.Point{Y: g.Nodes[e.To].H / 2})
		whole.Routes[k.edge] = link(foot, head, (foot.X+head.X)/2)
		whole.H = max(whole.H, foot.Y+linkRoom)
	}
	return whole
}

// cutOut is a part of a chart as a chart of its own.
func (c *Chart) cutOut(part column) *Chart {
	out := &Chart{By: c.By}
	for _, n := range part.nodes {
		out.Centres = append(out.Centres, c.Centres[n])
	}
	for _, k := range part.edges {
		out.Routes = append(out.Routes, c.Routes[k].moved(path.Point{}))
	}
	frameIn(part.graph, out)
	return out
}

// divide parts the graph: column i holds the nodes that are on the far side of exactly i cuts.
func divide(g Graph, cuts []cut) []column {
	parts := make([]column, len(cuts)+1)
	where, index := make([]int, len(g.Nodes)), make([]int, len(g.Nodes))
	for i, n := range g.Nodes {
		for _, k := range cuts {
			if k.far[i] {
				where[i]++
			}
		}
		c := &parts[where[i]]
		index[i] = len(c.nodes)
		c.graph.Nodes, c.nodes = append(c.graph.Nodes, n), append(c.nodes, i)
	}
	for i, e := range g.Edges {
		if where[e.From] != where[e.To] {
			continue
		}
		c := &parts[where[e.From]]
		e.From, e.To = index[e.From], index[e.To]
		c.graph.Edges, c.edges = append(c.graph.Edges, e), append(c.edges, i)
	}
	return parts
}

// crossesNodes tells whether a link between two columns would run through nodes below its foot or above its head.
func crossesNodes(g Graph, c *Chart, edge int) bool {
	e := g.Edges[edge]
	from, to := c.Centres[e.From], c.Centres[e.To]
	for n, p := range c.Centres {
		below := p.Y+g.Nodes[n].H/2 > from.Y+g.Nodes[e.From].H/2 && p.X+g.Nodes[n].W/2 > from.X-8
		above := p.Y-g.Nodes[n].H/2 < to.Y-g.Nodes[e.To].H/2 && p.X-g.Nodes[n].W/2 < to.X+8
		if n != e.From && c.column[n] == c.column[e.From] && below || n != e.To && c.column[n] == c.column[e.To] && above {
			return true
		}
	}
	return false
}

// link leads from a foot, up through the gutter at x, to a head in the next column.
func link(foot, head path.Point, x float64) Route {
	low, high := foot.Y+linkRoom-2, head.Y-linkRoom+2
	return Route{
		Points: elbow(13, foot, path.Point{X: foot.X, Y: low}, path.Point{X: x, Y: low},
			path.Point{X: x, Y: high}, path.Point{X: head.X, Y: high}, head),
		Label: path.Point{X: x, Y: (low + high) / 2},
	}
}

// compact moves the columns of a folded chart together, as near as what is in them allows, and leads the links between
// them through the new gutters.
func compact(g Graph, c *Chart) {
	for right := 1; right <= slices.Max(c.column); right++ {
		_, end := c.extent(g, func(column int) bool { return column < right })
		start, _ := c.extent(g, func(column int) bool { return column >= right })
		by := path.Point{X: end + gutter - start}
		for n := range c.Centres {
			if c.column[n] >= right {
				c.Centres[n] = c.Centres[n].Add(by)
			}
		}
		for i, e := range g.Edges {
			from, to := c.column[e.From], c.column[e.To]
			switch r := &c.Routes[i]; {
			case from >= right:
				*r = r.moved(by)
			case to >= right:
				*r = link(r.Points[0], r.Points[len(r.Points)-1].Add(by), end+gutter/2)
			}
		}
	}
}

// extent is the smallest and the largest x of some columns with the edges inside them.
func (c *Chart) extent(g Graph, in func(column int) bool) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	cover := func(x, half float64) { lo, hi = min(lo, x-half), max(hi, x+half) }
	for n, p := range c.Centres {
		if in(c.column[n]) {
			cover(p.X, g.Nodes[n].W/2)
		}
	}
	for i, e := range g.Edges {
		if c.column[e.From] != c.column[e.To] || !in(c.column[e.From]) {
			continue
		}
		for _, p := range path.Sample(c.Routes[i].Points, 8) {
			cover(p.X, 0)
		}
		cover(c.Routes[i].Label.X, e.Label/2)
	}
	return lo, hi
}

// moved is the route at another place.
func (r Route) moved(by path.Point) Route {
	points := make([]path.Point, len(r.Points))
	for i, p := range r.Points {
		points[i] = p.Add(by)
	}
	r.Points, r.Label = points, r.Label.Add(by)
	return r
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
