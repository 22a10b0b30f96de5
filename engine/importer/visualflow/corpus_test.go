package visualflow_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"sluice/engine/flow"
	"sluice/engine/flow/chart"
	"sluice/engine/importer/document"
	"sluice/engine/importer/importertest"
	"sluice/engine/importer/visualflow"
)

// corpus gives the documents that others have published. They lie beside the repository.
func corpus(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(importertest.Shared(t, "corpus/visualflow"), "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the corpus has no documents: %v", err)
	}
	all := map[string][]byte{}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(name)] = src
	}
	return all
}

// decode reads a document and checks that it is valid, can be drawn and is given back.
func decode(t *testing.T, name string, src []byte) document.Document {
	t.Helper()
	if why, ok := visualflow.Recognise(src); !ok || why == "" {
		t.Errorf("%s is not recognised", name)
	}
	d, err := visualflow.Decode(name, src)
	if err != nil {
		t.Fatal(err)
	}
	if problems := d.Check(flow.Checks{}).Errors(); len(problems) > 0 {
		t.Errorf("%v", problems)
	}
	if len(chart.Of(d.Flow).Nodes) == 0 {
		t.Errorf("%s has an empty chart", name)
	}
	stored, err := flow.FromJSON(flow.Canonical(d.Flow))
	if err != nil {
		t.Fatal(err)
	}
	back, err := visualflow.Encode(stored)
	if err != nil || !bytes.Equal(back, src) && !equal(back, src) {
		t.Errorf("%s is exported as another document: %v", name, err)
	}
	return d
}

func equal(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

func TestCorpus(t *testing.T) {
	t.Parallel()
	files := corpus(t)
	flows := map[string]*flow.Flow{}
	byFile := map[string]*flow.Flow{}
	for name, src := range files {
		f := decode(t, name, src).Flow
		flows[f.Name], byFile[name] = f, f
	}
	report(t, flows, byFile)
}

// report plays every flow of the corpus, and says how the runs end and how much of each flow they visit.
func report(t *testing.T, flows, byFile map[string]*flow.Flow) {
	t.Helper()
	ends, visited, all := map[importertest.Ending]int{}, 0, 0
	for _, name := range slices.Sorted(maps.Keys(byFile)) {
		f := byFile[name]
		s := importertest.NewStage(1)
		s.Flows = flows
		p, err := s.Play(f, s.Inputs(f))
		if err != nil {
			t.Fatal(err)
		}
		ends[p.End]++
		seen, of := 0, 0
		for i := range f.Nodes {
			if n := &f.Nodes[i]; !n.Pulled() {
				of++
				if p.Visited[n.ID] {
					seen++
				}
			}
		}
		visited, all = visited+seen, all+of
		t.Logf("%-40s %-14s %3d of %3d nodes  %.200s", name, p.End, seen, of, p.Error)
	}
	t.Logf("%d documents: %v; %d of %d nodes", len(byFile), ends, visited, all)
	if least := len(byFile) * 8 / 10; ends[importertest.ReachedEnd] < least {
		t.Errorf("%d of %d runs reach an end, fewer than %d", ends[importertest.ReachedEnd], len(byFile), least)
	}
}
