package render

import (
	"sluice/engine/flow"
	"sluice/render/canvas"
	"sluice/render/path"
	"sluice/render/shape"
	"sluice/render/text"
)

// entry is one sign of the legend and what it means.
type entry struct {
	words string
	draw  func(cv canvas.Canvas, c path.Point) // around c, at most 22 by 15
}

// layLegend collects the signs in use, in rows of even columns.
func (s *scene) layLegend() {
	var all []entry
	all = append(all, s.typeEntries()...)
	all = append(all, s.edgeEntries()...)
	all = append(all, s.markEntries()...)
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

func (s *scene) typeEntries() []entry {
	used := map[flow.FlowchartType]bool{}
	several := false
	for i := range s.boxes {
		n := s.boxes[i].node
		if len(s.request.insets[n.ID].names) > 1 {
			several = true
			continue
		}
		used[n.Type] = true
	}
	var out []entry
	for _, t := range typeOrder {
		if used[t] {
			out = append(out, entry{word(t), func(cv canvas.Canvas, c path.Point) { s.drawType(cv, t, c) }})
		}
	}
	if several {
		out = append(out, entry{"several steps", func(cv canvas.Canvas, c path.Point) {
			s.drawType(cv, flow.TypeSubprocess, c.Add(path.Point{X: 1.5, Y: 1.5}))
			s.drawType(cv, flow.TypeSubprocess, c.Add(path.Point{X: -1.5, Y: -1.5}))
		}})
	}
	return out
}

func (s *scene) drawType(cv canvas.Canvas, t flow.FlowchartType, c path.Point) {
	b := shape.Box{Centre: c, W: 22, H: 12}
	if t == flow.TypeDecision {
		b.H = 14
	}
	border, inner := shape.Outline(t, b)
	cv.Path(border, canvas.Ink{Fill: typeColours[t].Alpha(s.tint).Over(s.panel), Stroke: typeColours[t], Width: 1.2})
	for _, p := range inner {
		cv.Path(p, canvas.Ink{Stroke: typeColours[t], Width: 1})
	}
}

// edgeEntries explain the lines that are not plain ones.
func (s *scene) edgeEntries() []entry {
	var back, onError, taken bool
	for i := range s.wires {
		w := &s.wires[i]
		_, t := s.taken(w)
		taken = taken || t
		onError = onError || w.edge.Error && !w.ghost
		back = back || w.route.Back && !w.edge.Error && !w.ghost
	}
	var out []entry
	line := func(words string, ink canvas.Ink) {
		out = append(out, entry{words, func(cv canvas.Canvas, c path.Point) {
			cv.Path(path.Polyline(c.Add(path.Point{X: -11}), c.Add(path.Point{X: 11})), ink)
		}})
	}
	if back {
		line("way back", canvas.Ink{Stroke: s.line, Width: 1.3, Dash: backDash})
	}
	if onError {
		line("on error", canvas.Ink{Stroke: red.Alpha(.75).Over(s.panel), Width: 1.9, Dash: errorDash, RoundCap: true})
	}
	if taken {
		words, ink := "way taken", canvas.Ink{Stroke: green, Width: 2}
		if s.request.dry() {
			words, ink = "its way", canvas.Ink{Stroke: azure, Width: 2.6}
		}
		line(words, ink)
	}
	return out
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
	for _, state := range []State{Complete, Running, Waiting, Error, Skipped, Cancelled, Possible} {
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

func (s *scene) legendHeight() float64 { return 20 + legendRow*float64(len(s.legend)) }

func (s *scene) drawLegend(cv canvas.Canvas) {
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
