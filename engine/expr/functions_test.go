package expr_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/expr"
	"sluice/engine/expr/function"
)

const (
	tableBegins = "<!-- The table is made by go test ./engine/expr -run TestFunctionsInReadme -update -->\n"
	tableEnds   = "<!-- end of the table -->\n"
)

// TestFunctionsInReadme evaluates the example of every function, and compares the list in the README with the table.
func TestFunctionsInReadme(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "README.md")
	readme, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(readme), tableBegins)
	was, after, ends := strings.Cut(rest, tableEnds)
	if !ok || !ends {
		t.Fatal("the README has no table of functions")
	}
	var now strings.Builder
	now.WriteString("| function | gives | what | example |\n|---|---|---|---|\n")
	for _, name := range function.Names() {
		f, _ := function.Named(name)
		fmt.Fprintf(&now, "| `%s` | %s | %s | %s |\n", f.Signature(0), f.Result, strings.ReplaceAll(f.Help, "|", `\|`), example(t, f))
	}
	if *update {
		if err := os.WriteFile(path, []byte(before+tableBegins+now.String()+tableEnds+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(was, now.String()); diff != "" {
		t.Errorf("the table differs (-README +table):\n%s", diff)
	}
}

func example(t *testing.T, f *function.Function) string {
	if f.Example == "" {
		return ""
	}
	e, err := expr.Compile(f.Example, nil)
	if err != nil {
		t.Fatalf("the example of %s: %v", f.Name, err)
	}
	v, err := e.Eval(nil, expr.Options{Strict: true})
	if err != nil || v == nil {
		t.Errorf("the example of %s gives %v, %v", f.Name, v, err)
	}
	if !strings.Contains(f.Example, f.Name+"(") {
		t.Errorf("the example of %s is about something else", f.Name)
	}
	if kind := function.KindOf(v); f.Result != function.Any && f.Result&kind == 0 {
		t.Errorf("%s gives a %v, and the table says %v", f.Name, kind, f.Result)
	}
	return "`" + strings.ReplaceAll(f.Example+" → "+expr.JSON(v), "|", `\|`) + "`"
}

// TestFunctionsAreFilters checks that a function can be called as a function, a method and a filter, with the same result.
func TestFunctionsAreFilters(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]any{
		"{{ 'a, b,,c' | split(',') | clean | join('+') }}":                                                "a+b+c",
		"{{ tags | slice(0, 2) | append('new') }}":                                                        []any{"late", "damaged", "new"},
		"{{ amount | multiply(1.19) | fixed(2) }} EUR":                                                    "178.50 EUR",
		"{{ look_up.result.body.items | pluck('name') | first }}":                                         "hat",
		"{{ look_up.get('result.body.items[0].name', 'none') }}":                                          "hat",
		"{{ look_up.get('result.nothing', 'none').upper() }}":                                             "NONE",
		"{{ category.replace('re', 'de').capitalize() }}":                                                 "Defund",
		"{{ merge(look_up.result.body, object('amount', 1)) | keys }}":                                    []any{"amount", "items"},
		"{{ parse_json('```json\n{\"ok\": true}\n```').ok ? 1 : 0 }}":                                     int64(1),
		"{{ max(amount, cents) == 150 and len(split(category)) == 1 }}":                                   true,
		"{{ missing | coalesce(empty, 'x') }}":                                                            "",
		"{{ divide(1, zero) | default('no price') }}":                                                     "no price",
		"{{ secret.KEY | concat('x') }}":                                                                  "«secret KEY»x",
		"{{ kind(approvals.gate) }} {{ approvals.gate | split('p') | join }}":                             "text a, , rove",
		"{{ flatten([names, [names]]) | unique }}":                                                        []any{"ana", "bob"},
		"{{ coalesce(missing, approvals.gate) == 'approve' and get(approvals, 'gate.note') == 'go on' }}": true,
		"{{ object() }}": map[string]any{},
	} {
		if diff := cmp.Diff(want, render(t, src, world())); diff != "" {
			t.Errorf("%s differs (-want +got):\n%s", src, diff)
		}
	}
}

func TestStrict(t *testing.T) {
	t.Parallel()
	for src, code := range map[string]function.Code{
		"divide(1, 0)":          function.DivisionByZero,
		"add('x', 1)":           function.NotANumber,
		"sort(5)":               function.NotAList,
		"keys([])":              function.NotAnObject,
		"parse_json('nothing')": function.BadJSON,
		"compare(1, '=', 1)":    function.BadArgument,
		"range(0, 1, 0)":        function.BadArgument,
		"repeat('ab', 1000000)": function.TooLarge,
		"range(0, 1000000)":     function.TooLarge,
		"power(10, 1000)":       function.TooLarge,
	} {
		e, err := expr.Compile(src, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Eval(nil, expr.Options{Strict: true})
		failed, ok := errors.AsType[*function.Error](err)
		if !ok || failed.Code != code {
			t.Errorf("%s: %v, want %s", src, err, code)
		}
		v, err := e.Eval(nil, expr.Options{})
		if tooLarge := code == function.TooLarge; v != nil || (err != nil) != tooLarge {
			t.Errorf("%s gives %v, %v when it is not strict", src, v, err)
		}
	}
}

// A function may have the name of a kind of term: it is called all the same.
func TestAListStaysAList(t *testing.T) {
	t.Parallel()
	e, err := expr.Compile("list([1, 'a'])", nil)
	if err != nil {
		t.Fatal(err)
	}
	v, err := e.Eval(nil, expr.Options{})
	if diff := cmp.Diff([]any{int64(1), "a"}, v); err != nil || diff != "" {
		t.Errorf("%v, differs (-want +got):\n%s", err, diff)
	}
}
