package path

import (
	"math"
	"testing"
)

func square(half float64) []Point {
	return []Point{{-half, -half}, {half, -half}, {half, half}, {-half, half}}
}

func TestInsideAndNearest(t *testing.T) {
	t.Parallel()
	for p, want := range map[Point]bool{{}: true, {9, 9}: true, {11, 0}: false, {0, -11}: false} {
		if got := Inside(p, square(10)); got != want {
			t.Errorf("%v inside: %v", p, got)
		}
	}
	for p, want := range map[Point]Point{{20, 0}: {10, 0}, {20, 20}: {10, 10}, {0, 8}: {0, 10}} {
		if got := Nearest(p, square(10)); got.Dist(want) > 1e-9 {
			t.Errorf("nearest to %v is %v, want %v", p, got, want)
		}
	}
}

func TestOverlaps(t *testing.T) {
	t.Parallel()
	diamond := []Point{{0, -20}, {40, 0}, {0, 20}, {-40, 0}}
	for _, c := range []struct {
		at   Point
		w, h float64
		want bool
	}{
		{Point{}, 5, 5, true},
		{Point{30, 15}, 5, 5, false}, // in the box of the diamond, but not in it
		{Point{30, 15}, 15, 5, true},
		{Point{0, 28}, 30, 8.5, true}, // a corner reaches into the box
		{Point{0, 28}, 30, 7.5, false},
		{Point{}, 100, 100, true}, // the box holds it all
	} {
		if got := Overlaps(diamond, c.at, c.w, c.h); got != c.want {
			t.Errorf("box %v %v x %v: %v", c.at, c.w, c.h, got)
		}
	}
}

func TestCircleIsRound(t *testing.T) {
	t.Parallel()
	for _, p := range Circle(Point{5, 5}, 10).Flat() {
		if d := p.Dist(Point{5, 5}); math.Abs(d-10) > .05 {
			t.Errorf("%v is %.3f from the middle", p, d)
		}
	}
}

func TestEvenly(t *testing.T) {
	t.Parallel()
	line := []Point{{0, 0}, {0, 10}, {0, 20}, {0, 30}}
	points := Evenly(line, 4)
	if len(points) != 8 {
		t.Fatalf("%d points", len(points))
	}
	for i, p := range points {
		if math.Abs(p.Y-4*float64(i)) > .01 || p.X != 0 {
			t.Errorf("point %d is %v", i, p)
		}
	}
}
