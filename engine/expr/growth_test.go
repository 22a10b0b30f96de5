package expr_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"sluice/engine/expr"
	"sluice/engine/expr/function"
	"sluice/engine/growth"
)

// TestTextGrowth checks that the time of reading and evaluating an expression grows no faster than its text and its values.
func TestTextGrowth(t *testing.T) {
	t.Run("Compile", func(t *testing.T) {
		growth.Texts(t, 2*expr.MaxSource, func(s string) { _, _ = expr.Compile(s, ids) })
	})
	t.Run("text", func(t *testing.T) {
		growth.Texts(t, 2*expr.MaxSource, func(s string) { _, _ = expr.Compile("amount == '"+s+"'", ids) })
	})
	t.Run("template", func(t *testing.T) {
		growth.Texts(t, 1<<20, func(s string) {
			tmpl, err := expr.ParseTemplate(s, ids)
			if err != nil {
				return
			}
			if _, err := tmpl.Render(world(), expr.Options{}); err != nil && !errors.Is(err, expr.ErrCost) {
				t.Error(err)
			}
		})
	})
	for _, src := range []string{
		"lower(x) == upper(x)", "x in [x, x]", "x contains 'aab'", "x < x", "x.a.b[x]",
	} {
		t.Run(src, func(t *testing.T) { evaluates(t, src, growth.Linear, odd...) })
	}
	for _, src := range []string{"x matches '(a|b|ab)*c'", "x matches '^(a+)+$'"} {
		t.Run(src, func(t *testing.T) {
			evaluates(t, src, func(t testing.TB, most int, prepare func(int) func()) {
				growth.Linear(t, allPaths, prepare)
				growth.Between(t, onePass, most, prepare)
			}, odd...)
		})
	}
	for _, name := range function.Names() {
		f, _ := function.Named(name)
		args := make([]string, len(f.Params))
		for i, p := range f.Params {
			switch {
			case i == 0:
				args[i] = "x"
			case p.Kind == function.Number:
				args[i] = "2"
			default:
				args[i] = "'a'"
			}
		}
		call := f.Name + "(" + strings.Join(args, ", ") + ")"
		t.Run(call, func(t *testing.T) { evaluates(t, call, growth.Linear, "a b,{[9") })
	}
}

// odd are parts of which long texts are made.
var odd = []string{"a", " ", "a b ", "9", "\xff", "é"}

// Package regexp matches texts of up to allPaths bytes by trying paths and remembering them, texts from onePass bytes on in a single pass
// that is about five times as slow for each byte. Between the two sizes it depends on the pattern.
const (
	allPaths = 1 << 13
	onePass  = 1 << 18
)

// evaluates an expression in which x is a long text, and a long list.
func evaluates(t *testing.T, src string, check func(t testing.TB, most int, prepare func(size int) func()), parts ...string) {
	t.Helper()
	e, err := expr.Compile(src, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range parts {
		check(t, 1<<22, func(n int) func() {
			text := expr.Map{"x": strings.Repeat(part, n/len(part))}
			list := expr.Map{"x": slices.Repeat([]any{part}, n/len(part)/16)}
			return func() {
				for _, scope := range []expr.Scope{text, list} {
					if _, err := e.Eval(scope, expr.Options{}); err != nil && !errors.Is(err, expr.ErrCost) {
						t.Error(err)
					}
				}
			}
		})
	}
}

// TestExpressionGrowth checks the same for an expression of many parts.
func TestExpressionGrowth(t *testing.T) {
	for _, c := range []struct{ before, part, after string }{
		{"a", " and a", ""},
		{"a", " or not a", ""},
		{"[1", ", 1", "]"},
		{"a", ".a", ""},
		{"a", "[0]", ""},
		{"", "(", ""},
		{"", "not ", "a"},
		{"a", " ? a : a", ""},
		{"", "a ? a : ", "a"},
		{"", "len(", ""},
		{"a", " in [a]", ""},
		{"a", " == a", ""},
		{"", "[", ""},
		{"1", "0", ""},
		{"0.", "1", ""},
		{"1e", "9", ""},
		{"a matches '", "(a*)*", "'"},
		{"a matches '", "a{9}", "'"},
		{"a matches '(", "a|", "a)'"},
		{"send", "-refund", ""},
	} {
		t.Run(c.part, func(t *testing.T) {
			growth.Linear(t, 2*expr.MaxSource, func(n int) func() {
				src := c.before + strings.Repeat(c.part, n/len(c.part)) + c.after
				return func() {
					e, err := expr.Compile(src, ids)
					if err != nil {
						return
					}
					if _, err := e.Eval(world(), expr.Options{Now: recorded}); err != nil && !errors.Is(err, expr.ErrCost) {
						t.Error(err)
					}
				}
			})
		})
	}
}

func FuzzTimeOfExpressions(f *testing.F) {
	growth.Fuzz(f, 2*expr.MaxSource, func(s string) {
		_, _ = expr.Compile(s, ids)
		_, _ = expr.ParseTemplate(s, ids)
	})
}
