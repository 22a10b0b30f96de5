package path

import "math"

// Point is a place on the picture: x to the right, y down, in CSS pixels at scale 1.
type Point struct{ X, Y float64 }

// Add is p moved by q.
func (p Point) Add(q Point) Point { return Point{p.X + q.X, p.Y + q.Y} }

// Sub is the way from q to p.
func (p Point) Sub(q Point) Point { return Point{p.X - q.X, p.Y - q.Y} }

// Mul is p stretched from the origin.
func (p Point) Mul(k float64) Point { return Point{p.X * k, p.Y * k} }

// Lerp is the point at share t of the way from p to q.
func (p Point) Lerp(q Point, t float64) Point {
	return Point{p.X + (q.X-p.X)*t, p.Y + (q.Y-p.Y)*t}
}

// Dist is the distance from p to q.
func (p Point) Dist(q Point) float64 { return math.Hypot(p.X-q.X, p.Y-q.Y) }

// Unit is p at length one; the zero point stays zero.
func (p Point) Unit() Point { return p.Mul(1 / max(math.Hypot(p.X, p.Y), 1e-9)) }

// Normal is p turned by a quarter.
func (p Point) Normal() Point { return Point{-p.Y, p.X} }

// Op says how a segment goes on from the point before it.
type Op byte

// The four segments. Their values are the letters of SVG path data.
const (
	Move  Op = 'M'
	Line  Op = 'L'
	Cubic Op = 'C'
	Close Op = 'Z'
)

// Segment is one piece of a path: Move and Line use P[0], Cubic all three (two controls, then the end), Close none.
type Segment struct {
	Op Op
	P  [3]Point
}

// Points are the points that the segment's operation uses.
func (s *Segment) Points() []Point {
	switch s.Op {
	case Move, Line:
		return s.P[:1]
	case Cubic:
		return s.P[:]
	}
	return nil
}

// Path is a list of segments; a path may have several closed or open parts.
type Path []Segment

// MoveTo starts a new part at a.
func (p *Path) MoveTo(a Point) { *p = append(*p, Segment{Move, [3]Point{a}}) }

// LineTo goes straight to a.
func (p *Path) LineTo(a Point) { *p = append(*p, Segment{Line, [3]Point{a}}) }

// CubicTo goes to end along a Bézier curve with the controls c1 and c2.
func (p *Path) CubicTo(c1, c2, end Point) {
	*p = append(*p, Segment{Cubic, [3]Point{c1, c2, end}})
}

// Close ends the part where it began. Closing an empty or a closed path does nothing.
func (p *Path) Close() {
	if n := len(*p); n > 0 && (*p)[n-1].Op != Close {
		*p = append(*p, Segment{Op: Close})
	}
}

// End is the point where the path stands after its last segment; the path must not be empty.
func (p Path) End() Point {
	s := p[len(p)-1]
	if s.Op == Cubic {
		return s.P[2]
	}
	return s.P[0]
}

// Flat gives the path as points, curves cut into short chords. Parts are not told apart: it is meant for one closed outline.
func (p Path) Flat() []Point {
	const chords = 8
	var out []Point
	for _, s := range p {
		switch s.Op {
		case Move, Line:
			out = append(out, s.P[0])
		case Cubic:
			a := out[len(out)-1]
			for i := 1; i <= chords; i++ {
				out = append(out, Bezier(a, s.P[0], s.P[1], s.P[2], float64(i)/chords))
			}
		}
	}
	return out
}

// Inside tells whether q lies in a polygon, by the even-odd rule.
func Inside(q Point, polygon []Point) bool {
	in := false
	for i, j := 0, len(polygon)-1; i < len(polygon); j, i = i, i+1 {
		a, b := polygon[i], polygon[j]
		if (a.Y > q.Y) != (b.Y > q.Y) && q.X < (b.X-a.X)*(q.Y-a.Y)/(b.Y-a.Y)+a.X {
			in = !in
		}
	}
	return in
}

// Nearest is the point of a closed polygon's border that is nearest to q.
func Nearest(q Point, polygon []Point) Point {
	best, dist := q, math.Inf(1)
	for i, a := range polygon {
		b := polygon[(i+1)%len(polygon)]
		ab := b.Sub(a)
		t := 0.0
		if l := ab.X*ab.X + ab.Y*ab.Y; l > 0 {
			t = min(max(((q.X-a.X)*ab.X+(q.Y-a.Y)*ab.Y)/l, 0), 1)
		}
		if p := a.Lerp(b, t); p.Dist(q) < dist {
			best, dist = p, p.Dist(q)
		}
	}
	return best
}

// Overlaps tells whether a polygon and the upright box of half sizes halfW, halfH around c have a point in common.
func Overlaps(polygon []Point, c Point, halfW, halfH float64) bool {
	if Inside(c, polygon) {
		return true
	}
	for i, a := range polygon {
		if clips(a.Sub(c), polygon[(i+1)%len(polygon)].Sub(c), halfW, halfH) {
			return true
		}
	}
	return false
}

// clips tells whether the segment from a to b passes through the box around the origin.
func clips(a, b Point, halfW, halfH float64) bool {
	lo, hi := 0.0, 1.0
	d := b.Sub(a)
	for _, side := range [...]struct{ from, by, half float64 }{{a.X, d.X, halfW}, {a.Y, d.Y, halfH}} {
		if side.by == 0 {
			if side.from < -side.half || side.from > side.half {
				return false
			}
			continue
		}
		s, e := (-side.half-side.from)/side.by, (side.half-side.from)/side.by
		lo, hi = max(lo, min(s, e)), min(hi, max(s, e))
	}
	return lo <= hi
}
