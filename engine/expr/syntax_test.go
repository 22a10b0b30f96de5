package expr_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"sluice/engine/expr"
)

var update = flag.Bool("update", false, "write the golden files again")

func TestSyntaxErrors(t *testing.T) {
	t.Parallel()
	path := filepath.Join("testdata", "syntax.txtar")
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	var cases []txtar.File
	for _, f := range archive.Files {
		if name, isMessage := strings.CutSuffix(f.Name, ".message"); isMessage {
			want[name] = string(f.Data)
			continue
		}
		cases = append(cases, f)
	}
	written := &txtar.Archive{Comment: archive.Comment}
	for _, f := range cases {
		got := report(t, f.Name, strings.TrimSuffix(string(f.Data), "\n"))
		written.Files = append(written.Files, f, txtar.File{Name: f.Name + ".message", Data: []byte(got)})
		if diff := cmp.Diff(want[f.Name], got); diff != "" && !*update {
			t.Errorf("%s: the message differs (-want +got):\n%s", f.Name, diff)
		}
	}
	if *update {
		if err := os.WriteFile(path, txtar.Format(written), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// report compiles a source that is wrong and gives its error as a terminal shows it.
func report(t *testing.T, name, src string) string {
	t.Helper()
	var err error
	if strings.HasSuffix(name, ".tmpl") {
		_, err = expr.ParseTemplate(src, ids)
	} else {
		_, err = expr.Compile(src, ids)
	}
	syntax, ok := errors.AsType[*expr.SyntaxError](err)
	if !ok {
		t.Errorf("%s: the error is %v, want a *SyntaxError", name, err)
		return ""
	}
	if syntax.Src != src || syntax.Offset < 0 || syntax.Offset > len(src) {
		t.Errorf("%s: the error points at byte %d of %q", name, syntax.Offset, syntax.Src)
	}
	return err.Error() + "\n" + syntax.Caret() + "\n"
}
