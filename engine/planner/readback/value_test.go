package readback

import (
	"testing"

	"sluice/engine/flow"
)

// TestConditionsInWords: a condition is told with its meaning, and one that is no comparison is quoted.
func TestConditionsInWords(t *testing.T) {
	t.Parallel()
	r := newReader(&flow.Flow{Nodes: []flow.Node{{ID: "gate"}}}, nil)
	r.number["gate"] = "2"
	for src, want := range map[string]string{
		"look.result.amount > 50":          "amount is over 50",
		"not (look.result.amount > 50)":    "it is not so that amount is over 50",
		"not (x.result.name contains 'a')": "name does not contain a",
		"len(inputs.items) == 0":           "there are no items",
		"len(inputs.items) > 0":            "there are items",
		"a.result.x != null and (a.result.x > 1 or a.result.y == true) and b.result.z != 'it\\'s'": "(x is over 1 or y is true) and z is not it's",
		"approvals.gate == 'approve'": "the answer in 2 is approve",
		"a.result.x == null":          "there is no x",
		"(a.result.x in ['a'])":       "“a.result.x in ['a']”",
	} {
		if got := r.conditionWords(src); got != want {
			t.Errorf("%s is told as %q, want %q", src, got, want)
		}
	}
}

// TestValuesInTexts: a value is told by its name, and by where it comes from when another one has the same name.
func TestValuesInTexts(t *testing.T) {
	t.Parallel()
	r := newReader(&flow.Flow{Nodes: []flow.Node{{ID: "doc"}, {ID: "ticket"}}}, nil)
	r.number["doc"], r.number["ticket"] = "1", "2"
	for template, want := range map[string]string{
		"see {{doc.result.url}} and {{doc.result.url}}":                      "see [url] and [url]",
		"see {{doc.result.url}} and {{ticket.result.url}}: {{inputs.title}}": "see [url from the result of 1] and [url from the result of 2]: [title]",
	} {
		if got := r.text(template); got != want {
			t.Errorf("%s is told as %q, want %q", template, got, want)
		}
	}
}
