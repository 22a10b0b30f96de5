package shape

import (
	"math/rand/v2"
	"testing"

	"sluice/engine/flow"
	"sluice/render/path"
)

var types = []flow.FlowchartType{
	flow.TypeStart, flow.TypeTerminal, flow.TypeProcess, flow.TypeDecision, flow.TypeIO,
	flow.TypeDocument, flow.TypeDatabase, flow.TypeSubprocess, flow.TypeBrowser, Person,
}

// Whatever the words, every corner of every row is inside the outline.
func TestRowsFit(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		kind := types[r.IntN(len(types))]
		n := 1 + r.IntN(4)
		th := float64(n) * 15
		var rows []Row
		for i := range n {
			top := -th/2 + float64(i)*15
			rows = append(rows, Row{Width: float64(r.IntN(170)), Top: top + 2, Bottom: top + 14})
		}
		w, h, shift := Fit(kind, rows)
		border, _ := Outline(kind, Box{W: w, H: h})
		flat := border.Flat()
		for _, row := range rows {
			for _, p := range []path.Point{{X: -row.Width / 2, Y: row.Top}, {X: row.Width / 2, Y: row.Top}, {X: -row.Width / 2, Y: row.Bottom}, {X: row.Width / 2, Y: row.Bottom}} {
				p.X, p.Y = p.X+Aside(kind), p.Y+shift
				if !path.Inside(p, flat) || kind == Person && p.X < Band-w/2 {
					t.Fatalf("%s of %.0f x %.0f: a row of %v leaves it", kind, w, h, row)
				}
			}
		}
	}
}

// Outlines stay in their boxes and touch all four sides, so that edges and neighbours may trust the box.
func TestOutlinesFillTheirBoxes(t *testing.T) {
	t.Parallel()
	for _, kind := range types {
		b := Box{Centre: path.Point{X: 200, Y: 100}, W: 150, H: 60}
		border, _ := Outline(kind, b)
		left, right, top, bottom := b.Right(), b.Left(), b.Bottom(), b.Top()
		for _, p := range border.Flat() {
			left, right, top, bottom = min(left, p.X), max(right, p.X), min(top, p.Y), max(bottom, p.Y)
		}
		const slack, over = 3, .2 // corners are rounded, and a wave is drawn by hand
		if left < b.Left()-over || left > b.Left()+slack || right > b.Right()+over || right < b.Right()-slack ||
			top < b.Top()-over || top > b.Top()+slack || bottom > b.Bottom()+over || bottom < b.Bottom()-slack {
			t.Errorf("%s covers %.1f..%.1f x %.1f..%.1f of %v", kind, left, right, top, bottom, b)
		}
	}
}
