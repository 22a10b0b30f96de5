package expr_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/expr"
)

func TestTemplates(t *testing.T) {
	t.Parallel()
	tests := []struct {
		src  string
		want any
	}{
		{"", ""},
		{"plain }} text { { }", "plain }} text { { }"},
		{"Refund {{look_up.result.body.amount}} EUR for {{ category }}?", "Refund 150 EUR for refund?"},
		{"{{category}}{{flag}}", "refundtrue"},
		{"{{ '{{' }}x{{\"}}\"}}", "{{x}}"},
		// One expression and nothing else keeps its type.
		{"{{price}}", 150.0},
		{"{{ tags }}", []any{"late", "damaged", 3}},
		{"{{missing}}", nil},
		{"{{ amount > 100 and flag }}", true},
		{"{{approvals.gate}}", "approve"},
		{"{{ off ? 1 : 'b' }}", "b"},
		// Everything else is a text.
		{" {{price}}", " 150"},
		{"{{price}}\n", "150\n"},
		{"[{{missing}}]", "[]"},
		{"tags: {{tags}}", `tags: ["late","damaged",3]`},
		{"{{big}}!", "12345678901234567890!"},
		{"by {{approvals.gate}}: {{approvals.gate.note}}", "by approve: go on"},
		// A value is inserted as it is.
		{"{{evil}}", "{{secret.KEY}}"},
		{"say {{evil}}", "say {{secret.KEY}}"},
		{"{{evil | upper}} {{evil | json}}", `{{SECRET.KEY}} "{{secret.KEY}}"`},
		// Filters.
		{"{{ tags | json }}", `["late","damaged",3]`},
		{"{{ missing | json }}", "null"},
		{"{{ category | json }}", `"refund"`},
		{"{{ look_up.result.body | json }}", `{"amount":150,"items":[{"name":"hat"}]}`},
		{"{{ '<a>&' | json }}", `"<a>&"`},
		{"{{ amount | json }}", "150"},
		{"{{ tags | join(\" / \") }}", "late / damaged / 3"},
		{"{{ tags|join }}", "late, damaged, 3"},
		{"{{ names | join('|') | upper }}", "ANA|BOB"},
		{"{{ category | join('x') }}", "refund"},
		{"{{ missing | join(',') }}", ""},
		{"{{ '  A b ' | trim | lower }}", "a b"},
		{"{{ missing | default(\"none\") }}", "none"},
		{"{{ empty | default('none') }}", "none"},
		{"{{ zero | default('none') }}", 0},
		{"{{ off | default('none') }}", false},
		{"{{ missing | default(5) }}", int64(5)},
		{"{{ missing | default(amount > 100) }}", true},
		{"{{ missing | default(category) | upper }}", "REFUND"},
		{"{{ missing | default('}}') }}", "}}"},
		{"{{ missing | default('a|b') }}", "a|b"},
		{"{{ off || flag }}", true},
		{"{{ off || missing | default('x') }}", false},
		{"{{ (missing) | default('(') }}", "("},
		{"{{ tags[0]|upper }}", "LATE"},
		{"{{ send-refund.result | upper }}", "PAID"},
		{"{{ category in ['refund'] | json }}", "true"},
		// Dates.
		{"{{ when | date }}", "2026-03-04"},
		{"{{ when | date('date') }}", "2026-03-04"},
		{"{{ when | date('datetime') }}", "2026-03-04 05:06"},
		{"{{ when | date('long') }}", "Wednesday, 4 March 2026"},
		{"{{ when | date('DD.MM.YYYY HH:mm:ss') }}", "04.03.2026 05:06:07"},
		{"{{ when | date('2 Jan 2006') }}", "4 Mar 2026"},
		{"{{ when | date('unix') }}", "1772600767"},
		{"{{ '2026-12-01T09:00:00+02:00' | date('time') }}", "07:00"},
		{"{{ '2026-12-01' | date('weekday') }}", "Tuesday"},
		{"{{ 1772600767 | date('iso') }}", "2026-03-04T05:06:07Z"},
		{"{{ '1772600767.000100' | date('iso') }}", "2026-03-04T05:06:07Z"},
		{"{{ 1772600767000 | date('iso') }}", "2026-03-04T05:06:07Z"},
		{"{{ now() | date('year') }}", "2026"},
		{"{{ 'soon' | date('long') }}", "soon"},
		{"{{ 12 | date('long') }}", int64(12)},
		{"{{ missing | date('long') }}", nil},
		{"on {{ missing | date('long') }}", "on "},
	}
	for _, tt := range tests {
		t.Run(tt.src, func(t *testing.T) {
			t.Parallel()
			tmpl, err := expr.ParseTemplate(tt.src, ids)
			if err != nil {
				t.Fatal(err)
			}
			got, err := tmpl.Render(world(), expr.Options{Now: recorded})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Render(%q) differs (-want +got):\n%s", tt.src, diff)
			}
			if want := !strings.Contains(tt.src, "{{"); tmpl.Static() != want {
				t.Errorf("Static(%q) = %v, want %v", tt.src, tmpl.Static(), want)
			}
		})
	}
}

func TestDateInZone(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("east", 3*60*60)
	tmpl, err := expr.ParseTemplate("{{ when | date('datetime') }}, {{ '2026-12-01T09:00' | date('iso') }}", nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := tmpl.Render(world(), expr.Options{Now: recorded.In(zone)})
	if want := "2026-03-04 08:06, 2026-12-01T09:00:00+03:00"; err != nil || got != want {
		t.Errorf("Render = %q, %v; want %q", got, err, want)
	}
}

func TestReads(t *testing.T) {
	t.Parallel()
	tests := []struct {
		src  string
		want [][]string
	}{
		{"1 == 'a'", [][]string{}},
		{"category == 'refund'", [][]string{{"category"}}},
		{"look_up.result.body.amount > 100 and look_up.result.body.amount < 9", [][]string{{"look_up", "result", "body", "amount"}}},
		{"a.b or a.b.c or a", [][]string{{"a", "b"}, {"a", "b", "c"}, {"a"}}},
		{"approvals.gate == 'approve'", [][]string{{"approvals", "gate"}}},
		{"send-refund.result", [][]string{{"send-refund", "result"}}},
		{"nodes['send-refund'].output", [][]string{{"nodes", "send-refund", "output"}}},
		{"a.items[0].name", [][]string{{"a", "items", "0", "name"}}},
		{"a.items[b.i].name", [][]string{{"a", "items"}, {"b", "i"}}},
		{"a[b[c.d].e].f", [][]string{{"a"}, {"b"}, {"c", "d"}}},
		{"(flag ? a : b).c", [][]string{{"flag"}, {"a"}, {"b"}}},
		{"len(a.b) > 1 and lower(c)", [][]string{{"a", "b"}, {"c"}}},
		{"a.b.get('c').d", [][]string{{"a", "b"}}},
		{"a.b.lower() in [c, 'd']", [][]string{{"a", "b"}, {"c"}}},
		{"m matches 'x'", [][]string{{"m"}}},
		{"secret.KEY == 'x'", [][]string{{"secret", "KEY"}}},
		{"nil == null", [][]string{}},
	}
	for _, tt := range tests {
		e, err := expr.Compile(tt.src, ids)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, e.Reads()); diff != "" {
			t.Errorf("Reads of %q differ (-want +got):\n%s", tt.src, diff)
		}
	}
}

func TestTemplateReads(t *testing.T) {
	t.Parallel()
	tmpl, err := expr.ParseTemplate("{{a.b | default(c.d)}} and {{a.b}} {{ 'x' | join(e) }}", nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{{"a", "b"}, {"c", "d"}, {"e"}}, tmpl.Reads()); diff != "" {
		t.Errorf("Reads differ (-want +got):\n%s", diff)
	}
	tmpl.Reads()[0][0] = "changed"
	if tmpl.Reads()[0][0] != "a" {
		t.Error("a caller's change to Reads reaches the template")
	}
}

func TestValue(t *testing.T) {
	t.Parallel()
	params := map[string]any{
		"url":   "https://shop.example/orders/{{inputs.order_id}}",
		"count": 3,
		"json":  map[string]any{"amount": "{{price}}", "tags": []any{"{{tags}}", "x", nil, true}},
		"{{k}}": "keys stay",
	}
	scope := world()
	scope["inputs"] = map[string]any{"order_id": "A-1001"}
	v, err := expr.CompileValue(params, ids)
	if err != nil {
		t.Fatal(err)
	}
	got, err := v.Render(scope, expr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"url":   "https://shop.example/orders/A-1001",
		"count": 3,
		"json":  map[string]any{"amount": 150.0, "tags": []any{[]any{"late", "damaged", 3}, "x", nil, true}},
		"{{k}}": "keys stay",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Render differs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]string{{"price"}, {"tags"}, {"inputs", "order_id"}}, v.Reads()); diff != "" {
		t.Errorf("Reads differ (-want +got):\n%s", diff)
	}
	again, err := renderValue(params, ids, scope, expr.Options{})
	if diff := cmp.Diff(want, again); err != nil || diff != "" {
		t.Errorf("rendered at once: %v, differs (-want +got):\n%s", err, diff)
	}
}

func TestValueReportsEveryMistake(t *testing.T) {
	t.Parallel()
	_, err := expr.CompileValue(map[string]any{
		"b": map[string]any{"c": []any{"fine", "{{ x = 1 }}"}},
		"a": "{{ y",
	}, nil)
	if err == nil {
		t.Fatal("CompileValue takes broken templates")
	}
	want := "a: column 1: this {{ is never closed (end the expression with }}; to write {{ itself: {{ \"{{\" }})\n" +
		"b.c[1]: column 6: = cannot be used here (write == to compare)"
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("the error differs (-want +got):\n%s", diff)
	}
	if _, err := renderValue("{{", nil, nil, expr.Options{}); err == nil {
		t.Error("renderValue takes a broken template")
	}
}

func TestCost(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 1<<20)
	many := make([]any, 200_000)
	for i := range many {
		many[i] = i
	}
	scope := expr.Map{"long": long, "many": many, "o": map[string]any{"l": long}}
	tests := []struct {
		src  string
		opt  expr.Options
		want bool // whether it is allowed
	}{
		{"long == 'b'", expr.Options{}, true},
		{"long contains 'b'", expr.Options{}, true},
		{"long matches 'b'", expr.Options{}, true},
		{"long matches '(x+x+)+y{1,50}.{100}z'", expr.Options{}, false},
		{"-1 in many", expr.Options{}, false},
		{"5 in many", expr.Options{}, true},
		{"many == many", expr.Options{}, false},
		{"upper(long) == 'x'", expr.Options{MaxCost: 1000}, false},
		{"str(o) == ''", expr.Options{MaxCost: 1000}, false},
		{"a.b.c", expr.Options{MaxCost: 2}, false},
		{"a or b or c or d", expr.Options{MaxCost: 3}, false},
		{"a or b or c or d", expr.Options{MaxCost: 30}, true},
	}
	for _, tt := range tests {
		t.Run(tt.src, func(t *testing.T) {
			t.Parallel()
			e, err := expr.Compile(tt.src, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, err = e.Test(scope, tt.opt)
			if allowed := err == nil; allowed != tt.want || err != nil && !errors.Is(err, expr.ErrCost) {
				t.Errorf("Test: %v, want allowed %v", err, tt.want)
			}
		})
	}
}

func TestTemplateCostIsShared(t *testing.T) {
	t.Parallel()
	params := []any{}
	for range 10 {
		params = append(params, "x {{long}}")
	}
	scope := expr.Map{"long": strings.Repeat("a", 1<<20)}
	if _, err := renderValue(params[:2], nil, scope, expr.Options{}); err != nil {
		t.Errorf("two megabytes: %v", err)
	}
	if _, err := renderValue(params, nil, scope, expr.Options{}); !errors.Is(err, expr.ErrCost) {
		t.Errorf("ten megabytes: %v, want ErrCost", err)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	sources := map[string]string{
		"bytes":   "'" + strings.Repeat("a", expr.MaxSource) + "'",
		"words":   "a" + strings.Repeat(" or a", expr.MaxTokens/2),
		"levels":  strings.Repeat("a[", expr.MaxDepth+1) + "0" + strings.Repeat("]", expr.MaxDepth+1),
		"choices": strings.Repeat("a ? ", expr.MaxDepth+1) + "0" + strings.Repeat(" : 0", expr.MaxDepth+1),
		"pattern": "a matches '" + strings.Repeat("a", 2000) + "'",
	}
	for name, src := range sources {
		if _, err := expr.Compile(src, nil); err == nil || !strings.Contains(err.Error(), "too") {
			t.Errorf("%s: %v, want that it is too much", name, err)
		}
	}
	inside := "a" + strings.Repeat(" or a", expr.MaxTokens/2-1)
	if _, err := expr.Compile(inside, nil); err != nil {
		t.Errorf("an expression inside the limit: %v", err)
	}
}

// renderValue compiles and renders a tree at once.
func renderValue(v any, ids []string, s expr.Scope, opt expr.Options) (any, error) {
	compiled, err := expr.CompileValue(v, ids)
	if err != nil {
		return nil, err
	}
	return compiled.Render(s, opt)
}
