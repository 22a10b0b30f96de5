package main

import (
	"go/ast"
	"iter"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// top is everything that may lie at the top of the repository, besides dot-files.
var top = []string{
	"Dockerfile", "README.md", "bot", "cmd", "engine", "examples", "go.mod", "go.sum", "migrations", "render", "storage",
}

// pure are the packages that decide: the same input gives the same answer for ever, so that a decision can be repeated.
var pure = []string{
	"engine/authority",
	"engine/calendar",
	"engine/expr",
	"engine/expr/function",
	"engine/expr/value",
	"engine/flow",
	"engine/flow/approval",
	"engine/flow/chart",
	"engine/flow/file",
	"engine/flow/lookalike",
	"engine/flow/reference",
	"engine/flow/refusal",
	"engine/flow/source",
	"engine/flow/validate",
	"engine/history",
	"engine/naming",
	"engine/run",
	"engine/run/compile",
	"engine/run/forkplan",
	"engine/run/form",
	"engine/run/routes",
	"engine/run/scope",
}

// impure are packages, with those below them, that pure packages may not import.
var impure = []string{"os", "net", "database/sql", "log", "math/rand", "crypto/rand", "io/ioutil", "syscall", "runtime"}

// clock are the functions of the package time that ask for the time or wait for it.
var clock = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

// longest is how many lines a file may have: what does not fit is two subjects.
const longest = 500

// homes are folders at the root of somebody's machine.
var homes = []string{"home", "root", "work", "Users", "mnt", "srv", "media"}

func TestTopLevel(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(top, e.Name()) && !ignored(t, e.Name()) {
			t.Errorf("%s does not belong at the top of the repository: that is exactly %s and dot-files", e.Name(), strings.Join(top, ", "))
		}
	}
}

// ignored says whether git leaves a name at the top alone: what people build and measure lies around.
func ignored(t *testing.T, name string) bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, ".gitignore"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if fits, _ := path.Match(strings.Trim(strings.TrimSpace(line), "/"), name); fits {
			return true
		}
	}
	return false
}

// TestEveryPackageHasAComment: what the package is, what it does not know, where to look next.
func TestEveryPackageHasAComment(t *testing.T) {
	t.Parallel()
	said := map[string]bool{}
	for _, s := range goFiles(t) {
		if s.test {
			continue
		}
		words := "Package " + s.syntax.Name.Name + " "
		if s.syntax.Name.Name == "main" {
			words = "Command "
		}
		said[s.folder()] = said[s.folder()] || strings.HasPrefix(s.syntax.Doc.Text(), words)
	}
	for _, folder := range slices.Sorted(maps.Keys(said)) {
		if !said[folder] {
			t.Errorf("%s has no package comment: write doc.go, beginning with \"// Package\" and the name", folder)
		}
	}
}

// longestComment is how many lines a package comment may have: decisions and figures beyond that go into files of the package.
const longestComment = 60

// TestPackageCommentsAreShort: what does not fit is decisions.md or figures.md of the package.
func TestPackageCommentsAreShort(t *testing.T) {
	t.Parallel()
	for _, s := range goFiles(t) {
		if n := strings.Count(s.syntax.Doc.Text(), "\n"); n > longestComment {
			t.Errorf("%s: the package comment has %d lines, more than %d", s.name, n, longestComment)
		}
	}
}

// TestCommentsNameTheirFunctions: a comment that begins with a name begins with that of its function, also after the function got another one.
func TestCommentsNameTheirFunctions(t *testing.T) {
	t.Parallel()
	for _, s := range goFiles(t) {
		for _, d := range s.syntax.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || s.test || f.Doc == nil {
				continue
			}
			first, _, _ := strings.Cut(f.Doc.Text(), " ")
			if named := unicode.IsLower([]rune(first + "A")[0]); named && strings.Trim(first, ",:\n") != f.Name.Name {
				t.Errorf("%s: the comment of %s begins with %q", s.line(f), f.Name.Name, first)
			}
		}
	}
}

// TestPurePackages keeps the world out of the packages that decide: no files, network, database, log, chance or time.
func TestPurePackages(t *testing.T) {
	t.Parallel()
	for _, s := range goFiles(t) {
		if s.test || !slices.Contains(pure, s.folder()) {
			continue
		}
		for _, p := range s.imports() {
			for _, bad := range impure {
				if p == bad || strings.HasPrefix(p, bad+"/") {
					t.Errorf("%s imports %s: %s is pure; hand the value in", s.name, p, s.folder())
				}
			}
		}
		for _, use := range s.clockUses() {
			t.Errorf("%s: %s is pure: the time is handed in", use, s.folder())
		}
	}
}

// clockUses finds where a file asks for the time, under whatever name it imports the package.
func (s source) clockUses() []string {
	name := ""
	var uses []string
	for _, spec := range s.syntax.Imports {
		if spec.Path.Value != `"time"` {
			continue
		}
		name = "time"
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if name == "." {
			uses = append(uses, s.line(spec)+" imports time without a name")
		}
	}
	if name == "" {
		return nil
	}
	ast.Inspect(s.syntax, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == name && slices.Contains(clock, sel.Sel.Name) {
				uses = append(uses, s.line(sel)+" uses time."+sel.Sel.Name)
			}
		}
		return true
	})
	return uses
}

// TestNoHiddenRegistration: kinds are a list in one visible place, and nothing happens because something was imported.
func TestNoHiddenRegistration(t *testing.T) {
	t.Parallel()
	for _, s := range goFiles(t) {
		for _, d := range s.syntax.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s: no init functions: call it where it is needed", s.line(f))
			}
		}
	}
}

func TestFilesAreShort(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if n := strings.Count(s.text, "\n"); n > longest {
			t.Errorf("%s has %d lines, more than %d: which two subjects is it about?", s.name, n, longest)
		}
	}
}

// TestNoPathsOfAMachine: what is in the repository works on every machine.
func TestNoPathsOfAMachine(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		for _, home := range homes {
			for i := range indexes(s.text, "/"+home+"/") {
				if i == 0 || strings.ContainsRune(" \t\n\"'`=(", rune(s.text[i-1])) {
					t.Errorf("%s:%d names a path of one machine, below /%s", s.name, 1+strings.Count(s.text[:i], "\n"), home)
				}
			}
		}
	}
}

// indexes are the places where part stands in text.
func indexes(text, part string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for from := 0; ; {
			i := strings.Index(text[from:], part)
			if i < 0 || !yield(from+i) {
				return
			}
			from += i + len(part)
		}
	}
}
