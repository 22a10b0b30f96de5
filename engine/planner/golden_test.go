package planner

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"sluice/engine/enginetest"
	"sluice/engine/flow"
	flowfile "sluice/engine/flow/file"
	"sluice/engine/planner/lower"
	"sluice/engine/planner/plannertest"
	"sluice/engine/planner/readback"
	"sluice/engine/planner/tree"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestLower lowers the trees of testdata/lower and compares the flow file and the notes.
func TestLower(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/lower/*.txtar")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d trees, error %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var tr tree.Tree
			if err := json.Unmarshal(a.Files[0].Data, &tr); err != nil {
				t.Fatal(err)
			}
			f, files := golden(t, &tr)
			got := &txtar.Archive{Comment: a.Comment, Files: append(a.Files[:1:1], files...)}
			for _, script := range a.Files[1:] {
				if strings.HasPrefix(script.Name, "run ") {
					got.Files = append(got.Files, script)
					play(t, f, script)
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(txtar.Format(a)), string(txtar.Format(got))); diff != "" {
				t.Errorf("differs from the golden file (-want +got):\n%s", diff)
			}
		})
	}
}

// play runs a flow by a script.
func play(t *testing.T, f *flow.Flow, script txtar.File) {
	t.Helper()
	d, err := enginetest.NewDriver(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Script(string(script.Data)); err != nil {
		t.Errorf("%s: %v", script.Name, err)
	}
}

// golden lowers a tree and gives its flow, the read-back, the flow file and the notes.
func golden(t *testing.T, tr *tree.Tree) (*flow.Flow, []txtar.File) {
	t.Helper()
	f, nodes, notes := lower.Flow(tr, plannertest.Shop(), nil, nil)
	file := flowfile.Format(f)
	doc, problems := flowfile.Parse("flow.yaml", file)
	for _, p := range append(problems.Errors(), doc.Validate(plannertest.Checks()).Errors()...) {
		t.Errorf("%s: %s", p.Code, p.Message)
	}
	if diff := cmp.Diff(string(file), string(flowfile.Format(doc.Flow))); diff != "" {
		t.Errorf("the file is read as something else:\n%s", diff)
	}
	var said strings.Builder
	for _, n := range notes {
		fmt.Fprintf(&said, "%s %s: %s\n", n.Step, n.Code, n.Text)
	}
	numbers := map[string]string{}
	of := tr.Numbers()
	tr.Walk(func(s *tree.Step) bool {
		for _, id := range nodes[s.ID] {
			if numbers[id] == "" {
				numbers[id] = of[s.ID]
			}
		}
		return true
	})
	var read strings.Builder
	for _, l := range readback.Lines(f, plannertest.Shop().Tools, numbers) {
		fmt.Fprintf(&read, "%s. %s\n", l.Number, l.Text)
	}
	fmt.Fprintf(&read, "%s\n%s\n", strings.Join(readback.May(f, plannertest.Shop().Tools), " "), strings.Join(readback.Details(f, plannertest.Shop().Tools), "\n"))
	return doc.Flow, []txtar.File{{Name: "read-back", Data: []byte(read.String())}, {Name: "flow.yaml", Data: file}, {Name: "notes", Data: []byte(said.String())}}
}
