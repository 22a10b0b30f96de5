package request

import (
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

func FuzzParseCommand(f *testing.F) {
	f.Add(`run refund a="b c" \" x`)
	f.Fuzz(func(t *testing.T, text string) {
		c, _ := ParseCommand(text)
		if c.Pairs == nil {
			t.Error("no map of pairs")
		}
	})
}
