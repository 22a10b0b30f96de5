package tool_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/tool"
)

// An example is one that its schema accepts.
func TestExample(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	for name, c := range map[string]struct {
		schema m
		want   any
	}{
		"what the schema gives as an example": {m{"type": "number", "example": 40}, 40},
		"the first allowed value":             {m{"type": "string", "enum": []any{"refund", "tech"}}, "refund"},
		"the default":                         {m{"type": "boolean", "default": false}, false},
		"an object with its fields": {m{"type": "object", "properties": m{
			"amount": m{"type": "number", "minimum": 5}, "customer": m{"type": "string"}, "at": m{"type": "string", "format": "date-time"},
		}}, m{"amount": 5, "customer": "customer", "at": "2026-01-31T09:00:00Z"}},
		"a list of one":        {m{"type": "array", "items": m{"type": "integer"}}, []any{1}},
		"the first of several": {m{"anyOf": []any{m{"type": "null"}, m{"type": "string"}}}, nil},
		"several types":        {m{"type": []any{"boolean", "null"}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := tool.Example(c.schema)
			if diff := cmp.Diff(c.want, got); !ok || diff != "" {
				t.Error(ok, diff)
			}
			compiled, err := tool.CompileSchema(c.schema)
			if err != nil {
				t.Fatal(err)
			}
			if problems := compiled.Check(got); len(problems) > 0 {
				t.Error(problems)
			}
		})
	}
	itself := endless()
	if _, ok := tool.Example(itself); !ok {
		t.Error("a schema that contains itself has no example")
	}
	for _, nothing := range []m{nil, {}, {"description": "anything"}} {
		if got, ok := tool.Example(nothing); ok {
			t.Errorf("%v gives %v", nothing, got)
		}
	}
}

// endless is a schema whose field is the schema itself.
func endless() map[string]any {
	schema := map[string]any{"type": "object"}
	schema["properties"] = map[string]any{"next": schema}
	return schema
}
