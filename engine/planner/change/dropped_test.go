package change

import (
	"slices"
	"strings"
	"testing"

	"sluice/engine/planner/outline"
	"sluice/engine/planner/tree"
)

// TestNoClauseIsDropped: a reply that asks for two things does both, or is refused, or is asked about; what stands beside a change that can be
// read never goes.
func TestNoClauseIsDropped(t *testing.T) {
	t.Parallel()
	base, ok := outline.Read(expense, "U1")
	if !ok {
		t.Fatal("the words cannot be read")
	}
	const other = "the label has to be blue"
	for n, c := range expenseChanges {
		for i, words := range []string{
			other + " and " + c.words, other + ", and " + c.words, other + ". " + c.words, other + "; " + c.words, other + ", " + c.words, other + "\n" + c.words,
			"skip the blue ones, " + c.words, "blue limit 95. And " + c.words, "use the blue one, " + c.words, "only for blue ones please, and " + c.words,
			c.words + " and " + other, c.words + ", and " + other, c.words + ". " + other, c.words + "; " + other, c.words + ", " + other, c.words + "\n" + other,
			c.words + ", skip the blue ones", c.words + ", but only for blue ones", c.words + ", blue limit 95", c.words + " and use the blue one",
		} {
			if (n+i)%4 > 0 { // a part of all pairs, for the time that they take
				continue
			}
			next, said, err := Apply(base, words, "U1")
			if err != nil {
				continue
			}
			in := next.Clone()
			in.Replaced = nil
			kept := false
			for i, text := range next.Texts {
				at := strings.Index(text.Words, "blue")
				q := tree.Quote{Text: i, From: at, To: at + len("blue")}
				kept = kept || at >= 0 && (slices.ContainsFunc(tree.Quotes(in), q.Overlaps) || !slices.ContainsFunc(next.Replaced, q.Overlaps))
			}
			if !kept {
				t.Errorf("%q drops what is blue: %s", words, said)
			}
		}
	}
}
