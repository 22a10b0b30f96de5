package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"sluice/engine/flow"
	"sluice/engine/flow/chart"
	"sluice/engine/growth"
)

// wordy is a request with a text at every place where a picture shows one.
func wordy(s string) Request {
	p := chart.Chart{Title: s, Description: s, Nodes: []chart.Node{
		{ID: "a", Name: s, Description: s, Type: flow.TypeProcess, Number: "1", Tools: []string{s}, Criteria: []string{s}, Link: "https://example.com/" + s},
		{ID: "b", Name: "Decide", Description: s, Type: flow.TypeDecision, Number: "2"},
		{ID: "c", Type: flow.TypeDocument, Name: s},
	}, Edges: []chart.Edge{
		{ID: "ab", From: "a", To: "b", Label: s, Description: s},
		{ID: "bc", From: "b", To: "c", Label: s, Error: true},
	}}
	return Request{
		Chart: p, Subtitle: s, Scale: 1,
		Diff:    &Diff{Changed: []string{"a"}, RemovedNodes: []chart.Node{{ID: "d", Name: s}}, RemovedEdges: []chart.Edge{{ID: "cd", From: "c", To: "d", Label: s}}},
		Overlay: &Overlay{Nodes: map[string]NodeStatus{"a": {State: Error, Note: s}, "b": {State: Running, Note: s}}, Taken: map[string]Taken{"ab": {Count: 3, Why: s}}, Header: Running},
	}
}

// The time of a picture grows with its texts and no faster, whatever the texts are.
func TestTextGrowth(t *testing.T) {
	r := New(Options{Patience: time.Nanosecond}) // Graphviz sees no text
	growth.Texts(t, 1<<20, func(s string) {
		q := wordy(s)
		if _, err := r.SVG(t.Context(), q); err != nil {
			t.Error(err)
		}
		if n := utf8.RuneCountInString(r.Alt(q)); n > altLimit {
			t.Errorf("an alt text of %d letters", n)
		}
	})
}

func TestALongWordIsDrawnInTime(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1000, 9000, 1 << 20} {
		start := time.Now()
		if _, err := New(patient).PNG(t.Context(), wordy(strings.Repeat("a", n))); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("a picture with a word of %d letters took %s", n, took)
		}
	}
}

// A long text leaves the others their room in the alt text, and is visibly cut there and in tooltips.
func TestALongNameIsCutAndTheOthersStay(t *testing.T) {
	t.Parallel()
	p := linear()
	p.Nodes[0].Name = strings.Repeat("n", 9000)
	r := New(Options{Patience: patient.Patience, Budget: Budget{Text: 300}})
	alt := r.Alt(Request{Chart: p})
	for _, n := range p.Nodes[1:] {
		if !strings.Contains(alt, n.Name) {
			t.Errorf("the alt text lacks %q: %s", n.Name, alt)
		}
	}
	svg, err := r.SVG(t.Context(), Request{Chart: p})
	if err != nil {
		t.Fatal(err)
	}
	if s := string(svg); !strings.Contains(s, strings.Repeat("n", 300)+"… (") || strings.Contains(s, strings.Repeat("n", 301)) {
		t.Errorf("the tooltip does not end after 300 letters and an ellipsis")
	}
}

// mesh is a chart of n nodes with as many ways as asked for, in one of several forms.
func mesh(form string, nodes, edges int) chart.Chart {
	p := chart.Chart{Title: form}
	for i := range nodes {
		kind := flow.TypeProcess
		if i%7 == 3 {
			kind = flow.TypeDecision
		}
		p.Nodes = append(p.Nodes, chart.Node{ID: fmt.Sprint("n", i), Name: fmt.Sprint("Step ", i), Type: kind, Number: fmt.Sprint(i + 1)})
	}
	for i := range edges {
		from, to := i%nodes, (i+1)%nodes
		switch form {
		case "chain":
			if to == 0 {
				continue
			}
		case "fan out": // and in again
			from, to = 0, 1+i%(nodes-1)
			if i >= nodes-2 {
				from, to = 1+i%(nodes-2), nodes-1
			}
		case "ways back":
			if i >= nodes {
				from, to = (i*7)%nodes, (i*3)%nodes
				from, to = max(from, to), min(from, to)
			}
		case "at random":
			from, to = (i*7919)%nodes, (i*104729+i/nodes)%nodes
		case "ladder":
			to = min(from+1+i/nodes, nodes-1)
		case "between two":
			from, to = 0, 1
		}
		p.Edges = append(p.Edges, chart.Edge{ID: fmt.Sprint("e", i), From: fmt.Sprint("n", from), To: fmt.Sprint("n", to), Label: fmt.Sprint("way ", i)})
	}
	return p
}

var forms = []string{"chain", "fan out", "ways back", "at random", "ladder", "between two"}

// The time of a picture grows with the nodes and edges of its chart and no faster, up to what the budget admits.
func TestPlanGrowth(t *testing.T) {
	r := New(Options{Patience: time.Nanosecond}) // Graphviz has its own test: its input is bounded
	for _, form := range forms {
		t.Run(form, func(t *testing.T) {
			growth.Linear(t, defaultBudget.Nodes, func(n int) func() {
				p := mesh(form, n, 4*n)
				return func() {
					q := Request{Chart: p, Diff: Compare(mesh(form, n/2, n), p)}
					if _, err := r.SVG(t.Context(), q); err != nil && !errors.Is(err, ErrBudget) {
						t.Error(err)
					}
					r.Alt(q)
					if _, err := r.Pages(t.Context(), q); err != nil && !errors.Is(err, ErrBudget) {
						t.Error(err)
					}
				}
			})
		})
	}
}

// A tangle whose groups are as large as itself is drawn as it is: it is not divided for ever.
func TestPagesOfATangleEnd(t *testing.T) {
	t.Parallel()
	for _, form := range forms {
		for nodes := 20; nodes <= 1280; nodes *= 4 {
			p := mesh(form, nodes, 4*nodes)
			pages, err := New(Options{}).Pages(t.Context(), Request{Chart: p})
			if err != nil {
				t.Fatal(err)
			}
			if len(pages) > nodes {
				t.Errorf("%s: %d nodes on %d pages", form, nodes, len(pages))
			}
		}
	}
}

// Few nodes with very many ways between them are drawn with one way for all of the same ends.
func TestManyWaysBetweenFewNodesBecomeOne(t *testing.T) {
	growth.Linear(t, defaultBudget.Edges, func(n int) func() {
		r, p := New(Options{Patience: time.Nanosecond}), mesh("at random", 10, n)
		return func() {
			s, err := r.scene(t.Context(), Request{Chart: p})
			if err != nil {
				t.Fatal(err)
			}
			if len(s.boxes) != 10 || len(s.wires) > 200 {
				t.Errorf("%d ways are %d shapes and %d ways", n, len(s.boxes), len(s.wires))
			}
		}
	})
}

func TestWhatDoesNotKeepToTheBudgetIsSaidByName(t *testing.T) {
	t.Parallel()
	draw := map[string]func(*Renderer, Request) error{
		"PNG":   func(r *Renderer, q Request) error { _, err := r.PNG(t.Context(), q); return err },
		"SVG":   func(r *Renderer, q Request) error { _, err := r.SVG(t.Context(), q); return err },
		"Pages": func(r *Renderer, q Request) error { _, err := r.Pages(t.Context(), q); return err },
	}
	for _, c := range []struct {
		limit  string
		budget Budget
		chart  chart.Chart
		want   string
		pages  bool // Pages divides and does not draw
	}{
		{"nodes", Budget{Nodes: 10}, chain(11), "the flowchart has 11 nodes, and a picture may have 10", true},
		{"edges", Budget{Edges: 10}, mesh("between two", 2, 11), "the flowchart has 11 edges, and a picture may have 10", true},
		{"bytes", Budget{Bytes: 100}, chain(3), "bytes, and a picture may have 100", false},
		{"time", Budget{Time: time.Nanosecond}, chain(3), "the flowchart took longer to draw than 1ns", false},
	} {
		for name, f := range draw {
			if name == "Pages" && !c.pages {
				continue
			}
			err := f(New(Options{Budget: c.budget}), Request{Chart: c.chart})
			var over *BudgetError
			if !errors.Is(err, ErrBudget) || !errors.As(err, &over) || over.Limit != c.limit || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s of too many %s: %v", name, c.limit, err)
			}
		}
	}
	if alt := New(Options{}).Alt(Request{Chart: mesh("chain", 10_001, 10_000)}); !strings.HasPrefix(alt, "Draft flowchart: chain.") || len(alt) > altLimit {
		t.Errorf("alt text %q", alt)
	}
}

// The caller's own end is no fault of the picture.
func TestACallerWhoLeavesIsNotTheBudget(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(Options{}).PNG(ctx, Request{Chart: chain(20)}); !errors.Is(err, context.Canceled) || errors.Is(err, ErrBudget) {
		t.Errorf("%v", err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	if _, err := New(Options{}).PNG(ctx, Request{Chart: chain(20)}); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrBudget) {
		t.Errorf("%v", err)
	}
}

func TestALargePictureHasASmallerScale(t *testing.T) {
	t.Parallel()
	b, err := New(Options{Patience: patient.Patience, Budget: Budget{Pixels: 50_000}}).PNG(t.Context(), Request{Chart: linear(), Scale: 1e9})
	if err != nil {
		t.Fatal(err)
	}
	if w, h := sizeOf(t, b); w*h > 51_000 {
		t.Errorf("%d by %d pixels", w, h)
	}
}

func sizeOf(t *testing.T, b []byte) (w, h int) {
	t.Helper()
	c, err := png.DecodeConfig(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return c.Width, c.Height
}
