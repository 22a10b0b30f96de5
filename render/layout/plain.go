package layout

import (
	"cmp"
	"slices"

	"sluice/render/path"
)

// The plain layout: ranks from the longest way, rows ordered by their neighbours' places, edges through the gaps. It is
// linear in nodes and edges but for a fixed number of sorting rounds, and so is bounded for any graph.
const (
	rowGap     = 52.0 // between two ranks; edges bend and labels stand in it
	nodeGap    = 30.0
	stubWidth  = 16.0 // kept in a rank for an edge that passes through it
	longest    = 12   // an edge over more ranks than this goes round by a lane, as a way back does
	laneGap    = 15.0
	sortRounds = 6
)

// slot is a place in a rank: a node, or the passing of an edge.
type slot struct {
	node, edge int // one of them is -1
	w, h       float64
	x          float64
	up, down   []*slot
}

type plainLayout struct {
	g     Graph
	rank  []int
	rows  [][]*slot
	nodes []*slot
	vias  [][]*slot // of every edge, from tail to head
	lanes []int     // edges that go round
	top   []float64 // of every rank
	tall  []float64
	width float64
}

func plain(g Graph, back []bool) *Chart {
	p := &plainLayout{g: g, rank: ranks(g, back), nodes: make([]*slot, len(g.Nodes)), vias: make([][]*slot, len(g.Edges))}
	p.fill(back)
	p.order()
	p.spread()
	c := &Chart{By: "plain", Centres: make([]path.Point, len(g.Nodes)), Routes: make([]Route, len(g.Edges))}
	p.place(c)
	p.route(c, back)
	return c
}

// ranks is, for every node, the longest way to it over forward edges.
func ranks(g Graph, back []bool) []int {
	rank, waits := make([]int, len(g.Nodes)), make([]int, len(g.Nodes))
	out := outgoing(g)
	for i, e := range g.Edges {
		if !back[i] {
			waits[e.To]++
		}
	}
	var ready []int
	for i, n := range waits {
		if n == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		n := ready[0]
		ready = ready[1:]
		for _, k := range out[n] {
			if back[k] {
				continue
			}
			to := g.Edges[k].To
			rank[to] = max(rank[to], rank[n]+1)
			if waits[to]--; waits[to] == 0 {
				ready = append(ready, to)
			}
		}
	}
	return rank
}

// fill puts nodes and passing edges into their ranks.
func (p *plainLayout) fill(back []bool) {
	add := func(rank int, s *slot) *slot {
		for len(p.rows) <= rank {
			p.rows = append(p.rows, nil)
		}
		p.rows[rank] = append(p.rows[rank], s)
		return s
	}
	for i, n := range p.g.Nodes {
		p.nodes[i] = add(p.rank[i], &slot{node: i, edge: -1, w: n.W, h: n.H})
	}
	for i, e := range p.g.Edges {
		span := p.rank[e.To] - p.rank[e.From]
		if back[i] || span > longest {
			if e.From != e.To {
				p.lanes = append(p.lanes, i)
			}
			continue
		}
		last := p.nodes[e.From]
		p.vias[i] = []*slot{last}
		for r := p.rank[e.From] + 1; r < p.rank[e.To]; r++ {
			s := add(r, &slot{node: -1, edge: i, w: max(stubWidth, e.Label)})
			tie(last, s)
			p.vias[i] = append(p.vias[i], s)
			last = s
		}
		tie(last, p.nodes[e.To])
		p.vias[i] = append(p.vias[i], p.nodes[e.To])
	}
}

func tie(a, b *slot) { a.down, b.up = append(a.down, b), append(b.up, a) }

// order sorts every rank by where its neighbours are, downwards and upwards in turn.
func (p *plainLayout) order() {
	number := func(row []*slot) {
		for i, s := range row {
			s.x = float64(i)
		}
	}
	for _, row := range p.rows {
		number(row)
	}
	for round := range 2 * sortRounds {
		for i := range p.rows {
			row := p.rows[i]
			if round%2 == 1 {
				row = p.rows[len(p.rows)-1-i]
			}
			wish := make(map[*slot]float64, len(row))
			for _, s := range row {
				wish[s] = s.mean(round%2 == 0)
			}
			slices.SortStableFunc(row, func(a, b *slot) int { return cmp.Compare(wish[a], wish[b]) })
			number(row)
		}
	}
}

// mean is the middle of a slot's neighbours in the rank above or below, or its own place when it has none there.
func (s *slot) mean(above bool) float64 {
	near := s.down
	if above {
		near = s.up
	}
	if len(near) == 0 {
		return s.x
	}
	sum := 0.0
	for _, n := range near {
		sum += n.x
	}
	return sum / float64(len(near))
}

// spread gives every slot its x: as near to its neighbours as the widths allow.
func (p *plainLayout) spread() {
	for _, row := range p.rows {
		x := 0.0
		for _, s := range row {
			s.x = x + s.w/2
			x += s.w + nodeGap
		}
		for _, s := range row {
			s.x -= (x - nodeGap) / 2
		}
	}
	for round := range 2 * sortRounds {
		for i := range p.rows {
			if round%2 == 0 {
				settle(p.rows[i], true)
			} else {
				settle(p.rows[len(p.rows)-1-i], false)
			}
		}
	}
	lo := 0.0
	for _, row := range p.rows {
		lo = min(lo, row[0].x-row[0].w/2)
	}
	for _, row := range p.rows {
		for _, s := range row {
			s.x -= lo
			p.width = max(p.width, s.x+s.w/2)
		}
	}
}

// settle moves a row's slots to the places that are, by least squares, nearest to their neighbours' without overlap:
// runs of slots that would collide move as one block, to the mean of what they wish.
func settle(row []*slot, above bool) {
	type block struct {
		sum   float64
		count int
	}
	var blocks []block
	offset := make([]float64, len(row))
	for i, s := range row {
		if i > 0 {
			offset[i] = offset[i-1] + (row[i-1].w+s.w)/2 + nodeGap
		}
		b := block{s.mean(above) - offset[i], 1}
		for len(blocks) > 0 {
			last := blocks[len(blocks)-1]
			if last.sum/float64(last.count) < b.sum/float64(b.count) {
				break
			}
			b.sum, b.count = b.sum+last.sum, b.count+last.count
			blocks = blocks[:len(blocks)-1]
		}
		blocks = append(blocks, b)
	}
	i := 0
	for _, b := range blocks {
		for range b.count {
			row[i].x = b.sum/float64(b.count) + offset[i]
			i++
		}
	}
}

func (p *plainLayout) place(c *Chart) {
	y := rowGap / 2
	for _, row := range p.rows {
		tall := 0.0
		for _, s := range row {
			tall = max(tall, s.h)
		}
		p.top, p.tall = append(p.top, y), append(p.tall, tall)
		for _, s := range row {
			if s.node >= 0 {
				c.Centres[s.node] = path.Point{X: s.x, Y: y + tall/2}
			}
		}
		y += tall + rowGap
	}
	c.W, c.H = p.width, y
}

// route leads the edges through the gaps between ranks; those that go round take a lane at the right.
func (p *plainLayout) route(c *Chart, back []bool) {
	starts, ends := p.doors()
	for i, e := range p.g.Edges {
		c.Routes[i].Back = back[i]
		if e.From == e.To {
			c.Routes[i].Points = loop(c.Centres[e.From], p.g.Nodes[e.From])
		} else if p.vias[i] != nil {
			c.Routes[i].Points = p.through(i, starts[i], ends[i])
		}
		if c.Routes[i].Points != nil {
			c.Routes[i].Label = middle(c.Routes[i].Points)
		}
	}
	slices.SortStableFunc(p.lanes, func(a, b int) int { return cmp.Compare(p.reach(a), p.reach(b)) })
	for n, i := range p.lanes {
		e, x := p.g.Edges[i], p.width+20+laneGap*float64(n)
		from, to := p.nodes[e.From], p.nodes[e.To]
		jitter := float64(n%4)*4 + 8 // parallel lines in one gap stay apart
		low := p.top[p.rank[e.From]] + p.tall[p.rank[e.From]] + jitter
		high := p.top[p.rank[e.To]] - jitter - 8
		a, b := path.Point{X: from.x + starts[i], Y: p.top[p.rank[e.From]] + p.tall[p.rank[e.From]]/2 + from.h/2}, path.Point{X: to.x + ends[i], Y: p.top[p.rank[e.To]] + p.tall[p.rank[e.To]]/2 - to.h/2}
		c.Routes[i].Points = elbow(9, a, path.Point{X: a.X, Y: low}, path.Point{X: x, Y: low},
			path.Point{X: x, Y: high}, path.Point{X: b.X, Y: high}, b)
		c.Routes[i].Label = path.Point{X: x, Y: (low + high) / 2}
	}
}

// reach is how many ranks an edge goes back or on: the inner lanes belong to the short ways.
func (p *plainLayout) reach(edge int) int {
	e := p.g.Edges[edge]
	return max(p.rank[e.From]-p.rank[e.To], p.rank[e.To]-p.rank[e.From])
}

// doors are where along a node's foot and head its edges leave and arrive, from the middle, ordered by where they lead.
func (p *plainLayout) doors() (starts, ends []float64) {
	starts, ends = make([]float64, len(p.g.Edges)), make([]float64, len(p.g.Edges))
	leaving, arriving := make([][]int, len(p.g.Nodes)), make([][]int, len(p.g.Nodes))
	for i, e := range p.g.Edges {
		if e.From != e.To {
			leaving[e.From], arriving[e.To] = append(leaving[e.From], i), append(arriving[e.To], i)
		}
	}
	away := func(edge int, towards int) float64 {
		vias := p.vias[edge]
		if vias == nil {
			return p.width // the lanes are at the right
		}
		if towards < 0 {
			return vias[len(vias)-2].x
		}
		return vias[1].x
	}
	for n := range p.g.Nodes {
		share(leaving[n], starts, p.g.Nodes[n].W, func(k int) float64 { return away(k, 1) })
		share(arriving[n], ends, p.g.Nodes[n].W, func(k int) float64 { return away(k, -1) })
	}
	return starts, ends
}

// share spreads edges over two fifths of a width.
func share(edges []int, at []float64, width float64, where func(int) float64) {
	slices.SortStableFunc(edges, func(a, b int) int { return cmp.Compare(where(a), where(b)) })
	step := min(18, width*.4/float64(max(len(edges)-1, 1)))
	for i, k := range edges {
		at[k] = (float64(i) - float64(len(edges)-1)/2) * step
	}
}

// through is an edge's way from rank to rank.
func (p *plainLayout) through(edge int, start, end float64) []path.Point {
	vias := p.vias[edge]
	e := p.g.Edges[edge]
	rank := p.rank[e.From]
	mid := p.top[rank] + p.tall[rank]/2
	at := path.Point{X: vias[0].x + start, Y: mid + vias[0].h/2}
	out := []path.Point{at}
	straight := func(to path.Point) {
		out = append(out, at.Lerp(to, 1.0/3), at.Lerp(to, 2.0/3), to)
		at = to
	}
	straight(path.Point{X: at.X, Y: p.top[rank] + p.tall[rank]})
	for i := 1; i < len(vias); i++ {
		rank++
		to := path.Point{X: vias[i].x, Y: p.top[rank]}
		if i == len(vias)-1 {
			to.X += end
		}
		bend := (to.Y - at.Y) / 2
		out = append(out, path.Point{X: at.X, Y: at.Y + bend}, path.Point{X: to.X, Y: to.Y - bend}, to)
		at = to
		if i < len(vias)-1 {
			straight(path.Point{X: at.X, Y: p.top[rank] + p.tall[rank]})
		}
	}
	straight(path.Point{X: at.X, Y: p.top[rank] + p.tall[rank]/2 - p.g.Nodes[e.To].H/2})
	return out
}

// loop leads from a node's side back to it.
func loop(c path.Point, n Node) []path.Point {
	x, far := c.X+n.W/2, c.X+n.W/2+nodeGap*.6
	return elbow(7, path.Point{X: x, Y: c.Y + 9}, path.Point{X: far, Y: c.Y + 9}, path.Point{X: far, Y: c.Y - 9}, path.Point{X: x, Y: c.Y - 9})
}
