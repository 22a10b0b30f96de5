package sqlstore_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// atStart are the beginnings of statements that are used when a process starts or takes the right to serve, and never again.
var atStart = []string{
	"SELECT coalesce(max(number), 0) FROM schema_steps", "INSERT INTO schema_steps", "SELECT pg_advisory", "SELECT pg_try_advisory_lock",
	"SELECT holder FROM servers", "INSERT INTO servers", "SELECT 1",
}

// elsewhere are files whose statements are not seen here: those of queue.go need a queue, and engine/dispatch/river looks at their plans;
// those of lock.go go through connections of their own, and find one row by its primary key.
var elsewhere = []string{"queue.go", "lock.go"}

var (
	beginning = regexp.MustCompile(`^\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH|FROM) `)
	hole      = regexp.MustCompile(`[?%{$]`) // what is filled in
	space     = regexp.MustCompile(`\s+`)
)

// fragments lists the beginnings of all statements in a directory's files, up to the first hole.
func fragments(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	found := map[string]string{}
	for _, file := range files {
		skip := strings.HasSuffix(file, "_test.go")
		for _, name := range elsewhere {
			skip = skip || filepath.Base(file) == name
		}
		if skip {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			if beginning.MatchString(text) {
				if text = strings.TrimSpace(space.ReplaceAllString(text, " ")); hole.MatchString(text) {
					text = strings.TrimSpace(text[:hole.FindStringIndex(text)[0]])
				}
				found[text] = file
			}
			return true
		})
	}
	return found
}

// covered wants every statement of the store to be among those whose plans are looked at.
func covered(t *testing.T, seen []string, dirs ...string) {
	t.Helper()
	all := space.ReplaceAllString(strings.Join(seen, "\n"), " ")
	checked := 0
	for _, dir := range dirs {
	next:
		for text, file := range fragments(t, dir) {
			for _, rare := range atStart {
				if strings.HasPrefix(text, rare) {
					continue next
				}
			}
			if len(text) > len("INSERT INTO ") {
				checked++
			}
			if !strings.Contains(all, text) {
				t.Errorf("%s: no case of the suite uses this statement, so nobody has looked at its plan:\n\t%s", file, text)
			}
		}
	}
	if checked < 40 {
		t.Errorf("only %d statements were found", checked)
	}
}
