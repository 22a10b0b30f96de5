package tool_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"sluice/engine/flow"
	"sluice/engine/tool"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Each archive holds actions.yaml and the problems that are reported for it.
func TestBadActionFiles(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/actions/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tools, err := tool.LoadActions("actions.yaml", archive.Files[0].Data, tool.Options{})
			if err == nil || tools != nil {
				t.Fatal("the file was accepted")
			}
			if _, ok := errors.AsType[flow.Problems](err); !ok {
				t.Fatalf("got %T", err)
			}
			got := err.Error() + "\n"
			if *update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "problems", Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(archive.Files) != 2 {
				t.Fatal("the archive holds no problems; run with -update")
			}
			if diff := cmp.Diff(string(archive.Files[1].Data), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzLoadActions(f *testing.F) {
	f.Add([]byte(strings.ReplaceAll(shopActions, "BASE", "https://shop.example:8443")))
	f.Add([]byte("\r0")) // a line break of its own
	files, _ := filepath.Glob("testdata/actions/*.txtar")
	for _, file := range files {
		if archive, err := txtar.ParseFile(file); err == nil {
			f.Add(archive.Files[0].Data)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		tools, err := tool.LoadActions("actions.yaml", src, tool.Options{})
		if (err == nil) == (len(tools) == 0) {
			t.Fatalf("%d tools and the error %v", len(tools), err)
		}
		if err != nil {
			problems, _ := errors.AsType[flow.Problems](err)
			for _, p := range problems {
				if p.Line < 1 || p.Column < 1 || p.Message == "" {
					t.Errorf("a problem without a place or message: %+v", p)
				}
			}
			return
		}
		if _, err := tool.New(tools...); err != nil {
			t.Errorf("the catalogue refuses what was loaded: %v", err)
		}
		for _, x := range tools {
			if x.Host == "" || strings.Contains(x.Host, "{{") {
				t.Errorf("%s has the host %q", x.Name, x.Host)
			}
		}
	})
}
