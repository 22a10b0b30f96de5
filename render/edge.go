package render

import (
	"fmt"
	"math"

	"sluice/render/canvas"
	"sluice/render/path"
	"sluice/render/text"
)

// The dashes: a way back, a way on a technical error, and an edge that is no more.
var (
	backDash  = []float64{4.5, 3.5}
	errorDash = []float64{1, 3.4}
	ghostDash = []float64{8, 4}
)

const pillHeight = 17.0

// drawWire draws an edge from outline to outline, and its arrow head.
func (s *scene) drawWire(cv canvas.Canvas, w *wire) {
	points := w.route.Points
	n := len(points)
	dir := arrival(points)
	tip := points[n-1].Sub(dir.Mul(s.ringGap(&s.boxes[w.to], 1)))
	neck := tip.Sub(dir.Mul(6))
	var p path.Path
	p.MoveTo(points[0])
	for i := 1; i+2 < n; i += 3 {
		control, end := points[i+1], points[i+2]
		if i+3 == n {
			end = neck
			if back := end.Sub(control); back.X*dir.X+back.Y*dir.Y < 0 { // a short last piece must not turn round
				control = end
			}
		}
		p.CubicTo(points[i], control, end)
	}
	colour, width := s.wireInk(w)
	ink := canvas.Ink{Stroke: colour, Width: width}
	switch {
	case w.ghost:
		ink.Dash = ghostDash
	case w.edge.Error:
		ink.Dash, ink.RoundCap, ink.Width = errorDash, true, width+.5
	case w.route.Back:
		ink.Dash = backDash
	}
	cv.Begin(canvas.Group{Class: s.wireClass(w), ID: w.edge.ID, Tooltip: s.wireTooltip(w)})
	cv.Path(p, ink)
	side, foot := dir.Normal().Mul(3.8), tip.Sub(dir.Mul(8.6))
	cv.Path(path.Rounded(1, tip, foot.Add(side), tip.Sub(dir.Mul(6.6)), foot.Sub(side)), canvas.Ink{Fill: colour})
	cv.End()
}

// arrival is the direction in which the arrow head points: that of the last few pixels, not of the last one.
func arrival(points []path.Point) path.Point {
	n := len(points)
	a, b, c, end := points[n-4], points[n-3], points[n-2], points[n-1]
	if end.Dist(c) > 4 {
		return end.Sub(c).Unit()
	}
	return end.Sub(path.Bezier(a, b, c, end, .7)).Unit()
}

// ringGap keeps an arrow head off a node's stroke, and off the ring around it.
func (s *scene) ringGap(b *box, gap float64) float64 {
	if s.lookOf(b).ring.A > 0 {
		return gap + 2.6
	}
	return gap
}

func (s *scene) wireInk(w *wire) (canvas.Colour, float64) {
	if _, ok := s.taken(w); ok {
		if s.request.Overlay.Dry {
			return azure, 2.6
		}
		return green.Alpha(.95).Over(s.back), 2
	}
	if s.request.Diff.edgeMark(w.edge.ID) == markAdded && !w.ghost {
		return s.added, 1.9
	}
	if s.request.dry() {
		return s.line.Alpha(.6).Over(s.back), 1.2
	}
	if w.edge.Error && !w.ghost {
		return red.Alpha(.75).Over(s.back), 1.4
	}
	return s.line, 1.3
}

func (s *scene) taken(w *wire) (Taken, bool) {
	if s.request.Overlay == nil || w.ghost {
		return Taken{}, false
	}
	t, ok := s.request.Overlay.Taken[w.edge.ID]
	return t, ok
}

func (s *scene) wireClass(w *wire) string {
	class := "edge"
	if w.route.Back {
		class += " back"
	}
	if w.edge.Error {
		class += " error"
	}
	if _, ok := s.taken(w); ok {
		class += " taken"
	}
	if w.ghost {
		class += " removed"
	} else if word := markWord(s.request.Diff.edgeMark(w.edge.ID)); word != "" {
		class += " " + word
	}
	return class
}

func (s *scene) wireTooltip(w *wire) string {
	tip := text.Plain(w.edge.Label)
	if d := text.Plain(w.edge.Description); d != "" && d != tip {
		tip = joinLines(tip, d)
	}
	if t, ok := s.taken(w); ok {
		tip = joinLines(tip, s.request.takenWords(t))
		tip = joinLines(tip, text.Plain(t.Why))
	}
	return tip
}

func (r Request) takenWords(t Taken) string {
	if r.dry() {
		return "would be taken"
	}
	if t.Count > 1 {
		return fmt.Sprintf("taken %d times", t.Count)
	}
	return "taken"
}

func joinLines(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

// pill is a label that is drawn already.
type pill struct {
	centre path.Point
	half   float64
}

// drawLabel sets an edge's words in a pill on its curve.
func (s *scene) drawLabel(cv canvas.Canvas, w *wire) {
	label := w.label
	t, taken := s.taken(w)
	if t.Count > 1 {
		label = text.Clean(fmt.Sprintf("%s ×%d", label, t.Count))
	}
	if w.label == "" {
		s.drawCount(cv, w, label)
		return
	}
	label, at := s.placePill(w, label)
	width := pillWidth(label)
	s.addPill(pill{at, width / 2})
	stroke, ink := s.rule, s.muted
	if taken {
		stroke, ink = green.Alpha(.8).Over(s.back), s.ink
		if s.request.dry() {
			stroke = azure
		}
	}
	cv.Begin(canvas.Group{Class: "label"})
	cv.Path(path.Rect(at.X-width/2, at.Y-pillHeight/2, width, pillHeight, pillHeight/2), canvas.Ink{Fill: s.back, Stroke: stroke, Width: 1})
	cv.Text(label, path.Point{X: at.X - width/2 + pillPad, Y: at.Y + 3.9}, labelStyle, ink)
	cv.End()
}

// drawCount sets how often an edge without a label was taken beside it: a pill would hide a short edge.
func (s *scene) drawCount(cv canvas.Canvas, w *wire, count string) {
	if count == "" {
		return
	}
	half := text.Width(count, labelStyle) / 2
	at, cost := path.Point{}, math.Inf(1)
	for p := range path.Outward(w.way, w.route.Label) {
		for _, x := range []float64{half + 5, -half - 5} {
			beside := p.Add(path.Point{X: x})
			if c := s.pillCost(w, beside, half, cost); c < cost {
				at, cost = beside, c
			}
		}
	}
	if cost >= nodeCost {
		return // the tooltip says it
	}
	s.addPill(pill{at, half})
	cv.Begin(canvas.Group{Class: "label"})
	cv.Text(count, path.Point{X: at.X - half, Y: at.Y + 3.9}, labelStyle, s.ink)
	cv.End()
}

// placePill finds a place for a label. In the rare crowd where it has none it is shortened: the tooltip has all of it.
func (s *scene) placePill(w *wire, label string) (string, path.Point) {
	at, free := s.pillPlace(w, pillWidth(label)/2)
	for _, limit := range []float64{56, 28, 12} {
		if free {
			break
		}
		label = text.Fit(label, labelStyle, limit)
		at, free = s.pillPlace(w, pillWidth(label)/2)
	}
	return label, at
}

// pillPlace is the place on the curve nearest to the package that the layout kept, clear of nodes, other pills, other edges
// and the arrow head; where the whole curve is taken, a place beside it. It tells whether the place is free.
func (s *scene) pillPlace(w *wire, half float64) (at path.Point, free bool) {
	best, cost := w.route.Label, math.Inf(1)
	try := func(p path.Point, extra float64) {
		if c := extra + s.pillCost(w, p, half, cost-extra); c < cost {
			best, cost = p, c
		}
	}
	for p := range path.Outward(w.way, w.route.Label) {
		try(p, 0)
	}
	if cost < nodeCost {
		return best, true
	}
	for p := range path.Outward(w.way, w.route.Label) {
		for _, x := range []float64{0, half + 5, -half - 5} {
			for _, y := range []float64{0, 13, -13, 26, -26} {
				try(p.Add(path.Point{X: x, Y: y}), 20)
			}
		}
	}
	return best, cost < nodeCost
}

// nodeCost is what it costs to lie on a node or on another pill, or to leave the picture: more than anything else.
const nodeCost = 1000

// pillCost judges a place for an edge's pill; past limit it need not be exact.
func (s *scene) pillCost(w *wire, p path.Point, half, limit float64) float64 {
	head := w.route.Points[len(w.route.Points)-1]
	c := p.Dist(w.route.Label) + 3*max(0, 20-p.Dist(head))
	if p.X-half < 4-pad || p.X+half > s.w+pad-4 {
		c += nodeCost
	}
	if c < limit {
		if o := s.overlap(p, half+3, pillHeight/2+3); o > 0 {
			c += nodeCost + 10*o
		}
	}
	if c < limit {
		c += 9 * float64(s.covered(w, p, half+2, pillHeight/2+2))
	}
	return c
}

// covered counts the points of other edges that a box around p would hide.
func (s *scene) covered(w *wire, p path.Point, halfW, halfH float64) int {
	n := 0
	for q := range s.waysAt.near(p, halfW, halfH) {
		if &s.wires[q.wire] != w && math.Abs(q.X-p.X) < halfW && math.Abs(q.Y-p.Y) < halfH {
			n++
		}
	}
	return n
}

// overlap is by how many pixels a box around p overlaps a node or a pill, at most.
func (s *scene) overlap(p path.Point, halfW, halfH float64) float64 {
	worst := 0.0
	hit := func(c path.Point, w, h float64) {
		worst = max(worst, min(halfW+w-math.Abs(p.X-c.X), halfH+h-math.Abs(p.Y-c.Y)))
	}
	for i := range s.nodesAt.near(p, halfW, halfH) {
		if b := &s.boxes[i]; path.Overlaps(b.outline, p, halfW, halfH) {
			hit(b.Centre, b.W/2, b.H/2)
		}
	}
	for q := range s.pillsAt.near(p, halfW, halfH) {
		hit(q.centre, q.half, pillHeight/2)
	}
	return worst
}

// addPill remembers a label, so that no other is laid on it.
func (s *scene) addPill(p pill) {
	s.pills = append(s.pills, p)
	s.pillsAt.add(p, p.centre, p.half, pillHeight/2)
}
