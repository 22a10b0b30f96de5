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
			if tr, ok := outline.Read(text, "U1", "ana", "bob", "fin"); ok {
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

// A person and a channel, "tell @bob in #ops that it is done": the channel and what follows it are asked about.
func TestAMessageForSomebodyInAChannel(t *testing.T) {
	t.Parallel()
	tr, ok := outline.Read("tell @bob in #ops that it is done", "")
	if !ok || len(tr.Steps) != 1 || tr.Steps[0].Text != "" || unquoted(tr) != "in #ops that it is done" {
		t.Errorf("read %v, %+v, left %q", ok, tr, unquoted(tr))
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
