package form_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/form"
)

// TestFieldTypes: what people enter becomes a value of the field's type.
func TestFieldTypes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ   string
		given any
		want  any
		wrong string
	}{
		{"date", "2026-12-01", "2026-12-01", ""},
		{"date", "soon", nil, "must be a date such as 2026-12-01"},
		{"datetime", "2026-12-01T09:00", "2026-12-01T09:00", ""},
		{"person", "@ana", "@ana", ""},
		{"person", "ana", nil, "must be a person such as @ana"},
		{"channel", "#general", "#general", ""},
		{"file", `{"name": "a.pdf"}`, map[string]any{"name": "a.pdf"}, ""},
		{"file", map[string]any{"name": "a.pdf"}, map[string]any{"name": "a.pdf"}, ""},
		{"file", "a.pdf", nil, "must be a file"},
		{"object", `{"a": 1}`, map[string]any{"a": json.Number("1")}, ""},
		{"object", `[1]`, nil, "must be a JSON object"},
		{"array", `[1]`, []any{json.Number("1")}, ""},
		{"array", `one, two`, []any{"one", "two"}, ""},
		{"array", `[one`, nil, `begins as a JSON list does and is none, for example ["one", "two"]`},
		{"array", `{"a": 1}`, nil, `must be a JSON list, for example [{"name": "value"}]`},
	} {
		got, wrong := form.Check(map[string]flow.FormField{"v": {Type: c.typ}}, history.Gate{}, form.Given{Form: map[string]any{"v": c.given}})
		if wrong["v"] != c.wrong {
			t.Errorf("%s %v: %q, want %q", c.typ, c.given, wrong["v"], c.wrong)
		}
		if diff := cmp.Diff(c.want, got["v"]); diff != "" {
			t.Errorf("%s %v: %s", c.typ, c.given, diff)
		}
	}
}
