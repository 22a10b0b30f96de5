package coerce_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/coerce"
	"sluice/engine/flow"
	"sluice/engine/usererror"
)

// TestTypes: a text becomes a value of the declared type, or the problem says what is expected.
func TestTypes(t *testing.T) {
	t.Parallel()
	file := map[string]any{"name": "bill.pdf", "id": "F1"}
	for _, c := range []struct {
		typ   string
		given any
		want  any
		wrong string
	}{
		{"date", " 2026-12-01 ", "2026-12-01", ""},
		{"date", "2026-02-30", nil, "must be a date such as 2026-12-01"},
		{"date", 20261201.0, nil, "must be a date"},
		{"datetime", "2026-12-01T09:00", "2026-12-01T09:00", ""},
		{"datetime", "2026-12-01T09:00:00+01:00", "2026-12-01T09:00:00+01:00", ""},
		{"datetime", "2026-12-01", nil, "must be a time such as"},
		{"person", "@ana", "@ana", ""},
		{"person", "U0ANA", "U0ANA", ""},
		{"person", "ana and bob", nil, "must be a person such as @ana"},
		{"channel", "#general", "#general", ""},
		{"channel", "@ana", nil, "must be a channel such as #general"},
		{"file", file, file, ""},
		{"file", `{"name":"bill.pdf","id":"F1"}`, file, ""},
		{"file", "bill.pdf", nil, "must be a file"},
		{"file", map[string]any{"id": "F1"}, nil, "must be a file"},
		{"object", "null", nil, "must be a JSON object"},
	} {
		f := &flow.Flow{Name: "f", Inputs: []flow.Input{{Name: "v", Type: c.typ}}}
		got, err := coerce.Inputs(f, map[string]any{"v": c.given})
		switch {
		case c.wrong != "":
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s %v: %v, want %q", c.typ, c.given, err, c.wrong)
			}
		case err != nil:
			t.Errorf("%s %v: %v", c.typ, c.given, err)
		default:
			if diff := cmp.Diff(c.want, got["v"]); diff != "" {
				t.Errorf("%s %v: %s", c.typ, c.given, diff)
			}
		}
	}
}

// TestLists: words become a list, whose values have the type of the example.
func TestLists(t *testing.T) {
	t.Parallel()
	f := &flow.Flow{Name: "f", Inputs: []flow.Input{
		{Name: "names", Type: "array", Required: true}, {Name: "amounts", Type: "array", Example: []any{1.5, 2.0}}, {Name: "also", Type: "string", Required: true},
	}}
	got, err := coerce.Inputs(f, map[string]any{"names": "Ana, Bob", "amounts": "3\n4", "also": "x"})
	want := map[string]any{"names": []any{"Ana", "Bob"}, "amounts": []any{3.0, 4.0}, "also": "x"}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%s %v", diff, err)
	}
	_, err = coerce.Inputs(f, map[string]any{"names": `{"a": 1}`, "amounts": "3, x"})
	const text = `names must be a JSON list, for example [{"name": "value"}]; amounts has "x", which is no number; also is missing`
	if ue, ok := errors.AsType[*usererror.Error](err); !ok || !strings.Contains(ue.Text, text) || !strings.Contains(ue.Hint, "[amounts=1.5, 2]") {
		t.Errorf("%+v", err)
	}
}
