package flowtest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// Golden compares the section "want" of every txtar file with the result of got for its flow, which is the first section.
func Golden(t *testing.T, pattern string, got func(t *testing.T, file txtar.File) string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files at %s: %v", pattern, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text := got(t, archive.Files[0])
			if *update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "want", Data: []byte(text)})
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(archive.Files) != 2 {
				t.Fatal("the file needs a flow and a section want; run with -update")
			}
			if diff := cmp.Diff(string(archive.Files[1].Data), text); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
