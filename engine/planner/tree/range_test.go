package tree

import (
	"fmt"
	"strings"
	"testing"
)

// TestGaps finds the amounts that ranges leave out.
func TestGaps(t *testing.T) {
	t.Parallel()
	amount := func(op string, n float64) Cond { return Cond{Op: op, Right: Value{Literal: n}} }
	between := func(low Cond, high Cond) Cond { return Cond{Op: OpAnd, Parts: []Cond{low, high}} }
	for name, c := range map[string]struct {
		conds []Cond
		want  string
	}{
		"adjoining":     {[]Cond{amount(">", 500), amount("<", 100), between(amount(">=", 100), amount("<=", 500))}, ""},
		"overlapping":   {[]Cond{amount(">=", 100), amount("<=", 500)}, ""},
		"an open bound": {[]Cond{amount("<", 100), amount(">", 100)}, " >=100 <=100"},
		"a gap":         {[]Cond{amount("<", 100), amount(">", 200)}, " >=100 <=200"},
		"one side":      {[]Cond{amount("<", 100), amount("<", 200)}, " >=200"},
		"the middle":    {[]Cond{between(amount(">", 100), amount("<=", 500))}, " <=100 >500"},
		"an amount":     {[]Cond{amount("<", 100), amount("==", 100), amount(">", 100)}, ""},
	} {
		var all []*Cond
		for i := range c.conds {
			all = append(all, &c.conds[i])
		}
		gaps, ok := Gaps(all)
		if !ok {
			t.Fatalf("%s: %v are no ranges", name, c.conds)
		}
		var got strings.Builder
		for _, gap := range gaps {
			left := gap.Cond(Value{})
			for _, part := range append(left.Parts, left) {
				if part.Op != OpAnd {
					got.WriteString(fmt.Sprint(" ", part.Op, part.Right.Literal))
				}
			}
		}
		if got.String() != c.want {
			t.Errorf("%s: left out is %q, not %q", name, got.String(), c.want)
		}
	}
	if _, ok := (&Cond{Op: "==", Right: Value{Literal: "red"}}).Range(); ok {
		t.Error("a text is a range")
	}
}
