package values

import (
	"fmt"
	"strings"
	"testing"

	"sluice/engine/growth"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

func conditionOf(words string) tree.Cond {
	return Source{Src: words}.Condition(phrase.Scan(words, 0, len(words)))
}

// text writes a condition as a test shows it.
func text(c tree.Cond) string {
	if len(c.Parts) > 0 {
		var out strings.Builder
		out.WriteString(c.Op + "(")
		for i, p := range c.Parts {
			if i > 0 {
				out.WriteString(", ")
			}
			out.WriteString(text(p))
		}
		return out.String() + ")"
	}
	return fmt.Sprintf("%s %s %v", c.Left.Words, c.Op, c.Right.Literal)
}

func TestCondition(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ words, want string }{
		{"the amount is over $1,000", "the amount > 1000"},
		{"the amount is not more than 5", "the amount <= 5"},
		{"the status is paid or sent", "or(the status == paid, the status == sent)"},
		{"the status is not red or green", "and(the status != red, the status != green)"},
		{"the total is between 5 and 10 and the reason is empty", "and(and(the total >= 5, the total <= 10), the reason empty <nil>)"},
		{"there is no amount", "  <nil>"},
		{"the price is 100 or more", "the price >= 100"},
		{"the parcel is not between 5 and 10", "not(and(the parcel >= 5, the parcel <= 10))"},
		{"the name contains \"x\"", "the name contains x"},
		{"it rains and the amount is over 5", "  <nil>"}, // a half would mean something else
		{"the order is within 30 days", "  <nil>"},
	} {
		if got := text(conditionOf(c.words)); got != c.want {
			t.Errorf("%q is %q, want %q", c.words, got, c.want)
		}
	}
}

func TestConditionGrowsWithTheText(t *testing.T) {
	growth.Texts(t, 1<<14, func(words string) { conditionOf(words) })
}
