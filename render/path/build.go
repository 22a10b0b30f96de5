package path

// circular is how far, as a share of the radius, the controls of a Bézier quarter circle lie from its ends.
const circular = 0.5523

// Polygon is a closed path through points with straight sides.
func Polygon(points ...Point) Path {
	p := Polyline(points...)
	p.Close()
	return p
}

// Rounded is a closed polygon whose corners are rounded by up to radius.
func Rounded(radius float64, corners ...Point) Path {
	var p Path
	n := len(corners)
	for i, c := range corners {
		a, b := corners[(i+n-1)%n], corners[(i+1)%n]
		s := c.Add(a.Sub(c).Unit().Mul(min(radius, a.Dist(c)/2)))
		e := c.Add(b.Sub(c).Unit().Mul(min(radius, b.Dist(c)/2)))
		if i == 0 {
			p.MoveTo(s)
		} else {
			p.LineTo(s)
		}
		p.CubicTo(s.Lerp(c, circular), e.Lerp(c, circular), e)
	}
	p.Close()
	return p
}

// Rect is a rectangle with its top left corner at x, y; radius rounds its corners.
func Rect(x, y, w, h, radius float64) Path {
	corners := []Point{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}}
	if radius <= 0 {
		return Polygon(corners...)
	}
	return Rounded(radius, corners...)
}

// Circle is a circle around c.
func Circle(c Point, radius float64) Path {
	return Rect(c.X-radius, c.Y-radius, 2*radius, 2*radius, radius)
}

// HalfEllipse adds the half of an ellipse from the path's end to a point at the same height, bulging by depth (down when positive).
func (p *Path) HalfEllipse(to Point, depth float64) {
	from := p.End()
	mid := Point{(from.X + to.X) / 2, from.Y + depth}
	kx, ky := (to.X-from.X)/2*circular, depth*circular
	p.CubicTo(Point{from.X, from.Y + ky}, Point{mid.X - kx, mid.Y}, mid)
	p.CubicTo(Point{mid.X + kx, mid.Y}, Point{to.X, to.Y + ky}, to)
}

// Polyline is an open path through points.
func Polyline(points ...Point) Path {
	var p Path
	for i, q := range points {
		if i == 0 {
			p.MoveTo(q)
		} else {
			p.LineTo(q)
		}
	}
	return p
}
