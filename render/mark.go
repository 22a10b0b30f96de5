package render

import (
	"math"

	"sluice/render/canvas"
	"sluice/render/path"
)

// stateMark is a state's disc with its own icon, so that nothing relies on colour. Icons are drawn for a radius of 7.
func (s *scene) stateMark(cv canvas.Canvas, c path.Point, state State, r float64, back canvas.Colour) {
	k := r / 7
	at := func(x, y float64) path.Point { return path.Point{X: c.X + x*k, Y: c.Y + y*k} }
	cv.Path(path.Circle(c, r+1.6*k), canvas.Ink{Fill: back})
	cv.Path(path.Circle(c, r), canvas.Ink{Fill: stateColours[state]})
	pen := canvas.Ink{Stroke: white, Width: 1.7 * k, RoundCap: true}
	switch state {
	case Complete:
		cv.Path(path.Polyline(at(-3, .2), at(-.9, 2.3), at(3.1, -2.1)), pen)
	case Error:
		cv.Path(path.Polyline(at(-2.3, -2.3), at(2.3, 2.3)), pen)
		cv.Path(path.Polyline(at(2.3, -2.3), at(-2.3, 2.3)), pen)
	case Waiting: // a person
		cv.Path(path.Circle(at(0, -1.9), 1.85*k), canvas.Ink{Fill: white})
		var shoulders path.Path
		shoulders.MoveTo(at(-3.5, 3.6))
		shoulders.CubicTo(at(-3.4, -.3), at(3.4, -.3), at(3.5, 3.6))
		shoulders.Close()
		cv.Path(shoulders, canvas.Ink{Fill: white})
	case Skipped: // two steps past
		for _, x := range []float64{-2.9, .7} {
			cv.Path(path.Polyline(at(x, -2.5), at(x+2.3, 0), at(x, 2.5)), pen)
		}
	case Cancelled: // no entry
		cv.Path(path.Circle(c, 3.4*k), canvas.Ink{Stroke: white, Width: 1.4 * k})
		d := 3.4 * k * math.Sqrt2 / 2
		cv.Path(path.Polyline(path.Point{X: c.X - d, Y: c.Y + d}, path.Point{X: c.X + d, Y: c.Y - d}), canvas.Ink{Stroke: white, Width: 1.4 * k})
	case Rejected: // a bar across
		cv.Path(path.Polyline(at(-3.2, 0), at(3.2, 0)), canvas.Ink{Stroke: white, Width: 2.4 * k, RoundCap: true})
	case TimedOut: // a clock's hands
		cv.Path(path.Circle(c, 4.1*k), canvas.Ink{Stroke: white, Width: 1.1 * k})
		cv.Path(path.Polyline(at(0, -2.5), at(0, 0), at(1.9, 1)), canvas.Ink{Stroke: white, Width: 1.3 * k, RoundCap: true})
	case ByHand: // past a step, up to a bar
		cv.Path(path.Polyline(at(-2.4, -2.5), at(.4, 0), at(-2.4, 2.5)), pen)
		cv.Path(path.Polyline(at(2.6, -2.5), at(2.6, 2.5)), pen)
	case Possible: // go
		cv.Path(path.Polygon(at(-2.1, -3.3), at(3.6, 0), at(-2.1, 3.3)), canvas.Ink{Fill: white})
	case Running:
		for _, x := range []float64{-3.1, 0, 3.1} {
			cv.Path(path.Circle(at(x, 0), 1.1*k), canvas.Ink{Fill: white})
		}
	}
}

// diffMark is the square with plus, minus or tilde: a square, so that it is not taken for a state.
func (s *scene) diffMark(cv canvas.Canvas, c path.Point, mark string, r float64, back canvas.Colour) {
	k := r / 7
	at := func(x, y float64) path.Point { return path.Point{X: c.X + x*k, Y: c.Y + y*k} }
	cv.Path(path.Rect(c.X-r-1.4*k, c.Y-r-1.4*k, 2*r+2.8*k, 2*r+2.8*k, 4.4*k), canvas.Ink{Fill: back})
	cv.Path(path.Rect(c.X-r, c.Y-r, 2*r, 2*r, 3*k), canvas.Ink{Fill: markColour(mark)})
	pen := canvas.Ink{Stroke: white, Width: 1.9 * k, RoundCap: true}
	if mark == markChanged {
		var tilde path.Path
		tilde.MoveTo(at(-3.4, .9))
		tilde.CubicTo(at(-1.8, -3.2), at(1.8, 3.2), at(3.4, -.9))
		cv.Path(tilde, pen)
		return
	}
	cv.Path(path.Polyline(at(-3.2, 0), at(3.2, 0)), pen)
	if mark == markAdded {
		cv.Path(path.Polyline(at(0, -3.2), at(0, 3.2)), pen)
	}
}

func markColour(mark string) canvas.Colour {
	switch mark {
	case markAdded:
		return canvas.Hex("#15803D")
	case markRemoved:
		return canvas.Hex("#B91C1C")
	}
	return canvas.Hex("#B45309")
}

func markWord(mark string) string {
	switch mark {
	case markAdded:
		return "added"
	case markRemoved:
		return "removed"
	case markChanged:
		return "changed"
	}
	return ""
}
