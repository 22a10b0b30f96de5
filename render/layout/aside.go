package layout

import (
	"cmp"
	"slices"

	"sluice/render/path"
)

// besideRows is from how many rows the edges to an ending beside the column may come: an ending further away is not looked for.
const besideRows = 24

// setAside takes endings out of the column, each to the right of the last node that leads to it. It leaves those in it to which
// a node leads twice, and those where ways back pass or another ending stands, whose place is the right, too.
func (s *stacked) setAside() {
	into, ends := make([][]int, len(s.g.Nodes)), make([]bool, len(s.g.Nodes))
	for n := range ends {
		ends[n] = s.g.Nodes[n].Beside
	}
	for i, e := range s.g.Edges {
		ends[e.From] = false
		into[e.To] = append(into[e.To], i)
	}
	tail := func(i int) int { return s.row[s.g.Edges[i].From] }
	taken := s.passed()
	out := make([]bool, len(s.g.Nodes))
	for n, edges := range into {
		if !ends[n] || len(edges) == 0 {
			continue
		}
		slices.SortFunc(edges, func(a, b int) int { return cmp.Compare(tail(b), tail(a)) })
		low, high := tail(edges[0]), tail(edges[len(edges)-1])
		if low-high >= besideRows || slices.Contains(taken[high:low+1], true) || s.twice(edges) {
			continue
		}
		for row := high; row <= low; row++ {
			taken[row] = true
		}
		out[n] = true
		for k, i := range edges {
			s.beside[s.g.Edges[i].From] = i
			s.inset[i] = asideStep * (float64(k) - float64(len(edges)-1)/2)
		}
	}
	s.order = slices.DeleteFunc(s.order, func(n int) bool { return out[n] })
	for row, n := range s.order {
		s.row[n] = row
	}
	for n, edges := range into {
		if out[n] {
			s.row[n] = tail(edges[0])
		}
	}
}

// passed tells of every row whether a way back passes it.
func (s *stacked) passed() []bool {
	more := make([]int, len(s.order)+1) // by how many ways back more than the row before
	for i, e := range s.g.Edges {
		if s.back[i] {
			more[s.row[e.To]]++
			more[s.row[e.From]+1]--
		}
	}
	out, count := make([]bool, len(s.order)), 0
	for row := range out {
		count += more[row]
		out[row] = count > 0
	}
	return out
}

// twice tells whether two edges, sorted by the rows of their tails, leave one node.
func (s *stacked) twice(edges []int) bool {
	return len(slices.CompactFunc(slices.Clone(edges), func(a, b int) bool { return s.g.Edges[a].From == s.g.Edges[b].From })) < len(edges)
}

// last tells whether edge i is the one at whose tail its ending stands.
func (s *stacked) last(i int) bool {
	e := s.g.Edges[i]
	return s.row[e.From] == s.row[e.To]
}

// placeAside places the ending that edge i leads to beside a node whose middle is at y, and returns where it ends.
func (s *stacked) placeAside(i int, y float64) float64 {
	e := s.g.Edges[i]
	n := s.g.Nodes[e.To]
	top := y + 26
	if e.Label > 0 {
		top += labelRoom
	}
	wide := max(n.W, e.Label)
	s.chart.Centres[e.To] = path.Point{X: s.half + asideGap + wide/2, Y: top + n.H/2}
	return top + n.H
}

// routeAside leads an edge to an ending beside the column.
func (s *stacked) routeAside(i int) {
	e, r := s.g.Edges[i], &s.chart.Routes[i]
	from, to := s.chart.Centres[e.From], s.chart.Centres[e.To]
	x := to.X + s.inset[i]
	r.Points = elbow(9, path.Point{X: s.g.Nodes[e.From].W / 2, Y: from.Y}, path.Point{X: x, Y: from.Y}, path.Point{X: x, Y: to.Y - s.g.Nodes[e.To].H/2})
	r.Label = path.Point{X: x, Y: from.Y + labelRoom}
}

// taken tells whether endings stand at the right where a trunk would pass.
func (s *stacked) taken(t *trunk) bool {
	return slices.ContainsFunc(s.beside, func(i int) bool {
		if i < 0 {
			return false
		}
		e := s.g.Edges[i]
		return t.top < s.chart.Centres[e.To].Y+s.g.Nodes[e.To].H && t.low > s.chart.Centres[e.From].Y-12
	})
}
