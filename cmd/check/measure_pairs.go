package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// window is how many equal lines of code in a row make two places a pair.
const window = 6

// common is how many places may share a window before it is a habit of the language and not a copy.
const common = 8

// thin is a line that says nothing by itself: punctuation, an import, a return without a value.
var thin = regexp.MustCompile(`^([\W_]*|return|\w* ?"[\w./-]+"|package \w+|import \()$`)

// codeFile is the lines of code of a file, without thin ones and the space around them.
type codeFile struct {
	name  string
	lines []string
	at    []int // the number of each line in the file
}

// pair is two places with equal code: file and line of each.
type pair [2]string

// readLines reads the lines of code of a file, and counts its lines of comments.
func readLines(file, name string) (code codeFile, comments int, err error) {
	code.name = name
	b, err := os.ReadFile(file)
	if err != nil {
		return code, 0, err
	}
	n := 0
	for line := range strings.Lines(string(b)) {
		n++
		text := strings.Join(strings.Fields(line), " ")
		switch {
		case strings.HasPrefix(text, "//"):
			comments++
		case !thin.MatchString(text):
			code.lines, code.at = append(code.lines, text), append(code.at, n)
		}
	}
	return code, comments, nil
}

// pairs finds the pairs of places with equal code. A longer stretch that two places share is one pair.
func pairs(files []codeFile) (found []pair) {
	type place struct{ file, line int }
	places := map[string][]place{}
	key := func(p place) string {
		lines := files[p.file].lines
		if p.line < 0 || p.line+window > len(lines) {
			return ""
		}
		return strings.Join(lines[p.line:p.line+window], "\n")
	}
	name := func(p place) string { return fmt.Sprintf("%s:%d", files[p.file].name, files[p.file].at[p.line]) }
	for i, f := range files {
		for j := range len(f.lines) - window + 1 {
			p := place{i, j}
			places[key(p)] = append(places[key(p)], p)
		}
	}
	for _, all := range places {
		if len(all) > common {
			continue
		}
		for i, a := range all {
			for _, b := range all[i+1:] {
				before := key(place{a.file, a.line - 1})
				goesOn := before != "" && before == key(place{b.file, b.line - 1})
				overlap := a.file == b.file && b.line-a.line < window
				if !goesOn && !overlap {
					found = append(found, pair{name(a), name(b)})
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b pair) int { return slices.Compare(a[:], b[:]) })
	return found
}

// arrows counts the arrows between the files of one package, and those of them that run back. Methods and fields count through the
// types of the package itself; what comes from another package is not looked at.
func arrows(set *token.FileSet, files []*ast.File) (all, back int) {
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: empty{}, Error: func(error) {}, FakeImportC: true}
	// The errors are those of the empty packages.
	pkg, _ := config.Check("measured", set, files, &info)
	to := map[*token.File]map[*token.File]bool{}
	for ident, object := range info.Uses {
		if object.Pkg() != pkg || local(object, pkg) {
			continue
		}
		from, there := set.File(ident.Pos()), set.File(object.Pos())
		if from == there {
			continue
		}
		if to[from] == nil {
			to[from] = map[*token.File]bool{}
		}
		to[from][there] = true
	}
	for _, targets := range to {
		all += len(targets)
	}
	return all, runBack(to)
}

// runBack counts the arrows that run back in an order of the files in which few do: what nothing uses comes first, what uses
// nothing comes last, and of the rest the file that uses most and is used least is taken next.
func runBack(to map[*token.File]map[*token.File]bool) (back int) {
	uses, used := map[*token.File]int{}, map[*token.File]int{}
	for from, targets := range to {
		uses[from] += 0
		for there := range targets {
			uses[there] += 0
			uses[from]++
			used[there]++
		}
	}
	rest := slices.SortedFunc(maps.Keys(uses), func(a, b *token.File) int { return cmp.Compare(a.Name(), b.Name()) })
	for len(rest) > 0 {
		i, score := 0, -1<<30
		for j, f := range rest {
			value := uses[f] - used[f]
			if uses[f] == 0 || used[f] == 0 {
				value = 1 << 20
			}
			if value > score {
				i, score = j, value
			}
		}
		taken := rest[i]
		rest = slices.Delete(rest, i, i+1)
		if uses[taken] > 0 {
			back += used[taken]
		}
		for _, f := range rest {
			if to[taken][f] {
				used[f]--
			}
			if to[f][taken] {
				uses[f]--
			}
		}
	}
	return back
}

// local tells a variable inside a function from what a package declares. Fields and methods have no scope.
func local(o types.Object, pkg *types.Package) bool {
	return o.Parent() != nil && o.Parent() != pkg.Scope()
}

// empty is an importer that knows no name of any package.
type empty struct{}

func (empty) Import(p string) (*types.Package, error) {
	name := p[strings.LastIndexByte(p, '/')+1:]
	imported := types.NewPackage(p, name)
	imported.MarkComplete()
	return imported, nil
}
