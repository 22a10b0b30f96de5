package render

import (
	"os"
	"path/filepath"
	"testing"

	"sluice/engine/flow/chart"
	flowfile "sluice/engine/flow/file"
	"sluice/render/canvas"
)

// examples are the charts of the flows that come with the program, by the name of their folder.
func examples(t *testing.T) map[string]chart.Chart {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "examples", "*", "flow.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	charts := map[string]chart.Chart{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, problems := flowfile.Parse(file, source)
		if problems.HasErrors() {
			t.Fatalf("%s: %v", file, problems)
		}
		charts[filepath.Base(filepath.Dir(file))] = chart.Of(doc.Flow)
	}
	return charts
}

// TestExamples draws every flow that comes with the program: light in the golden pictures, dark in what is checked here.
func TestExamples(t *testing.T) {
	t.Parallel()
	r := New(patient)
	for name, chart := range examples(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, theme := range []Theme{Light, Dark} {
				file := filepath.Join("testdata", "examples", name+"-"+string(theme)+".png")
				if _, err := os.Stat(file); err != nil && !*update {
					t.Skipf("%s has no golden picture yet: run with -update and look at it", name)
				}
				compareGoldenPNG(t, r, Request{Chart: chart, Theme: theme, Scale: 1}, file)
			}
			s, err := r.scene(t.Context(), Request{Chart: chart})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.draw(t.Context(), canvas.NewSVG(s.width, s.height, "", "")); err != nil {
				t.Fatal(err)
			}
			for _, p := range problems(s) {
				t.Error(p)
			}
		})
	}
}
