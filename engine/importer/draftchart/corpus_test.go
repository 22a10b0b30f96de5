package draftchart_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/flow"
	"sluice/engine/flow/flowtest"
	"sluice/engine/importer/document"
	"sluice/engine/importer/draftchart"
	"sluice/engine/importer/importertest"
	"sluice/render"
)

// TestCorpus imports published drafts and runtime graphs, draws them, gives them back, and runs each many times.
func TestCorpus(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(importertest.Shared(t, "corpus/draft-flowchart"), "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := draftchart.Recognise(src); !ok {
				t.Error("it is not recognised")
			}
			doc := decode(t, string(src))
			if _, err := render.New(render.Options{}).PNG(t.Context(), render.Request{Chart: *doc.Chart}); err != nil {
				t.Errorf("its chart cannot be drawn: %v", err)
			}
			comesBack(t, src, doc.Flow)
			ends := map[importertest.Ending]int{}
			for seed := range uint64(10) {
				end, _, err := importertest.Play(doc.Flow, seed)
				if err != nil {
					t.Errorf("with seed %d: %v", seed, err)
				}
				ends[end]++
			}
			t.Logf("reached end %d, reached opaque %d, errored %d, capped %d",
				ends[importertest.ReachedEnd], ends[importertest.ReachedOpaque], ends[importertest.Errored], ends[importertest.Capped])
			if ends[importertest.Errored]+ends[importertest.ReachedOpaque] > 0 {
				t.Errorf("runs ended otherwise than at the end or at a cap: %v", ends)
			}
		})
	}
}

// comesBack checks that the stored flow gives its document back.
func comesBack(t *testing.T, src []byte, f *flow.Flow) {
	t.Helper()
	stored, err := flow.FromJSON(flow.Canonical(f))
	if err != nil {
		t.Fatal(err)
	}
	back, err := draftchart.Encode(stored)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(src), string(back)); diff != "" {
		t.Error(diff)
	}
	stored.Description = "Something else."
	changed, err := draftchart.Encode(stored)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, decode(t, string(changed)).Flow.Description, "Something else.")
	stored.Nodes[0].Routes = nil
	var refused *document.NotWritableError
	if _, err := draftchart.Encode(stored); !errors.As(err, &refused) {
		t.Errorf("a route that is gone was written: %v", err)
	}
}

func TestHostileDrafts(t *testing.T) {
	t.Parallel()
	var wide, deep, circle strings.Builder
	for i := range 1900 {
		fmt.Fprintf(&wide, "a>x%d:on_success:L%d ", i%3, i)
		fmt.Fprintf(&deep, "d%d>d%d::Yes d%d>d%d::No ", i, i+1, i, i+1)
		fmt.Fprintf(&circle, "d%d>d%d::Yes d%d>d%d::No ", i, (i+1)%1900, i, (i+7)%1900)
	}
	var decisions strings.Builder
	decisions.WriteString("a ")
	for i := range 1901 {
		decisions.WriteString(fmt.Sprintf("d%d:decision ", i))
	}
	for name, src := range map[string]string{
		"many edges":           draft(ids("s a:decision x0 x1 x2"), arrows("s>a "+wide.String())),
		"decisions in a row":   draft(ids(decisions.String()), arrows("a>d0 "+deep.String())),
		"decisions in circles": draft(ids(decisions.String()), arrows("a>d0 "+circle.String())),
	} {
		began := time.Now()
		doc, err := draftchart.Decode(name, []byte(src))
		if took := time.Since(began); took > time.Minute {
			t.Errorf("%s: it took %s", name, took)
		}
		if err == nil {
			doc.Check(flowtest.Checks())
		}
	}
	hostile := importertest.Hostile()
	hostile["many nodes"] = []byte(draft(strings.Repeat(`{"id": "x"}, `, 60_000)+`{"id": "y"}`, ""))
	for name, src := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			importertest.Bounded(t, draftchart.Decode, name, src)
		})
	}
}

// TestFlowchartMapsAreReadBack compares the map of a published file with the one of its document.
func TestFlowchartMapsAreReadBack(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(importertest.Shared(t, "corpus/draft-flowchart"), "*.flowchart.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var want struct {
			Map   map[string][]string `json:"flowchart_map"`
			Draft struct {
				Nodes []struct {
					ID   string             `json:"id"`
					Type flow.FlowchartType `json:"flowchart_type"`
				} `json:"nodes"`
			} `json:"original_draft"`
		}
		if err := json.Unmarshal(src, &want); err != nil {
			t.Fatal(err)
		}
		doc := decode(t, string(src))
		equal(t, doc.Map, want.Map)
		for i, n := range want.Draft.Nodes {
			if got := doc.Chart.Nodes[i]; got.ID != n.ID || got.Type != n.Type {
				t.Errorf("%s: node %d is %s of type %s, not %s of type %s", file, i, got.ID, got.Type, n.ID, n.Type)
			}
		}
	}
}

// FuzzDecode reads anything: what is read comes back as it was, and its canonical form is stable.
func FuzzDecode(f *testing.F) {
	for _, src := range []string{billing, chain, graph(ids("a b"), when("a", "b", "n > 1", 1)), draft(`{"id": "a", "sub_agents": ["b"]}, {"id": "b", "node_type": "gcu"}`, "")} {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		draftchart.Recognise(src)
		doc, err := draftchart.Decode("draft.json", src)
		if err != nil {
			return
		}
		if errs := doc.Check(flowtest.Checks()).Errors(); len(errs) > 0 {
			return
		}
		stored, err := flow.FromJSON(flow.Canonical(doc.Flow))
		if err != nil {
			t.Fatal(err)
		}
		if flow.Hash(stored) != flow.Hash(doc.Flow) {
			t.Error("the stored form has another hash")
		}
		if back, err := draftchart.Encode(stored); err != nil || string(back) != string(src) {
			t.Errorf("it came back as %q: %v", back, err)
		}
		stored.MaxVisits = 50
		if _, _, err := importertest.Play(stored, 1); err != nil {
			t.Error(err)
		}
	})
}
