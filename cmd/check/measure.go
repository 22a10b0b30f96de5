package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// shown is how many rows a list of the largest has.
const shown = 10

// tree is what is counted in the Go files of a tree, outside testdata and dot-folders. Test files count only where it says so.
type tree struct {
	files, functions []int          // lines of each
	lines, testLines map[string]int // by package
	exported         map[string]int // package-level names that other packages can use, by package
	methods          map[string]int // by package and type
	comments         int            // lines that hold a comment and no code
	testComments     int            // the same, in tests
	arrows, back     map[string]int // by package, see arrows
	code             [][]string     // by file, see duplicates
	fileset          *token.FileSet
	packages         map[string][]*ast.File
}

// measure prints the table of figures of the tree below dir.
func measure(out io.Writer, dir string) error {
	t := &tree{
		lines: map[string]int{}, testLines: map[string]int{}, exported: map[string]int{}, methods: map[string]int{},
		arrows: map[string]int{}, back: map[string]int{}, fileset: token.NewFileSet(), packages: map[string][]*ast.File{},
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
		return fmt.Errorf("measure %s: %w", dir, err)
	}
	for name, files := range t.packages {
		t.arrows[name], t.back[name] = arrows(t.fileset, files)
	}
	t.print(out)
	return nil
}

// file counts one file.
func (t *tree) file(file, name string) error {
	syntax, err := parser.ParseFile(t.fileset, file, nil, parser.ParseComments)
	if err != nil {
		return err
	}
	pkg, lines := path.Dir(name), t.fileset.File(syntax.Pos()).LineCount()
	code, comments, err := readLines(file)
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

// print writes the table. What a row counts stands behind its name.
func (t *tree) print(out io.Writer) {
	total, tests := sum(t.lines), sum(t.testLines)
	fmt.Fprintf(out, "lines        %d in %d files without tests, %d in tests\n", total, len(t.files), tests)
	fmt.Fprintf(out, "comments     %d lines without tests (%.1f %%), %d lines in tests\n",
		t.comments, 100*float64(t.comments)/float64(max(total, 1)), t.testComments)
	percentiles(out, "files", t.files)
	percentiles(out, "functions", t.functions)
	fmt.Fprintf(out, "duplicates   %d pairs of places that share %d or more lines of code\n", duplicates(t.code), window)
	largest(out, "methods per type", t.methods)
	largest(out, "exported names per package", t.exported)
	largest(out, "lines without tests per package", t.lines)
	fmt.Fprintf(out, "\narrows that run back, of all arrows between the files of a package\n"+
		"  (an arrow is a file that uses names that another file declares; the order of the files is one in which few run back)\n")
	for _, pkg := range most(t.back) {
		fmt.Fprintf(out, "  %5d of %4d  %s\n", t.back[pkg], t.arrows[pkg], pkg)
	}
}

func percentiles(out io.Writer, name string, of []int) {
	slices.Sort(of)
	if len(of) == 0 {
		of = []int{0}
	}
	at := func(percent int) int { return of[(len(of)-1)*percent/100] }
	fmt.Fprintf(out, "%-12s p50 %d, p90 %d, p99 %d, max %d lines\n", name, at(50), at(90), at(99), at(100))
}

func largest(out io.Writer, title string, counts map[string]int) {
	fmt.Fprintf(out, "\n%s\n", title)
	for _, name := range most(counts) {
		fmt.Fprintf(out, "  %5d  %s\n", counts[name], name)
	}
}

// most is the names with the largest counts, the largest first.
func most(counts map[string]int) []string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	return names[:min(shown, len(names))]
}

func sum(counts map[string]int) int {
	total := 0
	for _, n := range counts {
		total += n
	}
	return total
}
