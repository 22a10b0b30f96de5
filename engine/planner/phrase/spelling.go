package phrase

import (
	"strings"

	"sluice/engine/planner/english"
)

// common are words that decide what a text means and that people often misspell, by their first letter.
var common = func() map[byte][]string {
	out := map[byte][]string{}
	for w := range strings.FieldsSeq(`every monday tuesday wednesday thursday friday saturday sunday otherwise approve approval weekly monthly parallel instead remind within`) {
		out[w[0]] = append(out[w[0]], w)
	}
	return out
}()

// correct are words that are near one of common and are no misspelling of it.
var correct = Set(`ever evert rewind remand monday's approver approves approved approvals mondays tuesdays wednesdays thursdays fridays saturdays sundays reminds weakly meekly withing
	wherein withal`)

// mend gives misspelled words of common their spelling: "evry friday". The words themselves stay as they stand.
func mend(toks []Token) {
	for i := range toks {
		t := &toks[i]
		const shortest, longest = 4, 12 // letters of a word that is looked at
		if t.Kind != Word || len(t.Low) < shortest || len(t.Low) > longest || correct[t.Low] || Verbs[t.Low] || english.Frequent(t.Low) {
			continue
		}
		for _, w := range common[t.Low[0]] {
			if near(t.Low, w) {
				t.Low = w
			}
		}
	}
}

// Near gives the verb that a word which no table has may be a misspelling of: "tlel" is near "tell"; "" = none.
func Near(t Token) (verb string) {
	if t.Kind != Word || len(t.Low) < 3 || Verbs[t.Low] || english.Frequent(t.Low) || Roles[t.Low] || Third(t.Low) {
		return ""
	}
	for v := range Verbs {
		if v[0] == t.Low[0] && near(t.Low, v) && (verb == "" || v < verb) {
			verb = v
		}
	}
	return verb
}

// near reports whether two words with the same first letter differ by one letter too many, too few, another one, or two that have changed places.
func near(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 || a == b {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return a[i:] == b[i+1:] && (i < len(a) || b[i] != 's')
	}
	return a[i+1:] == b[i+1:] || i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
