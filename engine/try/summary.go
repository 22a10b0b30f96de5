package try

import (
	"cmp"
	"fmt"
	"strings"
)

// Summary counts what a revision would have made of runs, in a sentence: "47 go the same way, 3 differ: refund-214 would now need @finance".
func Summary(all []Replayed) string {
	count := map[Verdict]int{}
	other := 0
	var named []string
	for _, r := range all {
		count[r.Verdict]++
		if r.Verdict == Same && len(r.Other) > 0 {
			other++
		}
		if r.Verdict != Same && len(named) < namedMost {
			named = append(named, r.Run+" "+r.Words)
		}
	}
	if len(all) == 0 {
		return "no run has finished yet"
	}
	parts := []string{plural(count[Same], "goes the same way", "go the same way")}
	if other > 0 {
		parts[0] += fmt.Sprintf(" (%d with other parameters)", other)
	}
	if n := count[Differs]; n > 0 {
		parts = append(parts, plural(n, "differs", "differ"))
	}
	if n := count[NotKnown]; n > 0 {
		parts = append(parts, plural(n, "cannot be told", "cannot be told"))
	}
	s := strings.Join(parts, ", ")
	if len(named) > 0 {
		s += ": " + strings.Join(named, "; ")
	}
	if left := len(all) - count[Same] - len(named); left > 0 {
		s += fmt.Sprintf("; and %d more", left)
	}
	return s
}

// namedMost is how many runs a summary names.
const namedMost = 5

func plural(n int, one, many string) string {
	if n == 1 {
		many = one
	}
	return fmt.Sprintf("%d %s", n, cmp.Or(many, one))
}
