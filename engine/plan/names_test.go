package plan_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"sluice/engine/tool"
)

// TestNoNames reads the room's own files: none may know a tool, a field or a channel of a catalogue, be it one of the tests or
// the one that the program brings along. Tools and channels may not even stand in a comment. A field whose name is an English
// word ("text") may not be a literal of its own.
func TestNoNames(t *testing.T) {
	t.Parallel()
	tools := []tool.Tool{tool.PostMessage(nil)}
	files, err := filepath.Glob("testdata/catalogues/*.yaml")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d catalogues, error %v", len(files), err)
	}
	if dev := filepath.Join("..", "..", "cmd", "sluice", "dev_actions.yaml"); exists(dev) {
		files = append(files, dev)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		more, err := tool.LoadActions(file, []byte(strings.ReplaceAll(string(src), "http://SHOP", "http://shop.example")), tool.Options{})
		if err != nil {
			t.Fatal(err)
		}
		tools = append(tools, more...)
	}
	names, words := catalogueNames(t, tools)
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, file := range sources {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		seen++
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if found := regexp.MustCompile(`(?i)(^|[^\w])` + regexp.QuoteMeta(name) + `($|[^\w])`).Find(src); found != nil {
				t.Errorf("%s knows %s", file, name)
			}
		}
		for _, text := range literals(t, file, src) {
			if slices.Contains(words, strings.ToLower(text)) {
				t.Errorf("%s has the literal %q, which a field is called", file, text)
			}
		}
	}
	if seen < 10 || len(names) < 20 || len(words) < 10 {
		t.Errorf("looked for %d names and %d words in %d files only", len(names), len(words), seen)
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// catalogueNames lists what no file may hold, and the fields that are plain words.
func catalogueNames(t *testing.T, tools []tool.Tool) (names, words []string) {
	t.Helper()
	field := func(name string) {
		if strings.ContainsAny(name, "_.") {
			names = append(names, name)
		} else {
			words = append(words, strings.ToLower(name))
		}
	}
	for _, x := range tools {
		_, action, _ := strings.Cut(x.Name, ".")
		names = append(names, x.Name)
		field(action)
		fields(x.Params, field)
		fields(x.Result, field)
	}
	outlines, err := filepath.Glob("testdata/outlines/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range outlines {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, address.FindAllString(string(a.Files[0].Data), -1)...)
	}
	names = append(names, "#general", "#support", "#finance", "@ana", "@bob", "@fin")
	slices.Sort(names)
	return slices.Compact(names), words
}

// literals lists the texts of a file. Struct tags and imports are none.
func literals(t *testing.T, file string, src []byte) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				text, err := strconv.Unquote(n.Value)
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, text)
			}
		}
		return true
	})
	return out
}
