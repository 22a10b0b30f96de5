package expr_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/expr"
)

// TestLiteral checks which route conditions are compared as literals, and with which value.
func TestLiteral(t *testing.T) {
	t.Parallel()
	tests := []struct {
		when string
		want any
		ok   bool
	}{
		{"p0", "p0", true},
		{" p0 ", "p0", true},
		{"needs-review", "needs-review", true},
		{"high priority", "high priority", true},
		{"größe", "größe", true},
		{"1st", "1st", true},
		{"and", "and", true},
		{"5", int64(5), true},
		{"-1.5", -1.5, true},
		{"12345678901234567890", json.Number("12345678901234567890"), true},
		{"true", true, true},
		{"False", false, true},
		{"null", nil, true},
		{"'a b'", "a b", true},
		{`"it's"`, "it's", true},
		{"'true'", "true", true},
		{"''", "", true},
		{"default", nil, false},
		{"", nil, false},
		{"'a' == 'a'", nil, false},
		{"'a", nil, false},
		{"category == 'refund'", nil, false},
		{"look_up.result", nil, false},
		{"not urgent", nil, false},
		{"a and b", nil, false},
		{"x in y", nil, false},
		{"(p0)", nil, false},
		{"a > 1", nil, false},
	}
	for _, tt := range tests {
		got, ok := expr.Literal(tt.when)
		if ok != tt.ok || tt.ok && !cmp.Equal(got, tt.want) || !tt.ok && got != nil {
			t.Errorf("Literal(%q) = %#v, %v; want %#v, %v", tt.when, got, ok, tt.want, tt.ok)
		}
	}
}

func TestEqualLiteral(t *testing.T) {
	t.Parallel()
	tests := []struct {
		value any
		when  string
		want  bool
	}{
		{"p0", "p0", true},
		{"p0", "'p0'", true},
		{"P0", "p0", false},
		{true, "true", true},
		{"true", "true", true},
		{true, "'true'", true},
		{false, "true", false},
		{nil, "true", false},
		{nil, "false", false},
		{nil, "null", true},
		{nil, "''", true},
		{150.0, "150", true},
		{"150.0", "150", true},
		{json.Number("150"), "'150'", true},
		{gateRecord{choice: "approve"}, "approve", true},
		{"needs-review", "needs-review", true},
		{"high priority", "high priority", true},
		{true, "amount > 100", false},
		{"amount > 100", "amount > 100", false},
		{"default", "default", false},
		{expr.SecretRef{Name: "p0"}, "p0", false},
	}
	for _, tt := range tests {
		if got := expr.EqualLiteral(tt.value, tt.when); got != tt.want {
			t.Errorf("EqualLiteral(%#v, %q) = %v, want %v", tt.value, tt.when, got, tt.want)
		}
	}
}

func TestCompareUnknownOperator(t *testing.T) {
	t.Parallel()
	if expr.Compare("~", 1, 1) || !expr.Compare(">=", 1, 1) {
		t.Error("Compare knows ~ or does not know >=")
	}
}

// TestJSONIn checks which JSON object is found in the text of an agent.
func TestJSONIn(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want map[string]any
	}{
		{`{"category": "refund"}`, map[string]any{"category": "refund"}},
		{"Sure!\n```json\n{\"a\": {\"b\": [1]}}\n```\nAnything else?", map[string]any{"a": map[string]any{"b": []any{json.Number("1")}}}},
		{`I think {this} is {"a": "}"} and {"b": 1}`, map[string]any{"a": "}"}},
		{`{"big": 12345678901234567890}`, map[string]any{"big": json.Number("12345678901234567890")}},
		{`set {"a": 1`, nil},
		{`[{"a": 1}]`, map[string]any{"a": json.Number("1")}},
		{`null`, nil},
		{``, nil},
		{`{}`, map[string]any{}},
		{strings.Repeat("{", 1<<20), nil},
	}
	for _, tt := range tests {
		got, ok := expr.JSONIn(tt.text)
		if ok != (tt.want != nil) || !cmp.Equal(got, tt.want) {
			t.Errorf("JSONIn(%.40q) = %v, %v; want %v", tt.text, got, ok, tt.want)
		}
	}
}

// TestDisplayText checks which text of a JSON reply is shown to people.
func TestDisplayText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		obj  map[string]any
		want string
		ok   bool
	}{
		{map[string]any{"body": "b", "reply": "r"}, "r", true},
		{map[string]any{"reply": " ", "message": "m"}, "m", true},
		{map[string]any{"text": 5, "answer": "a"}, "a", true},
		{map[string]any{"category": "refund"}, "", false},
		{nil, "", false},
	}
	for _, tt := range tests {
		if got, ok := expr.DisplayText(tt.obj); got != tt.want || ok != tt.ok {
			t.Errorf("DisplayText(%v) = %q, %v; want %q, %v", tt.obj, got, ok, tt.want, tt.ok)
		}
	}
}
