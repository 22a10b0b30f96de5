package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// tree is what is counted in the Go files of a tree, outside testdata and dot-folders. Test files count only where it says so.
type tree struct {
	files, functions []int          // lines of each
	lines, testLines map[string]int // by package
	exported         map[string]int // package-level names that other packages can use, by package
	methods          map[string]int // by package and type
	comments         int            // lines that hold a comment and no code
	testComments     int            // the same, in tests
	arrows, back     map[string]int // by package, see arrows
	errands          map[string]int // files that each errand touches
	code             []codeFile     // see pairs
	pairs            []pair
	fileset          *token.FileSet
	packages         map[string][]*ast.File
}

// count reads the Go files below dir.
func count(dir string) (*tree, error) {
	t := &tree{
		lines: map[string]int{}, testLines: map[string]int{}, exported: map[string]int{}, methods: map[string]int{},
		arrows: map[string]int{}, back: map[string]int{}, errands: map[string]int{}, fileset: token.NewFileSet(), packages: map[string][]*ast.File{},
	}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && p != dir && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || path.Ext(p) != ".go":
			return nil
		}
		name, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		return t.file(p, filepath.ToSlash(name))
	})
	if err != nil {
		return nil, fmt.Errorf("measure %s: %w", dir, err)
	}
	for name, files := range t.packages {
		t.arrows[name], t.back[name] = arrows(t.fileset, files)
	}
	for _, e := range errands {
		if files, err := e.files(dir); err == nil {
			t.errands[e.name] = len(files)
		}
	}
	t.pairs = pairs(t.code)
	slices.Sort(t.files)
	slices.Sort(t.functions)
	return t, nil
}

// file counts one file.
func (t *tree) file(file, name string) error {
	syntax, err := parser.ParseFile(t.fileset, file, nil, parser.ParseComments)
	if err != nil {
		return err
	}
	pkg, lines := path.Dir(name), t.fileset.File(syntax.Pos()).LineCount()
	code, comments, err := readLines(file, name)
	if err != nil {
		return err
	}
	if strings.HasSuffix(name, "_test.go") {
		t.testLines[pkg] += lines
		t.testComments += comments
		return nil
	}
	t.lines[pkg] += lines
	t.comments += comments
	t.files = append(t.files, lines)
	t.packages[pkg] = append(t.packages[pkg], syntax)
	t.code = append(t.code, code)
	for _, d := range syntax.Decls {
		t.declaration(pkg, d)
	}
	return nil
}

// declaration counts what one declaration of a package adds.
func (t *tree) declaration(pkg string, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		t.functions = append(t.functions, t.fileset.Position(d.End()).Line-t.fileset.Position(d.Pos()).Line+1)
		if d.Recv != nil {
			t.methods[pkg+"."+receiver(d.Recv.List[0].Type)]++
		} else if d.Name.IsExported() {
			t.exported[pkg]++
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					t.exported[pkg]++
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if n.IsExported() {
						t.exported[pkg]++
					}
				}
			}
		}
	}
}

// receiver is the name of the type that a method belongs to.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}
