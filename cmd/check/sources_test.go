package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const (
	root   = "../.."
	module = "sluice/"
)

// source is one file that people read.
type source struct {
	name    string // from the top of the repository, with slashes
	text    string
	test    bool // a Go test file
	fileset *token.FileSet
	syntax  *ast.File // of a Go file
}

// folder is the folder of a file.
func (s source) folder() string { return path.Dir(s.name) }

// imports is what a Go file imports.
func (s source) imports() []string {
	var all []string
	for _, spec := range s.syntax.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			panic(err) // the file has been parsed
		}
		all = append(all, p)
	}
	return all
}

// imported is what a Go file imports of the project.
func (s source) imported() []string {
	var all []string
	for _, p := range s.imports() {
		if rest, ok := strings.CutPrefix(p, module); ok {
			all = append(all, rest)
		}
	}
	return all
}

// line is where something stands, for messages.
func (s source) line(n ast.Node) string {
	return s.name + ":" + strconv.Itoa(s.fileset.Position(n.Pos()).Line)
}

// textual are the endings of the files that people read and write by hand.
var textual = []string{".go", ".js", ".css", ".html", ".sql", ".yaml", ".md", ".conf", ".sh"}

// app is every source file outside testdata and dot-folders.
func sources(t *testing.T) []source {
	t.Helper()
	all, err := readOnce()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("no source files were found")
	}
	return all
}

var readOnce = sync.OnceValues(readSources)

func readSources() (all []source, err error) {
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(p, root+string(filepath.Separator)))
		if d.IsDir() {
			if p != root && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if !isTextual(d.Name()) {
			return nil
		}
		s, err := readSource(p, name)
		all = append(all, s)
		return err
	})
	return all, err
}

func readSource(file, name string) (source, error) {
	b, err := os.ReadFile(file)
	s := source{name: name, text: string(b), test: strings.HasSuffix(name, "_test.go")}
	if err != nil || path.Ext(name) != ".go" {
		return s, err
	}
	s.fileset = token.NewFileSet()
	s.syntax, err = parser.ParseFile(s.fileset, name, b, parser.ParseComments|parser.SkipObjectResolution)
	return s, err
}

func isTextual(name string) bool {
	for _, ending := range textual {
		if strings.HasSuffix(name, ending) {
			return true
		}
	}
	return name == "Dockerfile"
}

// goFiles is the Go files of the repository.
func goFiles(t *testing.T) []source {
	t.Helper()
	var all []source
	for _, s := range sources(t) {
		if s.syntax != nil {
			all = append(all, s)
		}
	}
	return all
}
