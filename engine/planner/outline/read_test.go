package outline_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"sluice/engine/planner/outline"
	"sluice/engine/planner/tree"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestRead reads each text of the archives and prints the tree. "no" stands for a text in which nothing can be read as steps.
func TestRead(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no archives:", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i := range archive.Files {
			f := &archive.Files[i]
			text, want, _ := strings.Cut(string(f.Data), "\n=>\n")
			got := "no\n"
			if tr, ok := outline.Read(text, "U1"); ok {
				got = printed(tr)
			}
			if *update {
				f.Data = []byte(text + "\n=>\n" + got + "\n")
				continue
			}
			if diff := cmp.Diff(strings.TrimRight(want, "\n"), strings.TrimRight(got, "\n")); diff != "" {
				t.Errorf("%s, %s: %q (-want +got):\n%s", file, f.Name, text, diff)
			}
		}
		if *update {
			if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestFormsInFull prints what the example of each form becomes.
func TestFormsInFull(t *testing.T) {
	t.Parallel()
	const file = "testdata/forms.golden"
	var b strings.Builder
	for _, f := range outline.Forms() {
		tr, _ := outline.Read(f.Example, "U1")
		fmt.Fprintf(&b, "%s: %s\n  %s\n%s\n", f.Section, f.Example, f.Meaning, printed(tr))
	}
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// "in #ops" says where a message goes. The person named before is not silently left out.
func TestAMessageForSomebodyInAChannel(t *testing.T) {
	t.Parallel()
	words := "tell @bob in #ops that it is done"
	read, ok := outline.Read(words, "")
	if !ok || len(read.Steps) != 1 {
		t.Fatalf("read %v, %+v", ok, read)
	}
	s := read.Steps[0]
	if s.Text != "it is done" || len(s.To) != 1 || s.To[0].Words != "#ops" {
		t.Errorf("the step is %+v", s)
	}
	for _, q := range tree.Quotes(&s) {
		if strings.Contains(read.Words(q), "@bob") {
			t.Errorf("@bob counts as understood by %q", read.Words(q))
		}
	}
}

// TestUnread names the sentence that is no step, and what a misspelled word may mean.
func TestUnread(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, sentence, near string }{
		{"lunch", "lunch", ""},
		{"every Friday at 9, lunch", "lunch", ""},
		{"tekl #ops hello, and so on", "tekl #ops hello, and so on", "tekl tell"},
		{"", "", ""},
		{"the new contract, and so on", "the new contract, and so on", ""},
		{"contract is fine", "contract is fine", ""},
	} {
		sentence, near := outline.Unread(c.text)
		if sentence != c.sentence || strings.Join(near, " ") != c.near {
			t.Errorf("%q: %q, %q", c.text, sentence, near)
		}
	}
}
