package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/engine/flow/chart"
	"sluice/render/canvas"
	"sluice/render/layout"
)

func TestSmallPlansAreDrawnWhole(t *testing.T) {
	t.Parallel()
	r := New(patient)
	q := Request{Chart: incident()}
	if got := r.Overview(q); len(got.Chart.Nodes) != len(q.Chart.Nodes) {
		t.Errorf("an overview of %d shapes", len(got.Chart.Nodes))
	}
	pages, err := r.Pages(t.Context(), q)
	if err != nil || len(pages) != 1 || pages[0].Title != "Incident response runbook" || pages[0].Request.Subtitle != "" {
		t.Errorf("got %d pages, %v", len(pages), err)
	}
	if _, err := r.Pages(t.Context(), Request{}); !errors.Is(err, errEmpty) {
		t.Errorf("got %v, want the error of an empty chart", err)
	}
}

// Every node of a large chart is on one page, and every edge can be followed from page to page.
func TestPages(t *testing.T) {
	t.Parallel()
	r := New(patient)
	p := stages(15)
	pages, err := r.Pages(t.Context(), Request{Chart: p, Overlay: halfway(p)})
	if err != nil {
		t.Fatal(err)
	}
	shown, edges := map[string]int{}, map[string]bool{}
	for i, page := range pages {
		if page.ID != fmt.Sprintf("page-%d", i+1) || page.Title == "" {
			t.Errorf("page %d is %q, %q", i+1, page.ID, page.Title)
		}
		for _, n := range page.Request.Chart.Nodes {
			if in := page.Request.insets[n.ID]; in.badge == "" && !in.away {
				shown[n.ID]++
			}
			if target, ok := strings.CutPrefix(n.Link, "#"); ok && !slices.ContainsFunc(pages, func(p Page) bool { return p.ID == target }) {
				t.Errorf("%s leads to %s, which is no page", n.ID, n.Link)
			}
		}
		for _, e := range page.Request.Chart.Edges {
			edges[e.ID] = true
		}
		checkPicture(t, r, page.Request)
	}
	for _, n := range p.Nodes {
		if shown[n.ID] != 1 {
			t.Errorf("%s is shown %d times", n.ID, shown[n.ID])
		}
	}
	for _, e := range p.Edges {
		if !edges[e.ID] {
			t.Errorf("edge %s from %s to %s is on no page", e.ID, e.From, e.To)
		}
	}
	svg, err := r.SVG(t.Context(), pages[0].Request)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<a href="#page-2">`, ">1–11<", ">11 of 11 complete<", "1. Freeze mail&#xA;2. Copy mail", ">overview · 75 of 150 steps complete · 1 running"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("the overview lacks %q", want)
		}
	}
}

// checkPicture draws a request and finds what a person would complain about.
func checkPicture(t *testing.T, r *Renderer, q Request) {
	t.Helper()
	s, err := r.scene(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.draw(t.Context(), canvas.NewSVG(s.width, s.height, "", "")); err != nil {
		t.Fatal(err)
	}
	for _, p := range problems(s) {
		t.Errorf("%s (%s): %s", q.Chart.Title, s.by, p)
	}
}

func TestOverviewShowsWhatChanged(t *testing.T) {
	t.Parallel()
	before, after := stages(8), stages(8)
	after.Nodes[5].Description = "another way"
	gone := after.Nodes[40]
	after.Nodes = slices.Delete(after.Nodes, 40, 41)
	after.Edges = slices.DeleteFunc(after.Edges, func(e chart.Edge) bool { return e.From == gone.ID || e.To == gone.ID })
	r := New(patient)
	q := Request{Chart: after, Diff: Compare(before, after)}
	got := r.Overview(q)
	if len(got.Diff.Changed) != 2 || len(got.Chart.Nodes) > overviewShapes {
		t.Errorf("changed are %v among %d shapes, want two groups", got.Diff.Changed, len(got.Chart.Nodes))
	}
	pages, err := r.Pages(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	ghosts := 0
	for _, p := range pages[1:] {
		for _, n := range p.Request.Diff.RemovedNodes {
			if n.ID == gone.ID {
				ghosts++
			}
		}
	}
	if ghosts != 1 {
		t.Errorf("the removed step is on %d pages", ghosts)
	}
}

func TestSumOfStates(t *testing.T) {
	t.Parallel()
	done, skipped, waiting := NodeStatus{State: Complete}, NodeStatus{State: Skipped}, NodeStatus{State: Waiting, Note: "waits for @ana"}
	for name, c := range map[string]struct {
		of   []NodeStatus
		want NodeStatus
	}{
		"nothing yet":   {[]NodeStatus{{}, {}}, NodeStatus{}},
		"begun":         {[]NodeStatus{done, {}}, NodeStatus{Note: "1 of 2 complete"}},
		"done":          {[]NodeStatus{done, skipped}, NodeStatus{State: Complete, Note: "1 of 2 complete"}},
		"waiting":       {[]NodeStatus{done, waiting, {}}, NodeStatus{State: Waiting, Note: "1 of 3 complete"}},
		"error first":   {[]NodeStatus{waiting, {State: Error}}, NodeStatus{State: Error, Note: "0 of 2 complete"}},
		"skipped":       {[]NodeStatus{skipped, skipped}, NodeStatus{State: Skipped, Note: "0 of 2 complete"}},
		"one as it is":  {[]NodeStatus{waiting}, waiting},
		"on a dry path": {[]NodeStatus{{State: Possible}, {}}, NodeStatus{State: Possible, Note: "1 of 2 would run"}},
	} {
		if got := sumOf(c.of); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

// A chart without any order is drawn too, quickly, and nothing is left to find by chance.
func TestHostilePlan(t *testing.T) {
	t.Parallel()
	r := New(patient)
	q := Request{Chart: randomChartOf(7, 1000, 1000), Scale: 1}
	start := time.Now()
	b, err := r.PNG(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if d := time.Since(start); d > time.Minute {
		t.Errorf("it took %s", d)
	}
	if m, err := png.DecodeConfig(bytes.NewReader(b)); err != nil || m.Width*m.Height > 6e6 {
		t.Errorf("the picture has %d by %d pixels (%v)", m.Width, m.Height, err)
	}
	pages, err := r.Pages(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, p := range pages {
		if n := len(p.Request.Chart.Nodes); n > layout.MaxNodes {
			t.Errorf("%s has %d shapes", p.ID, n)
		}
		for _, n := range p.Request.Chart.Nodes {
			shown[n.ID] = true
		}
	}
	for _, n := range q.Chart.Nodes {
		if !shown[n.ID] {
			t.Errorf("%s is on no page", n.ID)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Pages(ctx, q); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
	if _, err := r.PNG(ctx, q); !errors.Is(err, context.Canceled) { // known by now, and yet not drawn
		t.Errorf("got %v, want the context's error", err)
	}
}
