package app_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/flow"
	"sluice/engine/flow/flowtest"
	"sluice/engine/importer/app"
	"sluice/engine/importer/importertest"
)

// TestCorpus imports published apps, gives them back, and runs each many times.
func TestCorpus(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(importertest.Shared(t, "corpus/flows"), "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	ends := map[importertest.Ending]int{}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if why, ok := app.Recognise(src); !ok {
			t.Errorf("%s is not recognised: %s", file, why)
		}
		doc, err := app.Decode(filepath.Base(file), src)
		if err != nil {
			t.Fatal(err)
		}
		if errs := doc.Check(flowtest.Checks()).Errors(); len(errs) > 0 {
			t.Errorf("%s", errs)
		}
		stored, err := flow.FromJSON(flow.Canonical(doc.Flow))
		if err != nil {
			t.Fatal(err)
		}
		back, err := app.Encode(stored)
		if diff := cmp.Diff(string(src), string(back)); err != nil || diff != "" {
			t.Errorf("%s came back changed: %v\n%s", file, err, diff)
		}
		for seed := range uint64(40) {
			end, _, err := importertest.Play(doc.Flow, seed)
			if err != nil {
				t.Errorf("%s with seed %d: %v", file, seed, err)
			}
			if end != importertest.ReachedEnd {
				t.Errorf("%s with seed %d: %s", file, seed, end)
			}
			ends[end]++
		}
	}
	for _, end := range []importertest.Ending{importertest.ReachedEnd, importertest.ReachedOpaque, importertest.Errored, importertest.Capped} {
		t.Logf("%s: %d", end, ends[end])
	}
}
