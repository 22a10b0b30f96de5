package render

import (
	"bytes"
	"flag"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/engine/flow/chart"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew; look at every picture before accepting them")

// pictures are the requests whose pictures are kept in testdata.
func pictures() map[string]Request {
	after, diff := changed()
	return map[string]Request{
		"linear":          {Chart: linear()},
		"approval":        {Chart: approval(), Subtitle: "6 steps · starts with /flow run refund"},
		"approval-live":   {Chart: approval(), Overlay: live()},
		"approval-diff":   {Chart: after, Diff: diff, Theme: Dark},
		"approval-dry":    {Chart: approval(), Overlay: dry()},
		"parallel":        {Chart: parallel()},
		"loop":            {Chart: loop(), Theme: Dark},
		"incident":        {Chart: incident()},
		"incident-states": {Chart: incident(), Overlay: states(), Theme: Dark},
		"words":           {Chart: words()},
		"rtl":             {Chart: toTheLeft()},
		"long":            {Chart: endless()},
		"nested":          {Chart: nested(), Theme: Dark},
		"types":           {Chart: types()},
		"onboarding":      {Chart: onboarding(4), Theme: Dark},
		"tiers":           {Chart: tiers()},
		"open":            {Chart: openSteps()},
		"forty":           {Chart: stages(4)},
		"large":           {Chart: stages(15)},
		"large-live":      {Chart: stages(15), Overlay: halfway(stages(15)), Theme: Dark},
	}
}

// types has every type once.
func types() chart.Chart {
	s := newSketch("Every type")
	for i, t := range typeOrder {
		s.node(string(t), strings.ToUpper(string(t[:1]))+string(t[1:]), "what it does", t)
		if i > 0 {
			s.edge(string(typeOrder[i-1]), string(t), "")
		}
	}
	return s.chart
}

func TestGoldenSVG(t *testing.T) {
	t.Parallel()
	r := New(patient)
	for name, q := range pictures() {
		got, err := r.SVG(t.Context(), q)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		compareGolden(t, name+".svg", string(got))
	}
}

// TestGoldenPNG looks at every picture in its theme and, in folder other, in the other one.
func TestGoldenPNG(t *testing.T) {
	t.Parallel()
	r := New(patient)
	for name, q := range pictures() {
		q.Scale = 1
		compareGoldenPNG(t, r, q, filepath.Join("testdata", name+".png"))
		if q.Theme == Light || q.Theme == "" {
			q.Theme = Dark
		} else {
			q.Theme = Light
		}
		compareGoldenPNG(t, r, q, filepath.Join("testdata", "other", name+".png"))
	}
}

func compareGoldenPNG(t *testing.T, r *Renderer, q Request, file string) {
	t.Helper()
	got, err := r.PNG(t.Context(), q)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if *update {
		write(t, file, got)
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if problem := differs(t, want, got); problem != "" {
		t.Errorf("%s: %s; look at the picture, then run with -update", file, problem)
	}
}

// differs compares two pictures with room for another machine's rounding: one pixel in 250 may be off.
func differs(t *testing.T, want, got []byte) string {
	t.Helper()
	a, b := decode(t, want), decode(t, got)
	if a.Bounds() != b.Bounds() {
		return "its size is " + b.Bounds().Size().String() + " instead of " + a.Bounds().Size().String()
	}
	const tolerance = 24 << 8
	off, size := 0, a.Bounds().Size()
	for y := range size.Y {
		for x := range size.X {
			r1, g1, b1, _ := a.At(x, y).RGBA()
			r2, g2, b2, _ := b.At(x, y).RGBA()
			if max(diff(r1, r2), diff(g1, g2), diff(b1, b2)) > tolerance {
				off++
			}
		}
	}
	if off > size.X*size.Y/250 {
		return "it looks different"
	}
	return ""
}

func diff(a, b uint32) uint32 { return max(a, b) - min(a, b) }

func decode(t *testing.T, b []byte) image.Image {
	t.Helper()
	m, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		write(t, file, []byte(got))
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
		t.Errorf("%s differs (look at it, then run with -update):\n%.2000s", name, d)
	}
}

func write(t *testing.T, file string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, content, 0o644); err != nil {
		t.Fatal(err)
	}
}
