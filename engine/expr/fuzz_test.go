package expr_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"sluice/engine/expr"
)

// seeds are sources of every form, from which the fuzzers start.
var seeds = []string{
	"category == 'refund' and not (amount > 100 or flag)",
	"not category == 'tech' ? tags[0] : look_up.result.body.items.0.name",
	"send-refund.result in ['paid', \"sent\"] && not-paid",
	"event.payload.message not matches '(?i)refund\\s+A-[0-9]+'",
	"len(lower(str(now()))) >= -1.5e3 or secret.KEY == nil",
	"nodes['send-refund'].get('x')?.y.trim()",
	"((((a))))", "]", "!!!a", "[[],[1,[2]]]", "a..b", "'\\", "{{ x }}", "ü == “x”", "9223372036854775808",
}

func FuzzCompile(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		e, err := expr.Compile(src, ids)
		if err != nil {
			checkSyntaxError(t, src, err)
			return
		}
		first, err := e.Eval(world(), expr.Options{Now: recorded})
		if err != nil && !errors.Is(err, expr.ErrCost) {
			t.Fatalf("Eval(%q): %v", src, err)
		}
		second, _ := e.Eval(world(), expr.Options{Now: recorded})
		if expr.JSON(first) != expr.JSON(second) {
			t.Errorf("%q gives %v, then %v", src, first, second)
		}
		if !json.Valid([]byte(expr.JSON(first))) {
			t.Errorf("%q gives the JSON %s", src, expr.JSON(first))
		}
		for _, path := range e.Reads() {
			if len(path) == 0 {
				t.Errorf("%q reads an empty path", src)
			}
		}
		// A name that is in no scope gives no error either.
		if _, err := e.Test(nil, expr.Options{MaxCost: 10}); err != nil && !errors.Is(err, expr.ErrCost) {
			t.Errorf("Test(%q) without a scope: %v", src, err)
		}
	})
}

func checkSyntaxError(t *testing.T, src string, err error) {
	t.Helper()
	syntax, ok := errors.AsType[*expr.SyntaxError](err)
	if !ok {
		t.Fatalf("%q: the error is %v, want a *SyntaxError", src, err)
	}
	lines := strings.Split(syntax.Caret(), "\n")
	if syntax.Line < 1 || syntax.Column < 1 || syntax.Message == "" || len(lines) != 2 || !strings.HasSuffix(lines[1], "^") {
		t.Errorf("%q: a poor error: %#v", src, syntax)
	}
	if strings.Contains(syntax.Message, "cannot be read here") || strings.Contains(syntax.Message, "cannot be compiled") {
		t.Errorf("%q: the error is one of another parser: %v", src, err)
	}
}

// FuzzTemplate also inserts the source into a template as data: it must stay unchanged.
func FuzzTemplate(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed)
		f.Add("a {{ " + seed + " | default(\"x\") | json }} b {{" + seed + "}}")
	}
	around, err := expr.ParseTemplate("<{{data}}|{{data | trim}}>", nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, src string) {
		scope := world()
		scope["data"] = src
		got, err := around.Render(scope, expr.Options{})
		if want := "<" + src + "|" + strings.TrimSpace(src) + ">"; err == nil && got != want {
			t.Errorf("data renders as %q, want %q", got, want)
		}
		tmpl, err := expr.ParseTemplate(src, ids)
		if err != nil {
			checkSyntaxError(t, src, err)
			return
		}
		rendered, err := tmpl.Render(scope, expr.Options{Now: recorded})
		if err != nil && !errors.Is(err, expr.ErrCost) {
			t.Fatalf("Render(%q): %v", src, err)
		}
		if tmpl.Static() && rendered != src {
			t.Errorf("a static template renders as %q", rendered)
		}
		if _, err := expr.Unseal(rendered, resolve); err != nil && !errors.Is(err, errUnbound) {
			t.Errorf("Unseal: %v", err)
		}
	})
}

func FuzzJSONIn(f *testing.F) {
	f.Add("```json\n{\"a\": 1}\n```")
	f.Add("{{{")
	f.Fuzz(func(t *testing.T, text string) {
		object, ok := expr.JSONIn(text)
		if ok != (object != nil) {
			t.Errorf("JSONIn(%q) = %v, %v", text, object, ok)
		}
		if shown, ok := expr.DisplayText(object); ok && utf8.ValidString(text) && !utf8.ValidString(shown) {
			t.Errorf("DisplayText breaks %q", shown)
		}
	})
}
