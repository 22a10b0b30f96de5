package render

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"sluice/engine/flow/chart"
	"sluice/render/canvas"
	"sluice/render/path"
	"sluice/render/text"
)

// charts is how many random charts are drawn, 100 with -short and under the race detector; every seed is a chart of its own and stays so.
const charts = 500

var someWords = []string{
	"Approve", "WWWWWWWWMMMM", "the vendor invoice and then forward it to finance for a second look", "Größe prüfen",
	"日本語の承認ワークフローを確認する", "iiiiiiii", "Done? 🚀", "<script>&\"", "Ελληνικά Русский текст", "", "\x00\xff", "e\u0301te\u0301",
	"slack.post_message", "한국어", "עברית", "أرسل الطلب 3 إلى المدير (اليوم)", "Donaudampfschifffahrtsgesellschaftskapitän",
}

// randomChart is a connected chart of 1 to 18 nodes with branches, joins, ways back and loops.
func randomChart(seed uint64) chart.Chart {
	r := rand.New(rand.NewPCG(seed, 1))
	return randomChartOf(seed, 1+r.IntN(18), -1)
}

func randomChartOf(seed uint64, n, more int) chart.Chart {
	r := rand.New(rand.NewPCG(seed, 1))
	word := func() string { return someWords[r.IntN(len(someWords))] }
	if more < 0 {
		r.IntN(18)
	}
	p := chart.Chart{Title: word()}
	for i := range n {
		p.Nodes = append(p.Nodes, chart.Node{
			ID: fmt.Sprint("id ", i), Name: word(), Description: word(), Type: typeOrder[r.IntN(len(typeOrder))], Number: fmt.Sprint(r.IntN(120)),
			Person: r.IntN(5) == 0, Stub: r.IntN(12) == 0, Open: r.IntN(8) == 0,
		})
	}
	edge := func(from, to int, label string) {
		p.Edges = append(p.Edges, chart.Edge{
			ID: fmt.Sprint("e", len(p.Edges)), From: p.Nodes[from].ID, To: p.Nodes[to].ID, Label: label, Error: r.IntN(8) == 0,
		})
	}
	for i := 1; i < n; i++ {
		edge(i-1-r.IntN(min(i, 3)), i, word())
		if r.IntN(4) == 0 {
			edge(i, r.IntN(n), []string{"", "No"}[r.IntN(2)])
		}
	}
	for range more {
		edge(r.IntN(n), r.IntN(n), word())
	}
	return p
}

func randomOverlay(seed uint64, p chart.Chart) *Overlay {
	r := rand.New(rand.NewPCG(seed, 2))
	if r.IntN(3) == 0 {
		return nil
	}
	all := []State{Pending, Running, Complete, Error, Waiting, Skipped, Cancelled, Rejected, TimedOut, ByHand}
	o := &Overlay{Nodes: map[string]NodeStatus{}, Taken: map[string]Taken{}, Header: all[r.IntN(len(all))]}
	for _, n := range p.Nodes {
		o.Nodes[n.ID] = NodeStatus{State: all[r.IntN(len(all))], Note: someWords[r.IntN(len(someWords))]}
	}
	for _, e := range p.Edges {
		if r.IntN(2) == 0 {
			o.Taken[e.ID] = Taken{Count: 1 + r.IntN(3), Why: "amount > 100"}
		}
	}
	return o
}

func TestRandomCharts(t *testing.T) {
	t.Parallel()
	const shards = 4
	count := charts
	if testing.Short() || raced {
		count = 100
	}
	for shard := range shards {
		t.Run(fmt.Sprint(shard), func(t *testing.T) {
			t.Parallel()
			for seed := shard; seed < count; seed += shards {
				drawRandom(t, uint64(seed))
			}
		})
	}
}

func drawRandom(t *testing.T, seed uint64) {
	r := New(patient)
	q := Request{Chart: randomChart(seed), Theme: []Theme{Light, Dark}[seed%2]}
	q.Overlay = randomOverlay(seed, q.Chart)
	if seed%5 == 0 {
		q.Diff = Compare(randomChart(seed+1), q.Chart)
	}
	s, err := r.scene(t.Context(), q)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	cv := canvas.NewSVG(s.width, s.height, "", "")
	if err := s.draw(t.Context(), cv); err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems(s) {
		t.Errorf("seed %d (%s): %s", seed, s.by, problem)
	}
	if seed%3 == 0 {
		for _, problem := range unreadable(t, newScene(s.drawing, s.request)) {
			t.Errorf("seed %d (%s): %s", seed, s.by, problem)
		}
	}
	if err := wellFormed(cv.Bytes()); err != nil {
		t.Errorf("seed %d: the SVG is not well-formed: %v", seed, err)
	}
	if seed%10 != 0 { // pixels take their time
		return
	}
	q.Scale = 1
	b, err := r.PNG(t.Context(), q)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	if m, err := png.DecodeConfig(bytes.NewReader(b)); err != nil || m.Width != int(s.width) || m.Height != int(s.height) {
		t.Errorf("seed %d: the PNG is %d by %d (%v), want %v by %v", seed, m.Width, m.Height, err, s.width, s.height)
	}
}

// problems are what a person would complain about.
func problems(s *scene) []string {
	return slices.Concat(boxProblems(s), wireProblems(s), pillProblems(s))
}

func boxProblems(s *scene) (out []string) {
	for i := range s.boxes {
		b := &s.boxes[i]
		for _, l := range wordsOf(s, b) {
			if !within(b, l) {
				out = append(out, fmt.Sprintf("%q leaves its %s", l.words, b.node.Type))
			}
		}
		for j := range s.boxes[:i] {
			o := &s.boxes[j]
			if math.Abs(b.Centre.X-o.Centre.X) < (b.W+o.W)/2-1 && math.Abs(b.Centre.Y-o.Centre.Y) < (b.H+o.H)/2-1 {
				out = append(out, fmt.Sprintf("%q and %q overlap", b.node.ID, o.node.ID))
			}
		}
		if b.Left() < -.01 || b.Top() < -.01 || b.Right() > s.w+.01 || b.Bottom() > s.h+.01 {
			out = append(out, fmt.Sprintf("%q leaves the picture", b.node.ID))
		}
	}
	return out
}

func wireProblems(s *scene) (out []string) {
	for i := range s.wires {
		w := &s.wires[i]
		say := func(format string, a ...any) {
			out = append(out, "edge "+w.edge.ID+" "+fmt.Sprintf(format, a...))
		}
		p := w.route.Points
		for _, end := range []struct {
			at  path.Point
			box *box
		}{{p[0], &s.boxes[w.from]}, {p[len(p)-1], &s.boxes[w.to]}} {
			if d := end.at.Dist(path.Nearest(end.at, end.box.outline)); d > .5 {
				say("ends %.1f px off the outline of %q", d, end.box.node.ID)
			}
		}
		if slices.ContainsFunc(w.way, func(q path.Point) bool { return q.X < -.1 || q.Y < -.1 || q.X > s.w+.1 || q.Y > s.h+.1 }) {
			say("leaves the picture")
		}
		for j := range s.boxes {
			if j != w.from && j != w.to && slices.ContainsFunc(w.way, func(q path.Point) bool { return path.Inside(q, s.boxes[j].outline) }) {
				say("runs through %q", s.boxes[j].node.ID)
			}
		}
	}
	return out
}

func pillProblems(s *scene) (out []string) {
	for i, l := range s.pills {
		say := func(what string) {
			out = append(out, fmt.Sprintf("the label at %.0f, %.0f %s", l.centre.X, l.centre.Y, what))
		}
		if s.overlapsNode(l) {
			say("lies on a node")
		}
		if l.centre.X-l.half < -pad || l.centre.X+l.half > s.w+pad {
			say("leaves the picture")
		}
		if slices.ContainsFunc(s.pills[:i], func(o pill) bool {
			return math.Abs(l.centre.X-o.centre.X) < l.half+o.half-1 && math.Abs(l.centre.Y-o.centre.Y) < pillHeight-1
		}) {
			say("lies on another")
		}
	}
	return out
}

func (s *scene) overlapsNode(l pill) bool {
	const slack = 2.0 // the pill's corners are round
	return slices.ContainsFunc(s.boxes, func(b box) bool {
		return path.Overlaps(b.outline, l.centre, l.half-slack, pillHeight/2-slack)
	})
}

// wordsOf are the lines that are really drawn in a node: the name, and its note or description.
func wordsOf(s *scene, b *box) []setLine {
	var out []setLine
	for _, l := range b.name {
		out = append(out, setLine{l, b.style})
	}
	return append(out, lowerRows(b, s.lookOf(b))...)
}

func within(b *box, l setLine) bool {
	half := text.Width(l.words, l.style) / 2
	for _, y := range []float64{l.y - l.style.Size*.72, l.y + l.style.Size*.2} {
		for _, x := range []float64{-half, half} {
			if !path.Inside(path.Point{X: b.middle() + x, Y: b.Centre.Y + y}, b.outline) {
				return false
			}
		}
	}
	return true
}

func wellFormed(doc []byte) error {
	d := xml.NewDecoder(bytes.NewReader(doc))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func TestSameInputSameBytes(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		q := Request{Chart: randomChart(seed), Scale: 1}
		q.Overlay = randomOverlay(seed, q.Chart)
		var first []byte
		for range 3 {
			b, err := New(patient).PNG(t.Context(), q)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if first == nil {
				first = b
			}
			if !bytes.Equal(first, b) {
				t.Errorf("seed %d: the same request gave another picture", seed)
			}
		}
		if _, err := png.Decode(bytes.NewReader(first)); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}
