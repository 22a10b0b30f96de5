package form_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/bot/form"
	"sluice/engine/flow"
	"sluice/engine/history"
)

func TestTyped(t *testing.T) {
	t.Parallel()
	names := []string{"rating", "note", "order_id"}
	for text, want := range map[string]map[string]string{
		"rating=4, very good":                    {"rating": "4, very good"},
		"note=too old, sorry":                    {"note": "too old, sorry"},
		"reject note=too old, sorry":             {"note": "too old, sorry"},
		`rating=4 note="two words"`:              {"rating": "4", "note": "two words"},
		"rating=4, note=“fine”":                  {"rating": "4", "note": "fine"},
		"note=see https://x.example/?a=1&b=2 ok": {"note": "see https://x.example/?a=1&b=2 ok"},
		"note=he said \"no\" to \"me\"":          {"note": "he said \"no\" to \"me\""},
		"note=a=b and other=c":                   {"note": "a=b and other=c"},
		"note=first line\nsecond line":           {"note": "first line\nsecond line"},
		"order_id=A-1\nnote=first line\nrating=3": {
			"order_id": "A-1", "note": "first line", "rating": "3",
		},
		"note=once note=twice":                  {"note": "once note=twice"},
		`note="not rating=5, sorry" rating=4`:   {"note": "not rating=5, sorry", "rating": "4"},
		`note="not rating=5", he said rating=4`: {"note": `"not rating=5", he said`, "rating": "4"},
		`note=5" pipe rating=4`:                 {"note": `5" pipe`, "rating": "4"},
		"no value here":                         {},
	} {
		got, _ := form.Typed(text, names)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
	if _, rest := form.Typed("reject  note=too old", names); rest != "reject" {
		t.Errorf("before the values stands %q", rest)
	}
}

// FuzzTyped: no word of the text is lost: it is in a value, in the rest, or it is a known name.
func FuzzTyped(f *testing.F) {
	for _, s := range []string{"a=1 b=two words", "x a=\"q\"", "a=\nb=", "a==b= b=a="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		values, rest := form.Typed(text, []string{"a", "b"})
		all := rest + " " + strings.Join(slices.Collect(maps.Values(values)), " ")
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\r\v\f\u0085\u00a0=,;\"'“”„‘’", r) }) {
			if word != "a" && word != "b" && !strings.Contains(all, word) {
				t.Errorf("%q is in no value of %q: %q, %q", word, text, values, rest)
			}
		}
	})
}

func names(f form.Form) (out []string) {
	for _, field := range f.Fields {
		name := field.Name
		if field.Required {
			name += "!"
		}
		out = append(out, name)
	}
	return out
}

func TestFieldsOfAGate(t *testing.T) {
	t.Parallel()
	reason := map[string]flow.FormField{"reason": {RequiredFor: []string{"reject"}}, "note": {}}
	for name, c := range map[string]struct {
		opened history.GateOpened
		choice int
		want   []string
	}{
		"a choice with a note":            {history.GateOpened{Choices: []string{"approve", "reject"}}, 0, []string{".choice!", ".note"}},
		"a choice that needs a reason":    {history.GateOpened{Choices: []string{"approve", "reject"}, Form: reason}, 2, []string{"note", "reason!"}},
		"a choice that needs none":        {history.GateOpened{Choices: []string{"approve", "reject"}, Form: reason}, 1, []string{"note", "reason"}},
		"a free answer":                   {history.GateOpened{}, 0, []string{".text!"}},
		"fields":                          {history.GateOpened{Form: map[string]flow.FormField{"amount": {Type: "number", Required: true}}}, 0, []string{"amount!"}},
		"the value of a step that failed": {history.GateOpened{Kind: history.GateFailure, Choices: []string{"retry", history.ChoiceSkip}}, 2, []string{".value"}},
	} {
		if diff := cmp.Diff(c.want, names(form.Gate("g", c.opened, c.choice))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	opened := history.GateOpened{Choices: []string{"approve", "reject"}, Form: reason}
	if form.NeedsForm(opened, "approve") || !form.NeedsForm(opened, "reject") {
		t.Error("only a rejection needs a reason")
	}
}

// TestFieldsOfAGateInTheirOrder: the form asks for them, and an answer shows them, as they were declared. Hints say how a value is written.
func TestFieldsOfAGateInTheirOrder(t *testing.T) {
	t.Parallel()
	fields := map[string]flow.FormField{
		"name": {Order: 1}, "tags": {Order: 2, Type: "array", Description: "What it is about"}, "about": {Order: 3, Type: "object"}, "pin": {Order: 4, Type: "array", Sensitive: true},
	}
	asked := form.Gate("g", history.GateOpened{Form: fields}, 0).Fields
	if got := form.Names(asked); !slices.Equal(got, []string{"name", "tags", "about", "pin"}) {
		t.Errorf("it asks for %v", got)
	}
	if got := asked[1].Hint; got != "What it is about. One value a line, or separated by commas." {
		t.Errorf("the hint of a list is %q", got)
	}
	if got := asked[2].Hint; got != `A JSON object. For example: {"name": "value"}` {
		t.Errorf("the hint of an object is %q", got)
	}
	if got := (form.Form{Fields: asked}).Understood(map[string]any{"tags": `["a"]`, "pin": `[1]`}); !slices.Equal(got, []string{"Tags: 1 value: a"}) {
		t.Errorf("it tells what was read as %q", got)
	}
}

func TestRefs(t *testing.T) {
	t.Parallel()
	for _, want := range []form.Ref{{Owner: form.OfRun, Subject: "refund"}, {Owner: form.OfGate, Subject: "g1", Choice: 2, Shown: "abc"}} {
		if got, err := form.ParseRef(want.String()); err != nil || got != want {
			t.Errorf("%+v became %+v (%v)", want, got, err)
		}
	}
	if _, err := form.ParseRef("refund"); err == nil {
		t.Error("what is no reference was read as one")
	}
}

func ExampleInputs() {
	f := &flow.Flow{Name: "vacation", Inputs: []flow.Input{
		{Name: "from", Type: "string", Required: true, Example: "2026-12-01"},
		{Name: "days", Type: "integer", Default: 5.0},
		{Name: "kind", Type: "string", Enum: []any{"paid", "unpaid"}},
	}}
	for _, field := range form.Inputs(f, nil).Fields {
		fmt.Printf("%s (%s): %q %v\n", field.Label, field.Kind, field.Value, field.Options)
	}
	// Output:
	// From (text): "" []
	// Days (integer): "5" []
	// Kind (choice): "" [paid unpaid]
}

func ExampleTyped() {
	values, rest := form.Typed("reject note=too old, sorry", []string{"note"})
	fmt.Printf("%s: %s\n", rest, values["note"])
	// Output: reject: too old, sorry
}
