package run_test

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"sluice/engine/enginetest"
	"sluice/engine/flow"
	flowfile "sluice/engine/flow/file"
	"sluice/engine/flow/validate"
)

// TestFlows plays the scripts in testdata/flows: one flow a file, one run a script (see enginetest.Driver.Script). The comment
// on top of a file names the statements of the format that it shows. A script named follow lets workers go on with other
// tokens after forks and joins; one with "no model" in its name has none to judge with.
func TestFlows(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/flows/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no flows: %v", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f := parse(t, file, archive.Files[0])
		for _, script := range archive.Files[1:] {
			name := strings.TrimSuffix(filepath.Base(file), ".txtar") + "/" + script.Name
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				d, err := enginetest.NewDriver(f)
				if err != nil {
					t.Fatal(err)
				}
				d.Context.HasModel = !strings.Contains(script.Name, "no model")
				d.Context.Follow = strings.HasPrefix(script.Name, "follow")
				if err := d.Script(string(script.Data)); err != nil {
					t.Errorf("%v\n%s", err, enginetest.Print(d.Facts))
				}
			})
		}
	}
}

// parse reads a flow: in the native form, or if its name says so in the canonical one, which has the kinds of imported flows.
func parse(t *testing.T, file string, src txtar.File) *flow.Flow {
	t.Helper()
	if strings.HasPrefix(string(src.Data), "{") { // the canonical form, of a flow that no native file can write
		f, err := flow.FromJSON(src.Data)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, p := range validate.Flow(f, flow.Checks{}) {
			if p.Severity == flow.SeverityError {
				t.Errorf("%s: %v", file, p)
			}
		}
		return f
	}
	doc, problems := flowfile.Parse(file, src.Data)
	for _, p := range problems {
		t.Errorf("%s: %v", file, p)
	}
	return doc.Flow
}
