package expr_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sluice/engine/expr"
	"sluice/engine/growth"
)

// outline writes a term in brackets, with the position of every name.
func outline(t expr.Term) string {
	switch t.Op {
	case expr.TermPath:
		return fmt.Sprintf("%s%v", strings.Join(t.Path, "."), t.At)
	case expr.TermValue:
		return fmt.Sprintf("%#v", t.Value)
	}
	parts := []string{t.Op}
	for _, a := range t.Args {
		parts = append(parts, outline(a))
	}
	return "(" + strings.Join(parts, " ") + ")"
}

func TestTerms(t *testing.T) {
	t.Parallel()
	names := expr.NewNames(ids)
	for src, want := range map[string]string{
		"a.b[0].c":                       "a.b.0.c[0 2 4 7]",
		"not a == 'x' and b in [1, c]":   `(and (not (== a[4] "x")) (in b[17] ([] 1 c[26])))`,
		"send-refund.result > 3":         "(> send-refund.result[0 12] 3)",
		"nodes['send-refund'].x":         "nodes.send-refund.x[0 6 21]",
		"lower(a.b) != a.trim() ? 1 : b": "(? (!= (lower a.b[6 8]) (trim a[14])) 1 b[29])",
		"a[b].c":                         `(member (member a[0] b[2]) "c")`,
		"a.get('x')":                     `(get a[0] "x")`,
		"default":                        "true",
		"null":                           "<nil>",
	} {
		got, err := names.Expression(src)
		if err != nil || outline(got) != want {
			t.Errorf("%s is %s %v, want %s", src, outline(got), err, want)
		}
	}
	if _, err := names.Expression("a =="); err == nil {
		t.Error("half an expression has terms")
	}
}

func TestTemplateTerms(t *testing.T) {
	t.Parallel()
	names := expr.NewNames(ids)
	for _, c := range []struct {
		src, want string
		whole     bool
	}{
		{"nothing", "", false},
		{"{{ a.b }}", "a.b[3 5]", true},
		{" {{a}}", "a[3]", false},
		{"{{a}}{{b}}", "a[2] b[7]", false},
		{`{{ a | default(b.c) | upper }}`, "(|upper (|default a[3] b.c[15 17]))", true},
	} {
		terms, whole, err := names.Template(c.src)
		got := make([]string, len(terms))
		for i, term := range terms {
			got[i] = outline(term)
		}
		if err != nil || strings.Join(got, " ") != c.want || whole != c.whole {
			t.Errorf("%s is %v %v %v, want %s %v", c.src, got, whole, err, c.want, c.whole)
		}
	}
	for _, bad := range []string{"{{", "{{ a | nothing }}", "{{ a | default() }}", "{{ }}"} {
		if _, _, err := names.Template(bad); err == nil {
			t.Errorf("%s has terms", bad)
		}
	}
}

// FuzzTerms checks that every source that compiles has terms, and that the terms read the same paths as the compiled expression.
func FuzzTerms(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	names := expr.NewNames(ids)
	f.Fuzz(func(t *testing.T, src string) {
		_, _, _ = names.Template(src)
		compiled, err := expr.Compile(src, ids)
		term, bad := names.Expression(src)
		if err != nil {
			return
		}
		if bad != nil {
			t.Fatalf("%q compiles, but has no terms: %v", src, bad)
		}
		var paths [][]string
		var collect func(expr.Term)
		collect = func(term expr.Term) {
			if term.Op == "" || term.Start < 0 || term.Start > len(src) || len(term.At) != len(term.Path) {
				t.Errorf("%q has the term %+v", src, term)
			}
			if term.Op == expr.TermPath {
				paths = append(paths, term.Path)
			}
			for _, a := range term.Args {
				collect(a)
			}
		}
		collect(term)
		for _, read := range compiled.Reads() {
			if !slices.ContainsFunc(paths, func(p []string) bool { return slices.Equal(p, read) }) {
				t.Errorf("%q reads %v, and its terms do not", src, read)
			}
		}
	})
}

func TestTermsGrowth(t *testing.T) {
	names := expr.NewNames(ids)
	growth.Texts(t, 2*expr.MaxSource, func(s string) { _, _ = names.Expression(s) })
	growth.Texts(t, 1<<20, func(s string) { _, _, _ = names.Template(s) })
}
