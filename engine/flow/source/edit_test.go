package source_test

import (
	"fmt"
	"reflect"
	"testing"
	"unicode/utf8"

	"sluice/engine/flow/source"
)

func noDuplicates(string, source.Place, source.Place) {}

func ExampleEdits() {
	src := source.New("f", []byte("a: one # first\nb: [2, 'three']\n"))
	root, _ := source.YAML(src, noDuplicates)
	e := src.Edits()
	e.Put(root.Get("a"), "two words")
	e.Put(root.Get("b").Items[1], "it's")
	e.Add(root.Get("b"), 4)
	e.Set(root, "c", []any{"new"})
	text, err := e.Text()
	fmt.Println(text, err)
	// Output:
	// a: two words # first
	// b: [2, "it's", 4]
	// c: [new]
	//  <nil>
}

// FuzzPut writes a text in the place of every scalar of a JSON document: it is read there, and everything else is as it was.
func FuzzPut(f *testing.F) {
	for _, text := range []string{`{"a": [true, null, 1.5]}`, `["x\"y", {"é": "\u00e9"}, -1e3]`, "[1,\n 2]", `"one"`} {
		f.Add(text, "two\n \"lines\"")
		f.Add(text, "word")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		read := func(text string) (*source.File, *source.Value) {
			src := source.New("f", []byte(text))
			root, bad := source.JSON(src, noDuplicates)
			if bad != nil {
				return src, nil
			}
			return src, root
		}
		src, root := read(text)
		if root == nil || !utf8.ValidString(text) || !utf8.ValidString(value) {
			return
		}
		for v := range root.Scalars() {
			e := src.Edits()
			e.Put(v, value)
			got, err := e.Text()
			if err != nil {
				t.Fatalf("%q cannot be changed in line %d: %v", text, v.At.Line, err)
			}
			was := *v
			*v = source.Value{Kind: source.String, Text: value}
			if _, again := read(got); again == nil || !reflect.DeepEqual(again.Plain(), root.Plain()) {
				t.Fatalf("%q became %q", text, got)
			}
			*v = was
		}
	})
}

// FuzzEdits takes members out of the containers of a JSON document, and adds others: what is read again is what was meant.
func FuzzEdits(f *testing.F) {
	for _, text := range []string{`{"a": [true, null, 1.5], "b": {}}`, "[\n  1,\n  {\n    \"x\": []\n  },\n  3\n]", `[]`, "{\"a\":1,\"b\":{\"c\":[1,2,3]}}", "[ [1] ,\t[2] ]"} {
		for bits := range uint64(8) {
			f.Add(text, bits)
		}
	}
	f.Fuzz(func(t *testing.T, text string, bits uint64) {
		src, twice := source.New("f", []byte(text)), false
		root, bad := source.JSON(src, func(string, source.Place, source.Place) { twice = true })
		if bad != nil || twice || !utf8.ValidString(text) {
			return
		}
		e := src.Edits()
		want := changed(e, root, &bits)
		got, err := e.Text()
		if err != nil {
			t.Fatalf("%q cannot be changed: %v", text, err)
		}
		again, bad := source.JSON(source.New("f", []byte(got)), func(key string, _, _ source.Place) { t.Errorf("%q has %q twice", got, key) })
		if bad != nil || !reflect.DeepEqual(again.Plain(), want) {
			t.Fatalf("%q became %q, which is not %v: %v", text, got, want, bad)
		}
	})
}

// changed takes members out and adds some, by the bits, and gives what the value is then.
func changed(e *source.Edits, v *source.Value, bits *uint64) any {
	next := func() bool { bit := *bits & 1; *bits >>= 1; return bit == 1 }
	switch v.Kind {
	case source.List:
		out := []any{}
		for i, item := range v.Items {
			if next() {
				e.Drop(v, i)
				continue
			}
			out = append(out, changed(e, item, bits))
		}
		if next() {
			e.Add(v, []source.Field{{Key: "new", Value: []any{"x"}}})
			out = append(out, map[string]any{"new": []any{"x"}})
		}
		return out
	case source.Map:
		out := map[string]any{}
		for _, p := range v.Pairs {
			if next() && p.Key != "new" {
				e.Remove(v, p.Key)
				continue
			}
			out[p.Key] = changed(e, p.Value, bits)
		}
		if v.Get("new") == nil && next() {
			e.Set(v, "new", "y")
			out["new"] = "y"
		}
		return out
	}
	return v.Plain()
}

// TestBlocks changes YAML that is written line by line.
func TestBlocks(t *testing.T) {
	t.Parallel()
	const text = "# head\nsteps:\n  - id: a   # first\n    to: b\n    say: |\n      one\n      two\n  # between\n  - id: b\n    to: *x\nname: n\n"
	src := source.New("f", []byte("x: &x 1\n"+text))
	root, bad := source.YAML(src, noDuplicates)
	if bad != nil {
		t.Fatal(bad)
	}
	steps := root.Get("steps")
	e := src.Edits()
	e.Remove(steps.Items[0], "to")
	e.Put(steps.Items[0].Get("say"), "three\nfour\n")
	e.Set(steps.Items[1], "to", "two words")
	e.Set(steps.Items[1], "when", "x == 1")
	e.Add(steps, []source.Field{{Key: "id", Value: "c"}, {Key: "params", Value: map[string]any{"n": 1.0}}})
	got, err := e.Text()
	want := "x: &x 1\n# head\nsteps:\n  - id: a   # first\n    say: |\n      three\n      four\n  # between\n  - id: b\n    to: two words\n    when: \"x == 1\"\n  - id: c\n    params: {\"n\": 1}\nname: n\n"
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
	e = src.Edits()
	e.Drop(steps, 1)
	if got, err := e.Text(); err != nil || got != "x: &x 1\n# head\nsteps:\n  - id: a   # first\n    to: b\n    say: |\n      one\n      two\n  # between\nname: n\n" {
		t.Errorf("%v\n%s", err, got)
	}
}
