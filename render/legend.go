package render

import (
	"sluice/render/canvas"
	"sluice/render/path"
	"sluice/render/text"
)

// entry is one sign of the legend and what it means.
type entry struct {
	words string
	draw  func(cv canvas.Canvas, c path.Point) // around c, at most 22 by 15
}

// layLegend collects the states and marks in use, in rows of even columns. A plain draft has none.
func (s *scene) layLegend() {
	all := s.markEntries()
	if len(all) == 0 {
		return
	}
	for _, e := range all {
		s.legendColumn = max(s.legendColumn, 29+text.Width(e.words, smallStyle)+15)
	}
	columns := max(1, int((s.width-2*pad+15)/s.legendColumn))
	rows := (len(all) + columns - 1) / columns
	columns = (len(all) + rows - 1) / rows
	for len(all) > 0 {
		n := min(columns, len(all))
		s.legend = append(s.legend, all[:n])
		all = all[n:]
	}
}

// markEntries explain the states and the marks of a comparison.
func (s *scene) markEntries() []entry {
	states, marks := map[State]bool{}, map[string]bool{}
	for i := range s.boxes {
		l := s.lookOf(&s.boxes[i])
		states[l.status.State], marks[l.mark] = true, true
	}
	for i := range s.wires {
		w := &s.wires[i]
		marks[s.request.Diff.edgeMark(w.edge.ID)] = true
		marks[markRemoved] = marks[markRemoved] || w.ghost
	}
	var out []entry
	for _, state := range []State{Complete, Running, Waiting, Error, Rejected, TimedOut, ByHand, Skipped, Cancelled, Possible} {
		if states[state] {
			out = append(out, entry{string(state), func(cv canvas.Canvas, c path.Point) { s.stateMark(cv, c, state, 6.2, s.panel) }})
		}
	}
	for _, mark := range []string{markAdded, markRemoved, markChanged} {
		if marks[mark] {
			out = append(out, entry{markWord(mark), func(cv canvas.Canvas, c path.Point) { s.diffMark(cv, c, mark, 6.2, s.panel) }})
		}
	}
	return out
}

func (s *scene) legendHeight() float64 {
	if len(s.legend) == 0 {
		return 0
	}
	return 20 + legendRow*float64(len(s.legend))
}

func (s *scene) drawLegend(cv canvas.Canvas) {
	if len(s.legend) == 0 {
		return
	}
	top := s.height - s.legendHeight()
	cv.Begin(canvas.Group{Class: "legend"})
	cv.Path(path.Rect(0, top, s.width, s.height-top, 0), canvas.Ink{Fill: s.panel})
	cv.Path(path.Rect(0, top, s.width, 1, 0), canvas.Ink{Fill: s.rule})
	for i, row := range s.legend {
		x, y := pad, top+10+legendRow/2+legendRow*float64(i)
		for _, e := range row {
			e.draw(cv, path.Point{X: x + 11, Y: y})
			cv.Text(e.words, path.Point{X: x + 29, Y: y + 3.5}, smallStyle, s.muted)
			x += s.legendColumn
		}
	}
	cv.End()
}
