package function_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/expr/function"
	"sluice/engine/expr/value"
)

// oddities are unusual values as arguments of functions.
func oddities() []any {
	deep := any("x")
	for range 200 {
		deep = []any{deep}
	}
	return []any{
		nil, "", " ", "a", "größe", "a,b,,c", "-1", "007", "1e300", "[1, 2", "{\"a\": [1]}", "{{a.b | upper}} {{ x", "a.b[0].c", strings.Repeat("ab,", 500), "\xff",
		0, 1, -1, 2.5, int64(1) << 62, 1e308, -1e-300, json.Number("12345678901234567890"), json.Number("x"), uint8(7),
		true, false, time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), "2026-12-01",
		[]any{},
		[]any{1, "a", nil, []any{2.5, "b"}},
		[]string{"b", "a"},
		[]any{map[string]any{"a": 1}, map[string]any{"a": "2", "b": nil}},
		deep, slices.Repeat([]any{"z"}, 9_999),
		map[string]any{},
		map[string]any{"a": map[string]any{"b": 1}, "c": []any{1}},
		map[string]int{"x": 1},
		value.SecretRef{Name: "KEY"},
		value.Seal([]any{"a", value.SecretRef{Name: "KEY"}}),
	}
}

// check calls a function twice, and compares its result with the record of the function in the table.
func check(t *testing.T, f *function.Function, args []any) {
	t.Helper()
	shown := fmt.Sprintf("%s%.200q", f.Name, fmt.Sprint(args...))
	before := value.JSON(args)
	call := func(strict bool) (any, error) {
		return f.Apply(&function.Context{Meter: value.Meter{Left: value.DefaultCost}, Strict: strict}, args...)
	}
	v, err := call(false)
	if err != nil && !errors.Is(err, value.ErrCost) {
		t.Errorf("%s: %v", shown, err)
	}
	again, strict := call(true)
	failed, isError := errors.AsType[*function.Error](strict)
	switch {
	case strict == nil:
		if value.JSON(v) != value.JSON(again) {
			t.Errorf("%s gives %v, then %v", shown, v, again)
		}
	case isError && !slices.Contains(append(f.Fails, function.TooLarge), failed.Code):
		t.Errorf("%s: %v has the code %s, which the table does not list", shown, strict, failed.Code)
	case !isError && !errors.Is(strict, value.ErrCost):
		t.Errorf("%s: %v", shown, strict)
	}
	if after := value.JSON(args); after != before {
		t.Errorf("%s has changed its values", shown)
	}
	list, _ := value.List(v)
	object, _ := value.Object(v)
	text, _ := v.(string)
	given := slices.ContainsFunc(args, func(a any) bool { return value.JSON(a) == value.JSON(v) })
	if !given && max(len(list), len(object)) > function.MaxItems || len(text) > 8*function.MaxText {
		t.Errorf("%s gives %d members, %d bytes", shown, len(list)+len(object), len(text))
	}
}

// TestProperties calls every function with odd values of every kind.
func TestProperties(t *testing.T) {
	t.Parallel()
	odd, chance := oddities(), rand.New(rand.NewPCG(1, 2))
	for _, name := range function.Names() {
		f, _ := function.Named(name)
		t.Run(f.Name, func(t *testing.T) {
			for range 60 {
				args := make([]any, f.Least()+chance.IntN(min(f.Most(), 4)-f.Least()+1))
				for i := range args {
					args[i] = odd[chance.IntN(len(odd))]
				}
				check(t, f, args)
			}
		})
	}
}

func FuzzFunctions(f *testing.F) {
	all := function.Names()
	f.Add(0, `["a,b", ",", 1]`)
	f.Add(7, `["{{a | join(", {"a": [1, 2]}]`)
	f.Fuzz(func(t *testing.T, which int, src string) {
		var args []any
		decoder := json.NewDecoder(strings.NewReader(src))
		decoder.UseNumber()
		if decoder.Decode(&args) != nil {
			return
		}
		fn, _ := function.Named(all[uint(which)%uint(len(all))])
		if len(args) >= fn.Least() && len(args) <= fn.Most() {
			check(t, fn, args)
		}
	})
}

// TestTable checks the rules that every record of the table follows.
func TestTable(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, name := range function.Names() {
		f, _ := function.Named(name)
		optional := slices.IndexFunc(f.Params, func(p function.Param) bool { return p.Optional })
		if optional >= 0 && slices.ContainsFunc(f.Params[optional:], func(p function.Param) bool { return !p.Optional }) {
			t.Errorf("%s has a parameter that must be there behind one that may be left out", f.Name)
		}
		if seen[f.Name] || f.Help == "" || strings.Contains(f.Help, "\n") || f.Name != strings.ToLower(f.Name) {
			t.Errorf("%s is twice in the table, has no line of help, or capitals", f.Name)
		}
		seen[f.Name] = true
	}
}

type testCase struct {
	name string
	args []any
	want any
}

func run(t *testing.T, cases []testCase) {
	t.Helper()
	for _, c := range cases {
		f, ok := function.Named(c.name)
		if !ok {
			t.Fatalf("there is no function %s", c.name)
		}
		got, err := f.Apply(&function.Context{Meter: value.Meter{Left: value.DefaultCost}}, c.args...)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s(%v): %v, differs (-want +got):\n%s", c.name, c.args, err, diff)
		}
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	run(t, []testCase{
		{"split", []any{"a, b,", ","}, []any{"a", " b", ""}},
		{"split", []any{"a.b", "."}, []any{"a", "b"}},
		{"split", []any{"", ","}, []any{}},
		{"split", []any{"ab", ""}, []any{"ab"}},
		{"split", []any{nil}, []any{}},
		{"split", []any{"a,b,c", ",", 0}, []any{"a,b,c"}},
		{"join", []any{[]any{"a", nil, 2}, "-"}, "a--2"},
		{"join", []any{"a", "-"}, "a"},
		{"replace", []any{"/mem x /mem ", "/mem ", ""}, "x "},
		{"replace", []any{"abc", "", "x"}, "abc"},
		{"replace", []any{"aaa", "a", "b", 2}, "bba"},
		{"slice", []any{"größe", -2}, "ße"},
		{"slice", []any{"abc", 2, 1}, ""},
		{"slice", []any{"abc", -9, 99}, "abc"},
		{"slice", []any{[]any{1, 2, 3}, 1, -1}, []any{2}},
		{"slice", []any{"abc", "x"}, nil},
		{"truncate", []any{"größe", 5}, "größe"},
		{"truncate", []any{"größer", 3, "..."}, "..."},
		{"truncate", []any{"größer", 2, "..."}, ".."},
		{"truncate", []any{"abc", -1}, ""},
		{"capitalize", []any{"élan"}, "Élan"},
		{"capitalize", []any{""}, ""},
		{"starts_with", []any{"/help", "/"}, true},
		{"ends_with", []any{"a.pdf", "pdf"}, true},
		{"concat", []any{"a", nil, 1.5, []any{1}}, "a1.5[1]"},
		{"url_encode", []any{"a b/ü"}, "a%20b%2F%C3%BC"},
		{"fill", []any{"{{ a.b }} {{a.x}}{{l | join(\", \") | upper}} {{n | nothing}} {{o|json}}", map[string]any{"a": map[string]any{"b": 1}, "l": []any{"x", "y"}, "n": "k", "o": map[string]any{"q": nil}}}, `1 X, Y k {"q":null}`},
		{"fill", []any{"{{a}}", map[string]any{"a": "{{b}}", "b": "c"}}, "{{b}}"},
		{"fill", []any{"{{a", map[string]any{"a": "b"}}, "{{a"},
		{"fill", []any{"a", "b"}, nil},
		{"format", []any{"{a} {b.c} {l[0]}{{a}}", map[string]any{"a": 1, "b": map[string]any{"c": "x"}, "l": []any{"y"}}}, "1 x y{a}"},
		{"format", []any{"{a}", map[string]any{"a": "{b}", "b": "c"}}, "{b}"},
		{"format", []any{"{a}", map[string]any{}}, nil},
		{"format", []any{"{a", map[string]any{"a": 1}}, nil},
		{"format", []any{"a}", nil}, nil},
		{"format", []any{"plain", nil}, "plain"},
	})
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	run(t, []testCase{
		{"add", []any{0.1, 0.2}, 0.3},
		{"add", []any{"1", 2, " 3 "}, int64(6)},
		{"add", []any{int64(9223372036854775807), 1}, json.Number("9223372036854775808")},
		{"add", []any{1e308, -1e308}, int64(0)},
		{"add", []any{"x", 1}, nil},
		{"add", []any{true, 1}, nil},
		{"subtract", []any{3, 1}, int64(2)},
		{"subtract", []any{json.Number("12345678901234567890"), 1}, json.Number("12345678901234567889")},
		{"multiply", []any{19.99, 3}, 59.97},
		{"divide", []any{1, 3}, 1.0 / 3},
		{"divide", []any{6, 3}, int64(2)},
		{"divide", []any{1, 0}, nil},
		{"modulo", []any{-7, 3}, int64(2)},
		{"modulo", []any{7.5, -2}, -0.5},
		{"modulo", []any{1, 0}, nil},
		{"power", []any{2, 0.5}, 1.4142135623730951},
		{"power", []any{-1, 0.5}, nil},
		{"round", []any{2.5}, int64(3)},
		{"round", []any{-2.5}, int64(-3)},
		{"round", []any{1.005, 2}, 1.01},
		{"round", []any{1, 301}, nil},
		{"floor", []any{-0.5}, int64(-1)},
		{"floor", []any{2}, int64(2)},
		{"ceil", []any{-0.5}, int64(0)},
		{"ceil", []any{2}, int64(2)},
		{"fixed", []any{1234.5, 2}, "1234.50"},
		{"fixed", []any{-0.001, 2}, "0.00"},
		{"fixed", []any{1e21, 0}, "1000000000000000000000"},
		{"int", []any{-1.9}, int64(-1)},
		{"int", []any{1e300}, nil},
		{"min", []any{[]any{3, "1", 2.0}}, int64(1)},
		{"max", []any{[]any{}}, nil},
		{"max", []any{1, "x"}, nil},
		{"sum", []any{[]any{0.1, 0.2, "1"}}, 1.3},
		{"sum", []any{nil}, int64(0)},
		{"sum", []any{[]any{"a"}}, nil},
		{"average", []any{[]any{1, 2}}, 1.5},
		{"average", []any{[]any{}}, nil},
	})
}

func TestLists(t *testing.T) {
	t.Parallel()
	people := []any{map[string]any{"name": "Bob", "age": 30}, map[string]any{"name": "ana", "age": "9"}, "x", map[string]any{"name": "Bob", "age": nil}}
	run(t, []testCase{
		{"list", []any{nil}, []any{}},
		{"list", []any{[]any{1}}, []any{1}},
		{"range", []any{5, 0, -2}, []any{int64(5), int64(3), int64(1)}},
		{"range", []any{0, 5, -1}, []any{}},
		{"range", []any{3, 3}, []any{}},
		{"range", []any{0, 5, 2}, []any{int64(0), int64(2), int64(4)}},
		{"range", []any{0, 1.5}, nil},
		{"append", []any{nil, 1, nil}, []any{1, nil}},
		{"append", []any{"a", 1}, nil},
		{"combine", []any{[]any{1}, nil, []any{2}}, []any{1, 2}},
		{"get_item", []any{[]any{1, 2}, 2, "none"}, "none"},
		{"get_item", []any{[]any{1, 2}, -3}, nil},
		{"first", []any{nil}, nil},
		{"last", []any{[]any{}}, nil},
		{"find", []any{"größe", "e"}, int64(4)},
		{"find", []any{"a", ""}, nil},
		{"find", []any{[]any{1, "2"}, 2}, int64(1)},
		{"sort", []any{[]any{"b", 10, "9", nil, "B"}}, []any{"9", 10, nil, "B", "b"}},
		{"sort", []any{people, "age"}, []any{people[1], people[0], people[2], people[3]}},
		{"unique", []any{[]any{1, 1.0, "1", nil, nil}}, []any{1, "1", nil}},
		{"unique", []any{people, "name"}, []any{people[0], people[1], people[2]}},
		{"clean", []any{[]any{" a ", "", nil, 0, " "}}, []any{"a", 0}},
		{"flatten", []any{[]any{1, []any{2, []any{}, []any{3}}}}, []any{1, 2, 3}},
		{"pluck", []any{people, "age"}, []any{30, "9", "x", nil}},
		{"where", []any{people, "age", 9}, []any{people[1]}},
		{"where", []any{people, "age", "x"}, []any{"x"}},
	})
}

func TestObjects(t *testing.T) {
	t.Parallel()
	deep := map[string]any{"a": map[string]any{"b": []any{map[string]any{"c": 1}}}, "a.b": "dotted"}
	run(t, []testCase{
		{"object", []any{"a", 1, "a", 2}, map[string]any{"a": 2}},
		{"object", []any{"a"}, nil},
		{"get", []any{deep, "a.b"}, "dotted"},
		{"get", []any{deep, "a.b[0].c"}, 1},
		{"get", []any{deep, "a.b.0.c"}, 1},
		{"get", []any{deep, "a.x", 7}, 7},
		{"get", []any{[]any{1, 2}, 1}, 2},
		{"get", []any{nil, "a", 7}, 7},
		{"get", []any{"text", "a"}, nil},
		{"set", []any{deep, "a.b", 1}, map[string]any{"a": map[string]any{"b": 1}, "a.b": "dotted"}},
		{"set", []any{nil, "a", 1}, map[string]any{"a": 1}},
		{"set", []any{map[string]any{"a": 5}, "a.b", 1}, map[string]any{"a": map[string]any{"b": 1}}},
		{"set", []any{nil, "", 1}, nil},
		{"merge", []any{map[string]any{"a": 1, "b": 1}, nil, map[string]any{"b": 2}}, map[string]any{"a": 1, "b": 2}},
		{"merge", []any{map[string]any{}, []any{}}, nil},
		{"pick", []any{deep, "a.b", "x"}, map[string]any{"a.b": "dotted"}},
		{"omit", []any{deep, "a", "x"}, map[string]any{"a.b": "dotted"}},
		{"values", []any{map[string]any{"b": 1, "a": 2}}, []any{2, 1}},
	})
}

func TestAnything(t *testing.T) {
	t.Parallel()
	run(t, []testCase{
		{"default", []any{0, 1}, 0},
		{"coalesce", []any{nil, nil}, nil},
		{"coalesce", []any{nil, "", 1}, ""},
		{"bool", []any{[]any{}}, true},
		{"kind", []any{true}, "boolean"},
		{"kind", []any{nil}, "nothing"},
		{"kind", []any{json.Number("1")}, "number"},
		{"compare", []any{"10", ">", 9}, true},
		{"compare", []any{nil, "==", ""}, true},
		{"compare", []any{1, "is", 1}, nil},
		{"parse_json", []any{" [1, {\"a\": null}] "}, []any{json.Number("1"), map[string]any{"a": nil}}},
		{"parse_json", []any{"```json\n{\"a\": 1}\n```"}, map[string]any{"a": json.Number("1")}},
		{"parse_json", []any{"I think {so}: {\"a\": 1} or {\"b\": 2}"}, map[string]any{"a": json.Number("1")}},
		{"parse_json", []any{"5"}, json.Number("5")},
		{"parse_json", []any{"5", true}, map[string]any{"value": json.Number("5")}},
		{"parse_json", []any{map[string]any{"a": 1}, true}, map[string]any{"a": 1}},
		{"parse_json", []any{"1 2"}, nil},
		{"parse_json", []any{""}, nil},
		{"parse_json", []any{nil}, nil},
		{"pretty", []any{map[string]any{"b": 1.0, "a": []any{}}}, "{\n  \"a\": [],\n  \"b\": 1\n}"},
		{"date", []any{1772600767, "iso"}, "2026-03-04T05:06:07Z"},
		{"date", []any{"soon"}, "soon"},
		{"now", nil, nil},
		{"later", []any{"2026-12-01", "1.5", "days"}, time.Date(2026, 12, 2, 12, 0, 0, 0, time.UTC)},
		{"later", []any{"2026-12-01", 1, "week"}, time.Date(2026, 12, 8, 0, 0, 0, 0, time.UTC)},
		{"later", []any{"2026-03-28T09:00:00+01:00", 1, "week"}, time.Date(2026, 4, 4, 8, 0, 0, 0, time.UTC)},
		{"earlier", []any{"2026-12-01", 3, "days"}, time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)},
		{"earlier", []any{"2026-12-01", 1.5, "days"}, time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)},
		{"earlier", []any{"2026-12-01T09:00", 2, "hours"}, time.Date(2026, 12, 1, 7, 0, 0, 0, time.UTC)},
		{"later", []any{"soon", 1, "days"}, nil},
		{"later", []any{"2026-12-01", nil, "days"}, nil},
		{"later", []any{"2026-12-01", -1, "days"}, nil},
		{"later", []any{"2026-12-01", 1e9, "days"}, nil},
		{"later", []any{"2026-12-01", 1, "years"}, nil},
	})
}
