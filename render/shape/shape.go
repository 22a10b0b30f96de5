package shape

import (
	"math"

	"sluice/engine/flow"
	"sluice/render/path"
)

// Person is the card of what a person does. No flow file can name it.
const Person flow.FlowchartType = "person"

// Band is the width of the strip at the left of a person's card, where no words stand.
const Band = 26.0

// Box is where a shape stands: its centre and its full width and height.
type Box struct {
	Centre path.Point
	W, H   float64
}

// Left is the smallest x of the box.
func (b Box) Left() float64 { return b.Centre.X - b.W/2 }

// Right is the largest x of the box.
func (b Box) Right() float64 { return b.Centre.X + b.W/2 }

// Top is the smallest y of the box.
func (b Box) Top() float64 { return b.Centre.Y - b.H/2 }

// Bottom is the largest y of the box.
func (b Box) Bottom() float64 { return b.Centre.Y + b.H/2 }

// Outline is the outer border of a type in a box, closed, and the open strokes inside it (the lid of a cylinder, the
// bars of a subroutine). An unknown type is drawn as a process.
func Outline(t flow.FlowchartType, b Box) (border path.Path, inner []path.Path) {
	x0, y0, x1, y1 := b.Left(), b.Top(), b.Right(), b.Bottom()
	switch t {
	case flow.TypeStart, flow.TypeTerminal:
		return path.Rect(x0, y0, b.W, b.H, b.H/2), nil
	case Person:
		return path.Rect(x0, y0, b.W, b.H, min(11, b.H/3)), nil
	case flow.TypeDecision:
		return diamond(b), nil
	case flow.TypeIO:
		k := skew(b.H)
		return path.Rounded(min(3, b.H*.07), path.Point{X: x0 + k, Y: y0}, path.Point{X: x1, Y: y0},
			path.Point{X: x1 - k, Y: y1}, path.Point{X: x0, Y: y1}), nil
	case flow.TypeBrowser:
		k := skew(b.H)
		return path.Rounded(min(3, b.H*.07), path.Point{X: x0 + k, Y: y0}, path.Point{X: x1 - k, Y: y0}, path.Point{X: x1, Y: b.Centre.Y},
			path.Point{X: x1 - k, Y: y1}, path.Point{X: x0 + k, Y: y1}, path.Point{X: x0, Y: b.Centre.Y}), nil
	case flow.TypeDocument:
		return document(b), nil
	case flow.TypeDatabase:
		return cylinder(b)
	case flow.TypeSubprocess:
		k := bar(b.H)
		return path.Rect(x0, y0, b.W, b.H, 3), []path.Path{
			path.Polyline(path.Point{X: x0 + k, Y: y0}, path.Point{X: x0 + k, Y: y1}),
			path.Polyline(path.Point{X: x1 - k, Y: y0}, path.Point{X: x1 - k, Y: y1}),
		}
	}
	return path.Rect(x0, y0, b.W, b.H, 4), nil
}

func diamond(b Box) path.Path {
	return path.Rounded(min(5, b.H*.07), path.Point{X: b.Centre.X, Y: b.Top()}, path.Point{X: b.Right(), Y: b.Centre.Y},
		path.Point{X: b.Centre.X, Y: b.Bottom()}, path.Point{X: b.Left(), Y: b.Centre.Y})
}

func document(b Box) path.Path {
	a := wave(b.H)
	x0, x1, low, reach := b.Left(), b.Right(), b.Bottom()-a, b.W*.19
	var p path.Path
	p.MoveTo(path.Point{X: x0, Y: b.Top()})
	p.LineTo(path.Point{X: x1, Y: b.Top()})
	p.LineTo(path.Point{X: x1, Y: low})
	p.CubicTo(path.Point{X: x1 - reach, Y: low - a*1.35}, path.Point{X: b.Centre.X + reach, Y: low - a*1.35}, path.Point{X: b.Centre.X, Y: low})
	p.CubicTo(path.Point{X: b.Centre.X - reach, Y: low + a*1.35}, path.Point{X: x0 + reach, Y: low + a*1.35}, path.Point{X: x0, Y: low})
	p.Close()
	return p
}

func cylinder(b Box) (border path.Path, inner []path.Path) {
	r := lid(b.H)
	left, right := path.Point{X: b.Left(), Y: b.Top() + r}, path.Point{X: b.Right(), Y: b.Top() + r}
	border.MoveTo(left)
	border.HalfEllipse(right, -r)
	border.LineTo(path.Point{X: right.X, Y: b.Bottom() - r})
	border.HalfEllipse(path.Point{X: left.X, Y: b.Bottom() - r}, r)
	border.Close()
	var front path.Path
	front.MoveTo(left)
	front.HalfEllipse(right, r)
	return border, []path.Path{front}
}

// What a shape takes from its height: the slant of a parallelogram or hexagon, the wave of a document, half the lid of a
// cylinder, the bar of a subroutine. They stop growing where a tall shape would look odd.
func skew(h float64) float64 { return min(h*.3, 16) }
func wave(h float64) float64 { return min(h*.13, 8) }
func lid(h float64) float64  { return min(h*.11, 7) }
func bar(h float64) float64  { return min(h*.17, 9) }

// Row is one line of a text block: its width, and its top and bottom measured from the middle of the block (y down).
type Row struct{ Width, Top, Bottom float64 }

// Aside is how far the middle of a type's words is to the right of the middle of its box.
func Aside(t flow.FlowchartType) float64 {
	if t == Person {
		return Band / 2
	}
	return 0
}

// Fit is the size of the box that holds a block of centred rows inside the outline with some air around it, and how far
// the middle of the block sits below the middle of the box.
func Fit(t flow.FlowchartType, rows []Row) (w, h, shift float64) {
	tw, th := 0.0, 0.0
	for _, r := range rows {
		tw, th = max(tw, r.Width), max(th, 2*r.Bottom, -2*r.Top)
	}
	w, h = max(tw+26, 92), th+18
	switch t {
	case flow.TypeStart, flow.TypeTerminal:
		w = max(w, stadium(rows, h))
	case flow.TypeDecision:
		w, h = fitDiamond(rows, th)
	case flow.TypeIO, flow.TypeBrowser:
		w = max(tw+2*skew(h)+14, 104)
	case flow.TypeDocument:
		h += 10
		shift = -wave(h) * .8
	case flow.TypeDatabase:
		h += 14
		shift = lid(h) * .8
	case flow.TypeSubprocess:
		w = max(tw+2*bar(h)+20, 104)
	case Person:
		w = max(tw+Band+22, 104)
	}
	return w, h, shift
}

// stadium is the width at which the corners of every row lie within the half circles at the ends.
func stadium(rows []Row, h float64) float64 {
	w := h * 1.5
	for _, r := range rows {
		y := max(r.Bottom, -r.Top)
		w = max(w, r.Width+h-2*roundReach(h/2, y)+14)
	}
	return w
}

// fitDiamond picks, among heights that hold the block, the diamond of the smallest area that is not too flat or too tall.
func fitDiamond(rows []Row, th float64) (w, h float64) {
	best := 0.0
	for k := th + 30; k <= th+120; k += 6 {
		need := k * 1.35
		for _, r := range rows {
			y := max(r.Bottom, -r.Top) + 1
			need = max(need, (r.Width+10)/(1-2*y/k)) // every corner keeps |x|/(w/2) + |y|/(h/2) <= 1, with 5 px to spare
		}
		if area := need * (k + 30); best == 0 || area < best {
			best, w, h = area, need, k
		}
	}
	return w, h
}

// roundReach is how far a circle of radius r reaches to the side at height y from its middle.
func roundReach(r, y float64) float64 {
	return math.Sqrt(max(r*r-y*y, 0))
}

// Strip is the part of a person's card at its left, where the figure stands.
func Strip(b Box) path.Path {
	r := min(11, b.H/3)
	x0, y0, y1 := b.Left(), b.Top(), b.Bottom()
	var p path.Path
	p.MoveTo(path.Point{X: x0 + Band, Y: y0})
	p.LineTo(path.Point{X: x0 + Band, Y: y1})
	p.LineTo(path.Point{X: x0 + r, Y: y1})
	p.CubicTo(path.Point{X: x0 + r*.45, Y: y1}, path.Point{X: x0, Y: y1 - r*.45}, path.Point{X: x0, Y: y1 - r})
	p.LineTo(path.Point{X: x0, Y: y0 + r})
	p.CubicTo(path.Point{X: x0, Y: y0 + r*.45}, path.Point{X: x0 + r*.45, Y: y0}, path.Point{X: x0 + r, Y: y0})
	p.Close()
	return p
}

// Figure is the head and the shoulders of a person around c, each to be filled, drawn for a height of 14.
func Figure(c path.Point, height float64) (head, shoulders path.Path) {
	k := height / 14
	at := func(x, y float64) path.Point { return path.Point{X: c.X + x*k, Y: c.Y + y*k} }
	shoulders.MoveTo(at(-6.2, 7))
	shoulders.CubicTo(at(-6, -.6), at(6, -.6), at(6.2, 7))
	shoulders.Close()
	return path.Circle(at(0, -3.6), 3.4*k), shoulders
}
