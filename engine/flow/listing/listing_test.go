package listing_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"sluice/engine/flow/listing"
)

// TestRead: each text is read as the list beside it, or refused with these words.
func TestRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, item, want string }{
		{"Ana, Bob", "", `["Ana","Bob"]`},
		{"Smith, John", "", `["Smith","John"]`},
		{" Ana ,, Bob, ", "", `["Ana","Bob"]`},
		{"Ana", "", `["Ana"]`},
		{"Smith, John\nDoe, Jane", "", `["Smith, John","Doe, Jane"]`},
		{"Ana,\r\nBob,\r\n\r\n", "", `["Ana","Bob"]`},
		{`"Smith, John", Bob`, "", `["Smith, John","Bob"]`},
		{"“Smith, John”, “Doe, Jane”", "string", `["Smith, John","Doe, Jane"]`},
		{`5" pipe, 3" pipe`, "", `["5\" pipe","3\" pipe"]`},
		{`the "big" one, x`, "", `["the \"big\" one","x"]`},
		{`"a" and "b", c`, "", `["\"a\" and \"b\"","c"]`},
		{"0012, 7", "", `["0012","7"]`},
		{"1, 2.5", "number", `[1,2.5]`},
		{"yes, no, TRUE", "boolean", `[true,false,true]`},
		{`["Ana", "Bob, B."]`, "", `["Ana","Bob, B."]`},
		{`[1, "x", {"a": 1}]`, "", `[1,"x",{"a":1}]`},
		{`[]`, "", `[]`},
		{`[{"a": 1}]`, "object", `[{"a":1}]`},
		{" , \n", "", "has no value; [] is an empty list"},
		{"1, x", "number", `has "x", which is no number`},
		{"0x10", "number", `has "0x10", which is no number`},
		{"1.5", "integer", `has "1.5", which is no whole number`},
		{"maybe", "boolean", `has "maybe", which is neither yes nor no`},
		{"[Ana, Bob]", "", `begins as a JSON list does and is none, for example ["one", "two"]`},
		{`["a"] and more`, "", `begins as a JSON list does`},
		{`{"a": 1}`, "", `must be a JSON list, for example [{"name": "value"}]`},
		{"Ana, Bob", "object", `must be a JSON list, for example [{"name": "value"}]`},
		{"[1, 2", "number", `begins as a JSON list does and is none, for example [1, 2]`},
	} {
		values, problem := listing.Read(c.text, c.item)
		got, err := json.Marshal(values)
		if problem != "" {
			got = []byte(problem)
		}
		if err != nil || !strings.HasPrefix(string(got), c.want) {
			t.Errorf("%q of %q: %s (%v)\nwant %s", c.text, c.item, got, err, c.want)
		}
	}
}

// FuzzRead: no letter of a text is lost, and what Text writes is read as the same list.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"a, b", "a\nb", `"a, b", c`, "[1]", "{", `",`, "“a”x, b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ToValidUTF8(text, "") != text {
			t.Skip("people type UTF-8")
		}
		values, problem := listing.Read(text, "")
		if problem != "" || strings.HasPrefix(strings.TrimSpace(text), "[") {
			return
		}
		all := fmt.Sprint(values...)
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\r\v\f\u0085\u00a0,\"“”„", r) }) {
			if !strings.Contains(all, word) {
				t.Errorf("%q is in no value of %q: %q", word, text, values)
			}
		}
		again, problem := listing.Read(listing.Text(values, ""), "")
		if problem != "" || fmt.Sprintf("%q", again) != fmt.Sprintf("%q", values) {
			t.Errorf("%q is written %q, and read as %q (%s)", values, listing.Text(values, ""), again, problem)
		}
	})
}

func ExampleWords() {
	for _, text := range []string{"Smith, John", "one", `a;b, c`, `[1, true]`, "[]"} {
		values, _ := listing.Read(text, "")
		words, _ := listing.Words(values)
		fmt.Println(words)
	}
	_, single := listing.Words([]any{map[string]any{"a": 1}})
	fmt.Println(single)
	// Output:
	// 2 values: Smith; John
	// 1 value: one
	// 2 values: "a;b"; c
	// 2 values: 1; yes
	// no values
	// false
}

func ExampleText() {
	fmt.Println(listing.Text([]any{"Ana", "Bob"}, ""))
	fmt.Println(listing.Text([]any{"Smith, John", "Bob"}, ""))
	fmt.Println(listing.Text([]any{1.5, 2.0}, "number"))
	// Output:
	// Ana, Bob
	// ["Smith, John","Bob"]
	// 1.5, 2
}
