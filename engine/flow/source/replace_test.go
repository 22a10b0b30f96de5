package source_test

import (
	"fmt"
	"reflect"
	"testing"
	"unicode/utf8"

	"sluice/engine/flow/source"
)

func noDuplicates(string, source.Place, source.Place) {}

func ExampleFile_Replace() {
	src := source.New("f", []byte("a: one # first\nb: [2, 'three']\n"))
	root, _ := source.YAML(src, noDuplicates)
	text, err := src.Replace(map[*source.Value]any{root.Get("a"): "two words", root.Get("b").Items[1]: "it's"})
	fmt.Println(text, err)
	// Output:
	// a: two words # first
	// b: [2, "it's"]
	//  <nil>
}

// FuzzReplace writes a text in the place of every scalar of a JSON document: it is read there, and everything else is as it was.
func FuzzReplace(f *testing.F) {
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
			got, err := src.Replace(map[*source.Value]any{v: value})
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
