package layout

import (
	"cmp"
	"slices"

	"sluice/render/path"
)

// besideRows is from how many rows the edges to an ending beside the column may come: an ending further away is not looked for.
const besideRows = 24

// setAside takes endings out of the column, each to the right of the last node that leads to it; two that only one node leads to stand below
// each other. It leaves those in it to which a node leads twice, and those where ways back pass or another ending stands, whose place is the
// right, too.
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
	alone := make([]bool, len(s.g.Nodes)) // the only ending beside a node, to which nothing else leads
	out := make([]bool, len(s.g.Nodes))
	for n, edges := range into {
		if !ends[n] || len(edges) == 0 {
			continue
		}
		slices.SortFunc(edges, func(a, b int) int { return cmp.Compare(tail(b), tail(a)) })
		low, high := tail(edges[0]), tail(edges[len(edges)-1])
		from, single := s.g.Edges[edges[0]].From, len(edges) == 1
		second := single && alone[from]
		if low-high >= besideRows || !second && slices.Contains(taken[high:low+1], true) || s.twice(edges) {
			continue
		}
		alone[from] = single && !second
		for row := high; row <= low; row++ {
			taken[row] = true
		}
		out[n] = true
		for k, i := range edges {
			s.beside[s.g.Edges[i].From] = append(s.beside[s.g.Edges[i].From], i)
			s.aside[i] = true
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

// placeAside places the endings beside node n, whose middle is at y, if it is the last one that leads to them. It returns where the lowest
// ending ends; low is where the last one before ended.
func (s *stacked) placeAside(n int, y, low float64) float64 {
	top := y + 26
	for _, i := range s.beside[n] {
		if !s.last(i) {
			continue
		}
		e := s.g.Edges[i]
		end := s.g.Nodes[e.To]
		if e.Label > 0 {
			top += labelRoom
		}
		s.chart.Centres[e.To] = path.Point{X: s.half + asideGap + max(end.W, e.Label)/2, Y: top + end.H/2}
		low = top + end.H
		top = low + 26
	}
	return low
}

// routeAside leads an edge to an ending beside the column: to the first of a node from above, to the second past the first.
func (s *stacked) routeAside(i int) {
	e, r := s.g.Edges[i], &s.chart.Routes[i]
	from, to := s.chart.Centres[e.From], s.chart.Centres[e.To]
	head := path.Point{X: to.X + s.inset[i], Y: to.Y - s.g.Nodes[e.To].H/2}
	corners := []path.Point{{X: s.g.Nodes[e.From].W / 2, Y: from.Y}, {X: head.X, Y: from.Y}, head}
	if r.Label = (path.Point{X: head.X, Y: from.Y + labelRoom}); s.beside[e.From][0] != i {
		pass, turn := s.half+asideGap/2, head.Y-18
		if e.Label > 0 {
			turn -= labelRoom
		}
		corners = []path.Point{corners[0], {X: pass, Y: from.Y}, {X: pass, Y: turn}, {X: head.X, Y: turn}, head}
		r.Label = path.Point{X: head.X, Y: turn + labelRoom - 4}
	}
	r.Points = elbow(9, corners...)
}

// taken tells whether endings stand at the right where a trunk would pass.
func (s *stacked) taken(t *trunk) bool {
	for i, e := range s.g.Edges {
		if s.aside[i] && t.top < s.chart.Centres[e.To].Y+s.g.Nodes[e.To].H && t.low > s.chart.Centres[e.From].Y-12 {
			return true
		}
	}
	return false
}
