package try_test

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"sluice/engine/enginetest"
	"sluice/engine/flow"
	flowfile "sluice/engine/flow/file"
	"sluice/engine/try"
)

// Every run that shows a rule of the machine goes the same way through its own revision, and so do those in testdata/replay: runs that
// something happened to that is easily missed.
func TestRunsOfScriptsAreReplayed(t *testing.T) {
	t.Parallel()
	over := 0
	for _, pattern := range []string{"../run/testdata/flows/*.txtar", "testdata/replay/*.txtar"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no flows at %s: %v", pattern, err)
		}
		for _, file := range files {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, script := range archive.Files[1:] {
				d := scripted(t, file, archive.Files[0].Data, script)
				own := strings.HasPrefix(pattern, "testdata")
				if !d.State.Status.Final() {
					if own {
						t.Errorf("%s/%s: the run is not over", file, script.Name)
					}
					continue
				}
				over++
				got, err := try.Replay(d.Program, try.History{ID: d.Context.RunID, Name: "run", Flow: d.Flow, Facts: enginetest.Each(d.Facts)}, try.Surroundings{})
				want := try.Same
				if strings.HasSuffix(file, "agent_limit_continue.txtar") && script.Name == "a person answers" {
					want = try.NotKnown // a replay does not follow what a person says in the place of an agent at its limit
				}
				if err != nil || got.Verdict != want || len(got.Other) > 0 {
					t.Errorf("%s/%s: %+v, %v\n%s", file, script.Name, got, err, enginetest.Print(d.Facts))
				}
			}
		}
	}
	if over < 100 {
		t.Errorf("only %d runs were replayed", over)
	}
}

// scripted plays a script.
func scripted(t *testing.T, file string, src []byte, script txtar.File) *enginetest.Driver {
	t.Helper()
	doc, _ := flowfile.Parse(file, src)
	f := doc.Flow
	if strings.HasPrefix(string(src), "{") {
		var err error
		if f, err = flow.FromJSON(src); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	d, err := enginetest.NewDriver(f)
	if err != nil {
		t.Fatal(err)
	}
	d.Context.HasModel = !strings.Contains(script.Name, "no model")
	d.Context.Follow = strings.HasPrefix(script.Name, "follow")
	if err := d.Script(string(script.Data)); err != nil {
		t.Fatalf("%s/%s: %v\n%s", file, script.Name, err, enginetest.Print(d.Facts))
	}
	return d
}
