package tool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"sluice/engine/tool"
)

// TestEditLists: a list is shown as people type it, and is read in the types that the tool wants, or that stood there before.
func TestEditLists(t *testing.T) {
	t.Parallel()
	list := func(item string) map[string]any {
		s := map[string]any{"type": "array"}
		if item != "" {
			s["items"] = map[string]any{"type": item}
		}
		return s
	}
	to := tool.Tool{Name: "shop.tag", Params: map[string]any{"type": "object", "properties": map[string]any{
		"tags": list("string"), "sums": list("number"), "rows": list("object"), "any": list(""),
	}}}
	given := map[string]any{"tags": []any{"a", "b"}, "sums": []any{1.0}, "rows": []any{map[string]any{"n": "x"}}, "any": []any{1.0, 2.0}, "more": []any{"x"}}
	for _, c := range []struct{ name, text, want string }{
		{"tags", "a, b", `{}`},
		{"tags", "a, b, 3", `{"tags":["a","b","3"]}`},
		{"tags", "Smith, John\nDoe", `{"tags":["Smith, John","Doe"]}`},
		{"tags", "[1]", `wrong: tags[0] must be a string, not a number`},
		{"sums", "1, 2.5", `{"sums":[1,2.5]}`},
		{"sums", "1, x", `wrong: has "x", which is no number`},
		{"rows", `[{"n":"x"}]`, `{}`},
		{"rows", "a, b", `wrong: must be a JSON list, for example [{"name": "value"}]`},
		{"any", "1, 2, 3", `{"any":[1,2,3]}`},
		{"more", "x, y", `{"more":["x","y"]}`},
	} {
		set, wrong := tool.EditArgs(to, given, map[string]string{c.name: c.text})
		b, err := json.Marshal(set)
		got := string(b)
		if wrong[c.name] != "" {
			got = "wrong: " + wrong[c.name]
		}
		if err != nil || got != c.want {
			t.Errorf("%s=%q: %s, want %s", c.name, c.text, got, c.want)
		}
	}
	long := strings.Repeat("name, ", 600)
	for text, want := range map[string]int{long[:2999] + "…": 0, long[:2000] + "…": 0, "nobody, " + long[:2000] + "…": 1, long[:50] + "…": 1} {
		if set, wrong := tool.EditArgs(to, map[string]any{"tags": long}, map[string]string{"tags": text}); len(set) != want || len(wrong) > 0 {
			t.Errorf("the beginning of a long value sets %d (%v), want %d", len(set), wrong, want)
		}
	}
	if got := tool.ArgText([]any{"Smith, John", "b"}); got != `["Smith, John","b"]` {
		t.Errorf("values with commas are shown as %s", got)
	}
}
