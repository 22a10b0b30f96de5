package path

import "iter"

// A curve is a list of 3n+1 points: each three after the first are a Bézier piece's controls and end.

// Bezier is the point at share t of a cubic curve.
func Bezier(a, b, c, d Point, t float64) Point {
	ab, bc, cd := a.Lerp(b, t), b.Lerp(c, t), c.Lerp(d, t)
	return ab.Lerp(bc, t).Lerp(bc.Lerp(cd, t), t)
}

// Sample is a curve as points on it: the first one, then per piece as many as asked.
func Sample(curve []Point, per int) []Point {
	out := make([]Point, 1, 1+len(curve)/3*per)
	out[0] = curve[0]
	for i := 0; i+3 < len(curve); i += 3 {
		for k := 1; k <= per; k++ {
			out = append(out, Bezier(curve[i], curve[i+1], curve[i+2], curve[i+3], float64(k)/float64(per)))
		}
	}
	return out
}

// Evenly is a curve as points on it that are step apart.
func Evenly(curve []Point, step float64) []Point {
	last := curve[0]
	out := []Point{last}
	for _, p := range Sample(curve, 24) {
		for d := last.Dist(p); d >= step; d = last.Dist(p) {
			last = last.Lerp(p, step/d)
			out = append(out, last)
		}
	}
	return out
}

// Outward gives the points of a way, beginning with the one nearest to p and going on to both sides in turn.
func Outward(way []Point, p Point) iter.Seq[Point] {
	nearest := 0
	for i, q := range way {
		if q.Dist(p) < way[nearest].Dist(p) {
			nearest = i
		}
	}
	return func(yield func(Point) bool) {
		for i := range len(way) {
			for _, k := range [...]int{nearest - i, nearest + i} {
				if k < 0 || k >= len(way) || i == 0 && k != nearest {
					continue
				}
				if !yield(way[k]) {
					return
				}
				if i == 0 {
					break
				}
			}
		}
	}
}
