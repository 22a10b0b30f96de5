package source

import (
	"strings"
	"testing"

	"sluice/engine/flow"
)

func TestNarrow(t *testing.T) {
	t.Parallel()
	long := "- {id: first, type: say, message: hello, routes: [{to: nowhere}], name: ünïcode 日本語 and more of it}"
	for column := 1; column <= len([]rune(long)); column++ {
		p := Narrow(flow.Problem{Line: 7, Column: column, Snippet: snippet(long, 7, column)}, 30)
		line, caret, _ := strings.Cut(p.Snippet, "\n")
		if n := len([]rune(line)); n > len("    7 | ......")+30 {
			t.Fatalf("column %d is shown in %d characters:\n%s", column, n, p.Snippet)
		}
		width, at := 0, len([]rune(caret))-1
		var under rune
		for _, r := range line {
			if width == at {
				under = r
			}
			if width++; r >= 0x800 {
				width++
			}
		}
		if want := []rune(long)[column-1]; under != want {
			t.Errorf("the caret of column %d stands under %q, not %q:\n%s", column, under, want, p.Snippet)
		}
	}
	for _, short := range []flow.Problem{{}, {Snippet: snippet("name: x", 1, 3)}, {Snippet: "odd"}} {
		if got := Narrow(short, 30); got != short {
			t.Errorf("%+v became %+v", short, got)
		}
	}
}
