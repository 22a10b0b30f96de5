package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"sluice/engine/flow"
)

// TestMeasure compares the table of a small tree with the one that stands below it.
func TestMeasure(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("testdata/measure.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir, want := t.TempDir(), ""
	for _, f := range archive.Files {
		if f.Name == "want" {
			want = string(f.Data)
			continue
		}
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	if err := measure(t.Context(), &out, dir, ""); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("the table differs (-want +got):\n%s", diff)
	}
}

// TestMeasureSince puts the figures of a commit beside those of now.
func TestMeasureSince(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git := func(args ...string) {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, text)
		}
	}
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("package a\n")
	git("init", "-q")
	git("add", "a.go")
	git("commit", "-q", "-m", "one")
	write("package a\n\nvar B int\n\nvar C int\n")
	var out strings.Builder
	if err := measure(t.Context(), &out, dir, "HEAD"); err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{"    HEAD      now\n", "       1        5  lines, without tests\n", "       0        2  .\n"} {
		if !strings.Contains(out.String(), row) {
			t.Errorf("the table has no row %q:\n%s", row, out.String())
		}
	}
	if left, _ := exec.CommandContext(t.Context(), "git", "-C", dir, "worktree", "list").Output(); strings.Count(string(left), "\n") != 1 {
		t.Errorf("worktrees are left: %s", left)
	}
}

// TestErrands: the files that package comments name for usual changes are there, and the lists are short.
func TestErrands(t *testing.T) {
	t.Parallel()
	most := map[string]int{"node kind": 6, "card": 6, "trigger": 8, "importer": 4, "gate rule": 8}
	for _, e := range errands {
		files, err := e.files(root)
		if err != nil {
			t.Error(err)
		}
		if len(files) < 3 || len(files) > most[e.name] {
			t.Errorf("a new %s touches %d files, of at most %d: %v", e.name, len(files), most[e.name], files)
		}
		for _, name := range files {
			name = strings.Replace(name, "NAME", string(flow.KindEmit), 1)
			if _, err := os.Stat(filepath.Join(root, name)); err != nil {
				t.Errorf("the list for a new %s in %s: %v", e.name, e.comment, err)
			}
		}
	}
}

// TestNewCardTouchesListedFiles: outside of bot/surface, which has its card, only listed files know a kind of message, here the reminder.
func TestNewCardTouchesListedFiles(t *testing.T) {
	t.Parallel()
	listed, err := errands[slices.IndexFunc(errands, func(e errand) bool { return e.name == "card" })].files(root)
	if err != nil {
		t.Fatal(err)
	}
	ofReminders, found := regexp.MustCompile(`\bKindRemind\b|\bRemindCard\b`), 0
	for _, s := range goFiles(t) {
		if s.test || !ofReminders.MatchString(s.text) {
			continue
		}
		found++
		if s.folder() != "bot/surface" && !slices.Contains(listed, s.name) {
			t.Errorf("%s knows a kind of message: let its row in bot/project/kinds.go say it, or list the file in bot/project/doc.go", s.name)
		}
	}
	if found < 3 {
		t.Errorf("%d files know reminders: this test looks for something else than the code says", found)
	}
}

// TestFiguresKeepWhatWasMeasured: a measurement that fails leaves those before it in the file, and what it has said.
func TestFiguresKeepWhatWasMeasured(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "measured.md")
	err := writeFigures(t.Context(), io.Discard, file, []measurement{{"One", "echo 7 steps"}, {"Two", "ls /no/such"}, {"Three", "echo never"}})
	text, _ := os.ReadFile(file)
	if err == nil || !strings.Contains(string(text), "    7 steps\n") || !strings.Contains(string(text), "It did not finish") || strings.Contains(string(text), "Three") {
		t.Errorf("error %v, and the file says:\n%s", err, text)
	}
}
