package request

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseCommand(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want Command
		bad  bool
	}{
		{"run refund order_id=A-1001", Command{Verb: "run", Args: []string{"refund"}, Pairs: map[string]any{"order_id": "A-1001"}, Rest: "refund order_id=A-1001"}, false},
		{`RUN refund note="two words"`, Command{Verb: "run", Args: []string{"refund"}, Pairs: map[string]any{"note": "two words"}, Rest: `refund note="two words"`}, false},
		{"run x note=\u201ctwo words\u201d", Command{Verb: "run", Args: []string{"x"}, Pairs: map[string]any{"note": "two words"}, Rest: "x note=\u201ctwo words\u201d"}, false},
		{`schedule refund "*/1 * * * *" a=b=c`, Command{Verb: "schedule", Args: []string{"refund", "*/1 * * * *"}, Pairs: map[string]any{"a": "b=c"}, Rest: `refund "*/1 * * * *" a=b=c`}, false},
		{`answer "x=y" z`, Command{Verb: "answer", Args: []string{"x=y", "z"}, Pairs: map[string]any{}, Rest: `"x=y" z`}, false},
		{`run say=""`, Command{Verb: "run", Pairs: map[string]any{"say": ""}, Rest: `say=""`}, false},
		{`run say="a \"b\" \\ c"`, Command{Verb: "run", Pairs: map[string]any{"say": `a "b" \ c`}, Rest: `say="a \"b\" \\ c"`}, false},
		{`answer done value={"id": "R-1", "n": [1, 2]} now`, Command{Verb: "answer", Args: []string{"done", "now"}, Pairs: map[string]any{"value": `{"id": "R-1", "n": [1, 2]}`}, Rest: `done value={"id": "R-1", "n": [1, 2]} now`}, false},
		{`answer done value={x y`, Command{Verb: "answer", Args: []string{"done", "y"}, Pairs: map[string]any{"value": "{x"}, Rest: `done value={x y`}, false},
		{"new\nrefund: 1. a", Command{Verb: "new", Args: []string{"refund:", "1.", "a"}, Pairs: map[string]any{}, Rest: "refund: 1. a"}, false},
		{"", Command{Pairs: map[string]any{}}, false},
		{`run "open`, Command{Verb: "run", Args: []string{"open"}, Pairs: map[string]any{}, Rest: `"open`}, true},
	}
	for _, tt := range tests {
		got, err := ParseCommand(tt.text)
		if (err != nil) != tt.bad {
			t.Errorf("%q: error %v", tt.text, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.text, diff)
		}
	}
}

// TestNamed: values run to the next known name in every command; what no value is stays before them.
func TestNamed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Command{
		"try refund note=too old, sorry order_id=A-1":  {Verb: "try", Args: []string{"refund"}, Pairs: map[string]any{"note": "too old, sorry", "order_id": "A-1"}},
		`schedule refund "0 9 * * *" UTC note=5" tall`: {Verb: "schedule", Args: []string{"refund", "0 9 * * *", "UTC"}, Pairs: map[string]any{"note": `5" tall`}},
		"try color=red note=as it is":                  {Verb: "try", Pairs: map[string]any{"color": "red", "note": "as it is"}},
	} {
		c, _ := ParseCommand(text)
		got, err := c.Named([]string{"note", "order_id"}, 3)
		want.Rest = c.Rest
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: %v %s", text, err, diff)
		}
	}
	for text, want := range map[string]string{
		"run refund now please":        "I cannot read \"now please\"",
		`run "refund note=x`:           "never closed",
		"run refund ntoe=x":            "",
		"run refund order_id=A ntoe=x": "did you mean note?",
	} {
		c, _ := ParseCommand(text)
		if _, err := c.Named([]string{"note", "order_id"}, 1); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestSubject(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"try refund a=1": "refund", `try "refund" x`: "refund", "try a=1 refund": "", "try": "", `try "a=1"`: "a=1"} {
		if c, _ := ParseCommand(text); c.Subject() != want {
			t.Errorf("%q is about %q", text, c.Subject())
		}
	}
}

func FuzzParseCommand(f *testing.F) {
	f.Add(`run refund a="b c" \" x`)
	f.Fuzz(func(t *testing.T, text string) {
		c, _ := ParseCommand(text)
		if c.Pairs == nil {
			t.Error("no map of pairs")
		}
	})
}
