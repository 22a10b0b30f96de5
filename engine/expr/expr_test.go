package expr_test

import (
	"encoding/json"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/engine/expr"
)

// gateRecord is the decision of a gate as the engine passes it to expressions.
type gateRecord struct{ choice, note string }

func (g gateRecord) Plain() any { return g.choice }

func (g gateRecord) Member(key string) any {
	if key == "note" {
		return g.note
	}
	return nil
}

// endless is a Plainer whose plain value is itself.
type endless struct{}

func (e endless) Plain() any { return e }

type named string

var recorded = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

var ids = []string{"send", "send-refund", "send-refund-again", "2nd-check", "not-paid", "triage"}

func world() expr.Map {
	return expr.Map{
		"category":    "refund",
		"amount":      json.Number("150"),
		"price":       150.0,
		"cents":       99.5,
		"text150":     "150",
		"zero":        0,
		"flag":        true,
		"off":         false,
		"empty":       "",
		"nothing":     nil,
		"big":         json.Number("12345678901234567890"),
		"big2":        json.Number("12345678901234567891"),
		"long":        int64(9007199254740993),
		"small":       uint8(7),
		"when":        recorded,
		"tags":        []any{"late", "damaged", 3},
		"names":       []string{"ana", "bob"},
		"counts":      map[string]int{"a": 1},
		"nested":      []any{1, []any{"2", map[string]any{"x": 3.0}}},
		"endless":     endless{},
		"kind":        named("vip"),
		"none":        []any{},
		"object":      map[string]any{},
		"look_up":     map[string]any{"result": map[string]any{"body": map[string]any{"amount": 150.0, "items": []any{map[string]any{"name": "hat"}}}}},
		"send-refund": map[string]any{"result": "paid"},
		"2nd-check":   map[string]any{"result": "fine"},
		"not-paid":    true,
		"send":        map[string]any{"result": "sent"},
		"nodes":       map[string]any{"send-refund": map[string]any{"result": "paid"}},
		"approvals":   map[string]any{"gate": gateRecord{"approve", "go on"}, "send-refund": gateRecord{"reject", ""}},
		"headers":     map[string]any{"content-type": "text/html", "in": "word", "0": "zeroth"},
		"evil":        "{{secret.KEY}}",
		"event":       map[string]any{"payload": map[string]any{"message": "Refund for A-1001, please"}},
		"secret":      expr.Secrets{},
	}
}

func checkEval(t *testing.T, src string, want any) {
	t.Helper()
	e, err := expr.Compile(src, ids)
	if err != nil {
		t.Fatalf("Compile(%q): %v", src, err)
	}
	got, err := e.Eval(world(), expr.Options{Now: recorded})
	if err != nil {
		t.Fatalf("Eval(%q): %v", src, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Eval(%q) differs (-want +got):\n%s", src, diff)
	}
	truth, err := e.Test(world(), expr.Options{Now: recorded})
	if err != nil || truth != expr.Truthy(want) {
		t.Errorf("Test(%q) = %v, %v; want %v", src, truth, err, expr.Truthy(want))
	}
}

type evalCase struct {
	src  string
	want any
}

func runEvalCases(t *testing.T, tests []evalCase) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.src, func(t *testing.T) {
			t.Parallel()
			checkEval(t, tt.src, tt.want)
		})
	}
}

// TestGrammar checks the grammar.
func TestGrammar(t *testing.T) {
	t.Parallel()
	runEvalCases(t, []evalCase{
		{"category == 'refund'", true},
		{`category == "refund"`, true},
		{"category == 'tech'", false},
		{"category != 'tech'", true},
		{"approvals.gate == 'approve'", true},
		{"category == 'tech' or approvals.gate == 'approve'", true},
		{"category == 'tech' || flag", true},
		{"category == 'refund' && amount > 100", true},
		{"category == 'refund' AND NOT off", true},
		{"True and not False", true},
		{"not (category == 'tech')", true},
		{"(category == 'refund' or category == 'tech') and flag", true},
		{"-5 < -4.5", true},
		{"amount > -1", true},
		{"default", true},
		{" default ", true},
		{"1", int64(1)},
		{"1.50", 1.5},
		{"1e3", int64(1000)},
		{"12345678901234567890", json.Number("12345678901234567890")},
		{"'text'", "text"},
		{`'it\'s'`, "it's"},
		{`"say \"hi\""`, `say "hi"`},
		{`'\\ \n'`, "\\ \n"},
		{`'\d\w\b'`, `\d\w\b`},
		{"true", true},
		{"FALSE", false},
		{"nil", nil},
		{"null", nil},
		{"[1, 'a', [true]]", []any{int64(1), "a", []any{true}}},
		{"[]", []any{}},
		{"\n\tflag\n  and\r\n flag ", true},
		{"flag ? 'yes' : 'no'", "yes"},
		{"off ? 'yes' : zero ? 'a' : 'b'", "b"},
		{"(off ? 1 : 2) == 2", true},
		{"[off ? 1 : 2, 3]", []any{int64(2), int64(3)}},
		{"tags[off ? 0 : 1]", "damaged"},
	})
}

// TestPrecedence checks the order of the operators from loose to tight: or, and, not, comparison.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	runEvalCases(t, []evalCase{
		{"not category == 'tech'", true},
		{"!category == 'tech'", true},
		{"!category == 'refund'", false},
		{"not off and off", false},
		{"not off or missing", true},
		{"not not flag", true},
		{"!!flag", true},
		{"not not category == 'refund'", true},
		{"flag and not category == 'tech' and flag", true},
		{"flag or off and off", true},
		{"(flag or off) and off", false},
		{"off and off or flag", true},
		{"not off ? 'a' : 'b'", "a"},
		{"not category == 'tech' ? 'a' : 'b'", "a"},
		{"[not off, not flag]", []any{true, false}},
		{"str(not off)", "true"},
		{"flag == (not off)", true},
		{"not amount > 100", false},
		{"not 'a' in ['b']", true},
		{"not 'a' not in ['b']", false},
	})
}

// TestComparison compares numbers, texts and times, and texts that are written like numbers.
func TestComparison(t *testing.T) {
	t.Parallel()
	runEvalCases(t, []evalCase{
		{"150 == '150'", true},
		{"'150' > 100", true},
		{"text150 > 100", true},
		{"text150 == amount", true},
		{"amount == price", true},
		{"amount == '150.0'", true},
		{"'1e3' == 1000", true},
		{"'007' == 7", true},
		{"'9' < '10'", true},
		{"cents < 100", true},
		{"cents >= '99.5'", true},
		{"small == 7", true},
		{"big == big2", false},
		{"big < big2", true},
		{"big == '12345678901234567890'", true},
		{"big > 1", true},
		{"long == 9007199254740992", false},
		{"long == 9007199254740993", true},
		{"0.1 == '0.10'", true},
		{"'abc' < 'abd'", false},
		{"'abc' > 1", false},
		{"'abc' <= 'abc'", false},
		{"missing > 1", false},
		{"missing < 1", false},
		{"missing <= 0", false},
		{"flag > 0", false},
		{"' 150' == 150", false},
		{"'inf' > 1", false},
		{"'nan' == 'nan'", true},
		{"'0x10' == 16", false},
		{"'1_000' == 1000", false},
		{"'1e999' == '2e999'", false},
		{"flag == true", true},
		{"flag == 'true'", true},
		{"flag == 1", false},
		{"off == false", true},
		{"off == 0", false},
		{"off == ''", false},
		{"'True' == true", false},
		{"missing == nil", true},
		{"missing == ''", true},
		{"missing == 'x'", false},
		{"missing != 'x'", true},
		{"missing == 0", false},
		{"missing == false", false},
		{"nothing == null", true},
		{"1 and 2", true},
		{"1 and 0", false},
		{"'a' and 'b'", true},
		{"'' or 0", false},
		{"tags == ['late', 'damaged', '3']", true},
		{"tags == ['late', 'damaged']", false},
		{"nested == [1, [2, nested[1][1]]]", true},
		{"nested == ['1', ['2', look_up]]", false},
		{"none == []", true},
		{"none == ''", false},
		{"object == look_up", false},
		{"look_up == look_up", true},
		{"counts == counts", true},
		{"names == ['ana', 'bob']", true},
		{"tags > 1", false},
		{"kind == 'vip'", true},
		{"endless == nil", true},
		{"when > '2026-03-04'", true},
		{"when == '2026-03-04T05:06:07Z'", true},
		{"when == '2026-03-04T06:06:07+01:00'", true},
		{"'2026-01-01' < when", true},
		{"when < 'soon'", false},
		{"'2026-01-01' < '2026-01-02'", false},
	})
}

// TestPaths checks that member access never fails: a member of a text or of an unknown name is nil.
func TestPaths(t *testing.T) {
	t.Parallel()
	runEvalCases(t, []evalCase{
		{"look_up.result.body.amount", 150.0},
		{"look_up.result.body.amount > 100", true},
		{"look_up.result.body.items[0].name", "hat"},
		{"look_up.result.body.items.0.name", "hat"},
		{"look_up['result']['body'].amount", 150.0},
		{"look_up.result.body.items[1].name", nil},
		{"look_up.result.body.items[-1]", nil},
		{"look_up.result.body.items['x']", nil},
		{"look_up.result.body.items[0.5]", nil},
		{"look_up?.result?.body?.amount", 150.0},
		{"category.length", nil},
		{"category.a.b.c", nil},
		{"missing.a.b", nil},
		{"missing[missing]", nil},
		{"amount.x", nil},
		{"flag.x == 'x'", false},
		{"unknown.deep.path == 'x'", false},
		{"counts.a", 1},
		{"names[1]", "bob"},
		{"'text'.x", nil},
		{"[1, 2][1]", int64(2)},
		{"(off ? nil : look_up).result.body.amount", 150.0},
		{"send-refund.result", "paid"},
		{"send-refund.result == 'paid'", true},
		{"send.result", "sent"},
		{"nodes.send-refund.result", "paid"},
		{"nodes['send-refund'].result", "paid"},
		{"2nd-check.result", "fine"},
		{"not-paid", true},
		{"not not-paid", false},
		{"flag and not-paid", true},
		{"triage", nil},
		{"headers['content-type']", "text/html"},
		{"headers.in", "word"},
		{"headers.0", "zeroth"},
		{"headers[0]", "zeroth"},
		{"approvals.gate", "approve"},
		{"approvals.gate.note", "go on"},
		{"approvals.gate.note == 'go on'", true},
		{"approvals.gate.other", nil},
		{"approvals.gate.note.x", nil},
		{"approvals.send-refund == 'reject'", true},
		{"approvals.gate in ['approve', 'later']", true},
		{"[approvals.gate]", []any{"approve"}},
		{"flag ? approvals.gate : ''", "approve"},
		{"upper(approvals.gate)", "APPROVE"},
		{"endless.x", nil},
	})
}

func TestOperators(t *testing.T) {
	t.Parallel()
	runEvalCases(t, []evalCase{
		{"category in ['refund', 'tech']", true},
		{"category not in ['refund', 'tech']", false},
		{"category NOT IN ['tech']", true},
		{"3 in tags", true},
		{"'3' in tags", true},
		{"'fund' in category", true},
		{"'a' in counts", true},
		{"'b' in counts", false},
		{"missing in tags", false},
		{"missing in category", false},
		{"'x' in missing", false},
		{"1 in 2", false},
		{"[1] in [[1], [2]]", true},
		{"tags contains 'late'", true},
		{"tags contains 'la'", false},
		{"category contains 'fun'", true},
		{"category not contains 'fun'", false},
		{"missing contains 'a'", false},
		{"missing not contains 'a'", true},
		{"category in ('refund', 'tech')", true},
		{"category in ('tech',)", false},
		{"category in (('refund', 'tech'))", true},
		{"str(missing).strip() not in ('', 'None', 'null')", false},
		{"str(flag).lower() == 'true'", true},
		{"[1, 2,] == (1, 2)", true},
		{"(amount > 1) in (true, false) and (flag)", true},
		{"category contains missing", false},
		{"amount contains 5", true},
		{"look_up contains 'result'", true},
		{"event.payload.message matches 'A-[0-9]+'", true},
		{"event.payload.message matches '^A-'", false},
		{`event.payload.message matches "(?i)^REFUND\b.*\d{4}"`, true},
		{`event.payload.message matches '\\d'`, true},
		{"event.payload.message not matches 'tech'", true},
		{"amount matches '^1'", true},
		{"missing matches '.*'", false},
		{"flag and category matches '^ref' and not off", true},
	})
}

func TestFunctions(t *testing.T) {
	t.Parallel()
	runEvalCases(t, []evalCase{
		{"len(category)", int64(6)},
		{"len('größe')", int64(5)},
		{"len(tags) == 3", true},
		{"len(counts)", int64(1)},
		{"len(missing)", int64(0)},
		{"len(amount)", nil},
		{"len(5) > 0", false},
		{"lower('ÄB')", "äb"},
		{"upper('é x')", "É X"},
		{"trim('  a ')", "a"},
		{"upper(missing)", ""},
		{"lower(tags)", `["late","damaged",3]`},
		{"str(price)", "150"},
		{"str(cents)", "99.5"},
		{"str(missing)", ""},
		{"str(flag)", "true"},
		{"str(look_up.result.body.items)", `[{"name":"hat"}]`},
		{"int('12')", int64(12)},
		{"int(' 12 ')", int64(12)},
		{"int('12.9')", int64(12)},
		{"int(-0.5)", int64(0)},
		{"int(big)", json.Number("12345678901234567890")},
		{"int('1e30')", nil},
		{"int('x')", nil},
		{"int(flag)", nil},
		{"int(missing)", nil},
		{"float('1.5')", 1.5},
		{"float(amount)", 150.0},
		{"float('x') > 0", false},
		{"now()", recorded},
		{"now() > '2026-01-01'", true},
		{"str(now())", "2026-03-04T05:06:07Z"},
		{"category.upper()", "REFUND"},
		{"' A '.strip().lower() == 'a'", true},
		{"look_up.get('result').body.amount", 150.0},
		{"look_up.get('x')", nil},
		{"missing.trim()", ""},
		{"len(event.payload.message.lower()) > 5 and trim(category) == 'refund'", true},
	})
}

func TestOneExprInManyGoroutines(t *testing.T) {
	t.Parallel()
	e, err := expr.Compile("category == 'refund' and event.payload.message matches 'A-[0-9]+'", nil)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				if ok, err := e.Test(world(), expr.Options{}); err != nil || !ok {
					t.Errorf("Test = %v, %v", ok, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestNowWithoutTime(t *testing.T) {
	t.Parallel()
	e, err := expr.Compile("now()", nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := e.Eval(nil, expr.Options{})
	if err != nil || got != nil {
		t.Errorf("now() = %v, %v; want nil", got, err)
	}
}

func TestTruthy(t *testing.T) {
	t.Parallel()
	tests := []struct {
		v    any
		want bool
	}{
		{nil, false},
		{"", false},
		{"a", true},
		{"false", true},
		{"0", true},
		{0, false},
		{0.0, false},
		{-1, true},
		{uint16(0), false},
		{json.Number("0"), false},
		{json.Number("0.00"), false},
		{json.Number("12345678901234567890"), true},
		{true, true},
		{false, false},
		{map[string]any{}, true},
		{[]any{}, true},
		{recorded, true},
		{gateRecord{choice: ""}, false},
		{gateRecord{choice: "reject"}, true},
		{expr.SecretRef{Name: "A"}, true},
	}
	for _, tt := range tests {
		if got := expr.Truthy(tt.v); got != tt.want {
			t.Errorf("Truthy(%#v) = %v, want %v", tt.v, got, tt.want)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		v    any
		want string
	}{
		{nil, ""},
		{"a\"b", "a\"b"},
		{150.0, "150"},
		{0.1, "0.1"},
		{math.Copysign(0, -1), "0"},
		{1e20, "100000000000000000000"},
		{1e21, "1e+21"},
		{1e-7, "1e-07"},
		{int64(9007199254740993), "9007199254740993"},
		{json.Number("12345678901234567890"), "12345678901234567890"},
		{json.Number("150.0"), "150"},
		{json.Number("150.50"), "150.5"},
		{json.Number("1e999"), "1e999"},
		{true, "true"},
		{recorded, "2026-03-04T05:06:07Z"},
		{named("vip"), "vip"},
		{[]any{1, "<b>", nil}, `[1,"<b>",null]`},
		{map[string]any{"b": 150.0, "a": []any{}}, `{"a":[],"b":150}`},
		{map[string]any{"big": json.Number("12345678901234567890")}, `{"big":12345678901234567890}`},
		{map[string]any{"gate": gateRecord{choice: "approve"}}, `{"gate":"approve"}`},
		{map[string]any{"t": recorded}, `{"t":"2026-03-04T05:06:07Z"}`},
		{[]any{func() {}}, "[null]"},
		{[]any{json.Number("abc")}, "[null]"},
	}
	for _, tt := range tests {
		if got := expr.Text(tt.v); got != tt.want {
			t.Errorf("Text(%#v) = %q, want %q", tt.v, got, tt.want)
		}
	}
}
