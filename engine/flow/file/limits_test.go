package file_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/engine/flow"
	"sluice/engine/flow/chart"
	"sluice/engine/flow/file"
	"sluice/engine/flow/flowtest"
)

// TestBounded checks that short files which are expensive to read are refused with the name of the limit.
func TestBounded(t *testing.T) {
	t.Parallel()
	var laughs strings.Builder
	laughs.WriteString("a: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range 8 {
		laughs.WriteString(fmt.Sprintf("b%d: &a%d [%s]\n", i, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 10)))
	}
	var nest strings.Builder
	nest.WriteString("a: &a0 [x]\n")
	for i := range 70 {
		nest.WriteString(fmt.Sprintf("b%d: &a%d [*a%d]\n", i, i+1, i))
	}
	tests := map[string]struct{ src, code string }{
		"too many bytes":          {strings.Repeat("#", flow.MaxDocumentBytes+1), "too-large"},
		"brackets":                {"a: " + strings.Repeat("[", 500_000), "too-deep"},
		"closed brackets":         {"a: " + strings.Repeat("[", 70) + strings.Repeat("]", 70), "too-deep"},
		"braces":                  {strings.Repeat("{a: ", 100_000), "too-deep"},
		"dashes":                  {strings.Repeat("- ", 300_000) + "a", "too-deep"},
		"tags":                    {strings.Repeat("!!str ", 100_000) + "a", "too-deep"},
		"JSON brackets":           {`{"a": ` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + "}", "too-deep"},
		"indentation":             {deepBlocks(200), "too-deep"},
		"aliases that double":     {laughs.String(), "too-large"},
		"aliases that nest":       {nest.String(), "too-deep"},
		"too many nodes":          {"name: a\nflow:\n  entry: n0\n  nodes:\n" + chain(flow.MaxNodes+1), "too-large"},
		"too many empty lines":    {"name: a\ndescription: |\n  a" + strings.Repeat("\n", 300_000), "too-large"},
		"too many signs in a row": {"name: " + strings.Repeat("<", 300_000), "too-large"},
		"too many keys":           {"a:\n" + strings.Repeat("  b: c\n", flow.MaxKeys+1), "too-large"},
		"too many keys in braces": {"a: {" + manyKeys(flow.MaxKeys+1) + "}", "too-large"},
		"too many JSON keys":      {"{" + manyKeys(flow.MaxKeys+1) + `"z": 1}`, "too-large"},
		"too many agents":         {"name: a\nagents:" + strings.Repeat("\n  - {id: bot}", flow.MaxAgents+1), "too-large"},
		"NUL":                     {"name: a\x00", "bad-text"},
		"not UTF-8":               {"name: \xff\xfe", "bad-text"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, problems := file.Parse("flow.yaml", []byte(tt.src))
			if !slices.ContainsFunc(problems, func(p flow.Problem) bool { return p.Code == tt.code }) {
				t.Errorf("want %s, got %.300s", tt.code, problems.Error())
			}
		})
	}
}

// TestKeysAreCountedPerMapping checks that the limit of keys holds per mapping, in both spellings of a mapping.
func TestKeysAreCountedPerMapping(t *testing.T) {
	t.Parallel()
	const head = "name: a\nflow:\n  entry: n0\n  nodes:"
	var block, braces strings.Builder
	for i := range 600 {
		fmt.Fprintf(&block, "\n    - id: n%d\n      type: say\n      message: hi\n      routes:\n        - to: n%d", i, (i+1)%600)
		fmt.Fprintf(&braces, "\n      {\n        id: n%d,\n        type: say,\n        message: hi,\n        routes: [{to: n%d}]\n      },", i, (i+1)%600)
	}
	beside := "name: a\nflow: {entry: x, nodes: [{id: x, type: terminal}]}\ntriggers:" + strings.Repeat("\n  -", 100)
	if _, problems := file.Parse("x.yaml", []byte(beside)); problems[0].Code == "too-deep" {
		t.Errorf("empty items beside each other: %s", problems[0])
	}
	one, two := flowtest.Parsed(t, []byte(head+block.String())), flowtest.Parsed(t, []byte(head+" ["+braces.String()+"\n    ]"))
	if flow.Hash(one) != flow.Hash(two) || len(one.Nodes) != 600 {
		t.Error("the same nodes written in two ways differ")
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "\"k%d\": 1, ", i)
	}
	return b.String()
}

func deepBlocks(levels int) string {
	var b strings.Builder
	for i := range levels {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

// chain is n nodes in a row.
func chain(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "    - {id: n%d, type: say, message: hi, routes: [{to: n%d}]}\n", i, i+1)
	}
	return strings.Replace(b.String(), fmt.Sprintf("to: n%d}]}", n), "to: end}]}", 1)
}

// TestLargestFlow reads, checks, writes and draws the largest flow that is allowed.
func TestLargestFlow(t *testing.T) {
	t.Parallel()
	src := []byte("name: a\nflow:\n  entry: n0\n  nodes:\n" + chain(flow.MaxNodes))
	doc, problems := file.Check("flow.yaml", src, flowtest.Checks())
	if len(problems) != 0 {
		t.Fatalf("unexpected: %.500s", problems.Error())
	}
	if p := chart.Of(doc.Flow); len(p.Nodes) != flow.MaxNodes+2 || len(p.Edges) != flow.MaxNodes+1 {
		t.Errorf("%d plan nodes and %d edges", len(p.Nodes), len(p.Edges))
	}
}

func TestManyProblemsStop(t *testing.T) {
	t.Parallel()
	src := "name: a\nflow:\n  entry: n0\n  nodes:\n" + strings.Repeat("    - {id: n, type: dance}\n", 1000)
	_, problems := file.Check("flow.yaml", []byte(src), flowtest.Checks())
	if len(problems) < 100 || len(problems) > 500 {
		t.Errorf("%d problems", len(problems))
	}
}

func TestDuration(t *testing.T) {
	t.Parallel()
	good := map[string]struct {
		want flow.Duration
		text string
	}{
		"90s":             {flow.Duration{Clock: 90 * time.Second}, "1m30s"},
		"1h30m":           {flow.Duration{Clock: 90 * time.Minute}, "1h30m"},
		"90d":             {flow.Duration{Clock: 90 * 24 * time.Hour}, "90d"},
		"2w":              {flow.Duration{Clock: 14 * 24 * time.Hour}, "14d"},
		"1.5h":            {flow.Duration{Clock: 90 * time.Minute}, "1h30m"},
		" 250ms ":         {flow.Duration{Clock: 250 * time.Millisecond}, "250ms"},
		"1 d 2 h":         {flow.Duration{Clock: 26 * time.Hour}, "1d2h"},
		"0s":              {flow.Duration{}, "0s"},
		"1 working day":   {flow.Duration{WorkingDays: 1}, "1 working day"},
		"2  working days": {flow.Duration{WorkingDays: 2}, "2 working days"},
		"7us3ns":          {flow.Duration{Clock: 7003}, "7us3ns"},
		"4µs":             {flow.Duration{Clock: 4000}, "4us"},
	}
	for src, tt := range good {
		d, err := flow.ParseDuration(src)
		if err != nil || d != tt.want || d.String() != tt.text {
			t.Errorf("%q: %+v %q %v", src, d, d, err)
		}
		if again, err := flow.ParseDuration(d.String()); err != nil || again != d {
			t.Errorf("%q written as %q reads as %+v, %v", src, d, again, err)
		}
	}
	for _, bad := range []string{"", " ", "5", "h", "-1h", "2 moons", "1e9d", "0 working days", "x working days", "1..5h", "400000d", "1h-2m", "9999999999999999999s"} {
		if d, err := flow.ParseDuration(bad); err == nil {
			t.Errorf("%q reads as %v", bad, d)
		}
	}
}

func TestSlug(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"Refund Triage": "refund-triage", "support_main": "support-main", "--a--b--": "a-b", "Ünï 5": "n-5", "": "", "!!": "",
	} {
		if got := flow.Slug(words); got != want {
			t.Errorf("%q: %q", words, got)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{"check-tier": "Check tier", "look_up": "Look up", "élan": "Élan", "--": "--", "HTTP-call": "HTTP call"} {
		if got := flow.Words(id); got != want {
			t.Errorf("%q: %q", id, got)
		}
	}
}

func TestAccepts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in    flow.Input
		value any
		want  string
	}{
		{flow.Input{Name: "a"}, "x", ""},
		{flow.Input{Name: "a", Type: "integer"}, 5.0, ""},
		{flow.Input{Name: "a", Type: "integer"}, 5.5, "input 'a' must be an integer, not 5.5"},
		{flow.Input{Name: "a", Type: "number"}, int64(1 << 60), ""},
		{flow.Input{Name: "a", Type: "boolean"}, "true", "input 'a' must be a boolean, not 'true'"},
		{flow.Input{Name: "a", Type: "object"}, map[string]any{}, ""},
		{flow.Input{Name: "a", Type: "array"}, nil, "input 'a' must be an array, not null"},
		{flow.Input{Name: "a", Enum: []any{"x", "y"}}, "z", "input 'a' must be one of x, y, not 'z'"},
	}
	for _, tt := range tests {
		if got := tt.in.Accepts(tt.value); got != tt.want {
			t.Errorf("%+v %v: %q", tt.in, tt.value, got)
		}
	}
}
