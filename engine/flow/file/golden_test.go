package file_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/flow/flowtest"
)

// TestProblems shows every sort of bad input with its message. The name of the file is the case.
func TestProblems(t *testing.T) {
	t.Parallel()
	flowtest.Golden(t, "testdata/problems/*.txtar", func(t *testing.T, in txtar.File) string {
		_, problems := file.Check(in.Name, in.Data, flowtest.Checks())
		if len(problems) == 0 {
			return ""
		}
		return problems.Error() + "\n"
	})
}

func TestProblemsAsJSON(t *testing.T) {
	t.Parallel()
	_, problems := file.Check("a.yaml", []byte("name: a\nflow:\n  entry: x\n  nodes:\n    - {id: x, type: say, mesage: hi}\n"), flow.Checks{})
	if len(problems) != 2 || problems.Err() == nil || len(problems.Errors()) != 2 || len(problems.Warnings()) != 0 {
		t.Fatalf("got %v", problems)
	}
	got, err := json.Marshal(problems[1])
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"file":"a.yaml","line":5,"column":26,"severity":"error","code":"unknown-key",` +
		`"message":"unknown key 'mesage' on flow node 'x'","hint":"did you mean 'message'?","node":"x",` +
		`"path":"flow.nodes[0].mesage","snippet":"    5 |     - {id: x, type: say, mesage: hi}\n      |                          ^"}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wrapped := fmt.Errorf("saving the flow: %w", problems)
	if all, ok := errors.AsType[flow.Problems](wrapped); !ok || len(all) != 2 {
		t.Error("the problems are not found in an error that wraps them")
	}
}
