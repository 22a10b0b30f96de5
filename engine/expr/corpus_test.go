package expr_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/expr"
)

// TestCorpus evaluates sources that fuzzing found. Each row of the file has a source and its value or its error.
func TestCorpus(t *testing.T) {
	t.Parallel()
	path := filepath.Join("testdata", "corpus.txt")
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for line := range strings.Lines(string(want)) {
		quoted, err := strconv.QuotedPrefix(line)
		if err != nil {
			t.Fatal(line, err)
		}
		src, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatal(line, err)
		}
		fmt.Fprintf(&got, "%s\t%s\n", quoted, outcome(src))
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" && !*update {
		t.Errorf("outcomes differ (-want +got):\n%s", diff)
	}
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func outcome(src string) string {
	v, err := any(nil), error(nil)
	if strings.Contains(src, "{{") {
		v, err = renderValue(src, ids, world(), expr.Options{Now: recorded})
	} else {
		var e *expr.Expr
		if e, err = expr.Compile(src, ids); err == nil {
			v, err = e.Eval(world(), expr.Options{Now: recorded})
		}
	}
	if err != nil {
		return "error\t" + err.Error()
	}
	return expr.JSON(v)
}
