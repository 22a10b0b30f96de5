package layout

import (
	"context"
	"errors"
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

// folds sets a tall chart in two or three columns, cut at edges that are the only link between them. It returns every
// fold that draws cleanly.
func folds(ctx context.Context, g Graph, back []bool, upright *Chart) ([]*Chart, error) {
	cuts := bridges(g, back, upright)
	var out []*Chart
	for columns := 2; columns <= 3; columns++ {
		for _, chosen := range choices(cuts, columns, upright.H) {
			c, err := fold(ctx, g, back, chosen)
			if errors.Is(err, errCrosses) {
				continue
			}
			if err != nil {
				return nil, err
			}
			out = append(out, c)
		}
	}
	return out, nil
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
	const worth = 4
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

var errCrosses = errors.New("the link between two columns would cross a node")

// column is one part of a folded graph, with the places of its nodes and edges in the whole.
type column struct {
	graph        Graph
	back         []bool
	nodes, edges []int
	chart        *Chart
	left         float64
}

func fold(ctx context.Context, g Graph, back []bool, cuts []cut) (*Chart, error) {
	columns := divide(g, back, cuts)
	whole := &Chart{By: "graphviz", Folded: true, Centres: make([]path.Point, len(g.Nodes)), Routes: make([]Route, len(g.Edges))}
	for i := range columns {
		c := &columns[i]
		chart, err := graphvizLayout(ctx, c.graph, c.back, down)
		if err != nil {
			return nil, err
		}
		c.chart, c.left = chart, whole.W
		place(whole, c)
		whole.W += chart.W + gutter
		whole.H = max(whole.H, chart.H)
	}
	whole.W -= gutter
	whole.H += linkRoom // below the lowest node; the room above is in place
	for i, k := range cuts {
		route, err := link(g, whole, columns, i, k.edge)
		if err != nil {
			return nil, err
		}
		whole.Routes[k.edge] = route
		whole.H = max(whole.H, route.lowest()+2)
	}
	return whole, nil
}

// divide parts the graph: column i holds the nodes that are on the far side of exactly i cuts.
func divide(g Graph, back []bool, cuts []cut) []column {
	columns := make([]column, len(cuts)+1)
	where, index := make([]int, len(g.Nodes)), make([]int, len(g.Nodes))
	for i, n := range g.Nodes {
		for _, k := range cuts {
			if k.far[i] {
				where[i]++
			}
		}
		c := &columns[where[i]]
		index[i] = len(c.nodes)
		c.graph.Nodes, c.nodes = append(c.graph.Nodes, n), append(c.nodes, i)
	}
	for i, e := range g.Edges {
		if where[e.From] != where[e.To] {
			continue
		}
		c := &columns[where[e.From]]
		e.From, e.To = index[e.From], index[e.To]
		c.graph.Edges = append(c.graph.Edges, e)
		c.edges, c.back = append(c.edges, i), append(c.back, back[i])
	}
	return columns
}

// place copies a column's layout into the whole, below the room for the links.
func place(whole *Chart, c *column) {
	move := path.Point{X: c.left, Y: linkRoom}
	for i, n := range c.nodes {
		whole.Centres[n] = c.chart.Centres[i].Add(move)
	}
	for i, k := range c.edges {
		r := c.chart.Routes[i]
		for j := range r.Points {
			r.Points[j] = r.Points[j].Add(move)
		}
		r.Label = r.Label.Add(move)
		whole.Routes[k] = r
	}
}

// link leads from the foot of one column through the gutter to the head of the next.
func link(g Graph, whole *Chart, columns []column, i, edge int) (Route, error) {
	e := g.Edges[edge]
	from, to := whole.Centres[e.From], whole.Centres[e.To]
	start := path.Point{X: from.X, Y: from.Y + g.Nodes[e.From].H/2}
	end := path.Point{X: to.X, Y: to.Y - g.Nodes[e.To].H/2}
	low, high := start.Y+linkRoom-2, end.Y-linkRoom+2
	x := columns[i+1].left - gutter/2
	for _, n := range columns[i].nodes {
		if n != e.From && whole.Centres[n].X+g.Nodes[n].W/2 > from.X-8 && whole.Centres[n].Y+g.Nodes[n].H/2 > start.Y {
			return Route{}, errCrosses
		}
	}
	for _, n := range columns[i+1].nodes {
		if n != e.To && whole.Centres[n].X-g.Nodes[n].W/2 < to.X+8 && whole.Centres[n].Y-g.Nodes[n].H/2 < end.Y {
			return Route{}, errCrosses
		}
	}
	points := elbow(13, start, path.Point{X: start.X, Y: low}, path.Point{X: x, Y: low},
		path.Point{X: x, Y: high}, path.Point{X: end.X, Y: high}, end)
	return Route{Points: points, Label: path.Point{X: x, Y: (low + high) / 2}}, nil
}

func (r Route) lowest() float64 {
	y := 0.0
	for _, p := range r.Points {
		y = max(y, p.Y)
	}
	return y
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
