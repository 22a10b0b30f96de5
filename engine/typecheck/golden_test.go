package typecheck_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/tool"
	"sluice/engine/typecheck"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// builtIns are the tools that every installation has.
func builtIns(t testing.TB) []tool.Tool {
	t.Helper()
	http, err := tool.HTTP(tool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return append(http, tool.PostMessage(nil))
}

// actions reads a file of declared actions, beside the built-in tools.
func actions(t testing.TB, src []byte) []tool.Tool {
	t.Helper()
	all := builtIns(t)
	if len(src) == 0 {
		return all
	}
	declared, err := tool.LoadActions("actions.yaml", src, tool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return append(all, declared...)
}

// checks are those of the document besides the world.
func checks(w typecheck.World) flow.Checks {
	return flow.Checks{
		World: w.Report,
		Literal: func(when string) bool {
			_, ok := expr.Literal(when)
			return ok
		},
		Expression: func(src string, ids []string) (int, string, string, bool) {
			_, err := expr.Compile(src, ids)
			return 0, fmt.Sprint(err), "", err == nil
		},
		Template: func(src string, ids []string) (int, string, string, bool) {
			_, err := expr.ParseTemplate(src, ids)
			return 0, fmt.Sprint(err), "", err == nil
		},
	}
}

// world is what a golden file says there is: actions.yaml, and people with a name and its kind on each line.
func world(t testing.TB, files map[string][]byte) typecheck.World {
	t.Helper()
	w := typecheck.World{Tools: actions(t, files["actions.yaml"])}
	if people, ok := files["people"]; ok {
		kinds := map[string]string{}
		var names []string
		for line := range strings.Lines(string(people)) {
			name, kind, _ := strings.Cut(strings.TrimSpace(line), " ")
			kinds[name] = kind
			names = append(names, name)
		}
		w.Kind = func(name string) string { return kinds[name] }
		w.Names = func() []string { return names }
	}
	if other, ok := files["other.yaml"]; ok {
		doc, _ := file.Parse("other.yaml", other)
		w.Flow = func(name string) ([]flow.Input, bool) { return doc.Flow.Inputs, name == doc.Flow.Name }
	}
	if secrets, ok := files["secrets"]; ok {
		w.Secret = func(name string) bool { return slices.Contains(strings.Fields(string(secrets)), name) }
	}
	return w
}

// TestGolden compares the problems of a flow, and its gaps, with those in the file.
func TestGolden(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/check/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string][]byte{}
			for _, f := range ar.Files {
				files[f.Name] = f.Data
			}
			w := world(t, files)
			doc, problems := file.Check("flow.yaml", files["flow.yaml"], checks(w))
			got := problems.Error()
			for _, g := range typecheck.Unchecked(doc.Flow, w.Tools) {
				got += fmt.Sprintf("\ngap: %+v", g)
			}
			got = strings.TrimSpace(got) + "\n"
			if *update {
				ar.Files = slices.DeleteFunc(ar.Files, func(f txtar.File) bool { return f.Name == "want" })
				ar.Files = append(ar.Files, txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(name, txtar.Format(ar), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(files["want"]), got); diff != "" {
				t.Errorf("the problems differ (-want +got):\n%s", diff)
			}
		})
	}
}
