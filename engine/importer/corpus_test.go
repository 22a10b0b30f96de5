package importer_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/flow/chart"
	"sluice/engine/importer"
	"sluice/engine/importer/importertest"
	"sluice/render"
)

// TestCorpus reads every published document: one format recognises it, it is valid, it is drawn, and it comes back as it was. How
// their runs end, the tests of each format report.
func TestCorpus(t *testing.T) {
	t.Parallel()
	root := importertest.Shared(t, "corpus")
	documents := map[string]int{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) == ".md" {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		doc, format, problems := importer.Check(e.Name(), src, flow.Checks{})
		if problems.HasErrors() {
			t.Errorf("%s: %v", path, problems.Errors())
			return nil
		}
		stored, err := flow.FromJSON(flow.Canonical(doc.Flow))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return nil
		}
		known, ok := importer.ByProfile(stored.Profile)
		if back, err := known.Encode(stored); !ok || err != nil || string(back) != string(src) {
			t.Errorf("%s does not come back as it was: %v", path, err)
		}
		picture := chart.Of(stored)
		if doc.Chart != nil {
			picture = *doc.Chart
		}
		if _, err := render.New(render.Options{}).SVG(t.Context(), render.Request{Chart: picture}); err != nil {
			t.Errorf("%s cannot be drawn: %v", path, err)
		}
		documents[format.Name]++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range documents {
		t.Logf("%s: %d documents", name, n)
	}
}
