package phrase

import (
	"slices"
	"strings"

	"sluice/engine/planner/english"
)

// Contrary reports whether two conditions exclude each other, and one of them holds: yes and no, "it is in stock" and "it is not in stock",
// "the claim is valid" and "the claim is invalid", "the payment fails" and "the payment is successful".
func Contrary(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	x, y := said(a), said(b)
	return Answers[a] != "" && Answers[b] != "" && Answers[a] != Answers[b] || opposite(x, y) || opposite(y, x)
}

// said gives the words of a condition that say something, without their endings.
func said(condition string) (out []string) {
	for w := range strings.FieldsSeq(negations.Replace(condition)) {
		switch {
		case w == "no":
			out = append(out, "not") // "no slot is free"
		case !Auxiliaries[w] && !Determiners[w] && w != "been" && w != "does" && w != "do":
			out = append(out, english.Stem(w))
		}
	}
	return out
}

var negations = strings.NewReplacer("cannot", "can not", "can't", "can not", "won't", "will not", "n't", " not", "n’t", " not")

// opposite reports whether b says that it is not as a says: they differ in a "not", or in one word.
func opposite(a, b []string) bool {
	if len(b) == len(a)+1 {
		at := slices.Index(b, "not")
		return at >= 0 && slices.Equal(slices.Delete(slices.Clone(b), at, at+1), a)
	}
	if len(a) != len(b) {
		return false
	}
	differs := -1
	for i := range a {
		if a[i] != b[i] {
			if differs >= 0 {
				return false
			}
			differs = i
		}
	}
	if differs < 0 {
		return false
	}
	x, y := a[differs], b[differs]
	return slices.Contains([]string{"un" + x, "in" + x, "ir" + x, "dis" + x}, y) || opposites[x+" "+y]
}

// opposites are pairs of words of which one holds. "Low" and "high" are none: there is something between them.
var opposites = func() map[string]bool {
	out := map[string]bool{}
	for pair := range strings.FieldsSeq(`true_false successful_fail succeed_fail pass_fail work_fail simple_complex new_existing temporary_permanent positive_negative internal_external
		available_missing present_absent accept_reject approve_reject accept_decline approve_decline approve_deny`) {
		a, b, _ := strings.Cut(pair, "_")
		out[english.Stem(a)+" "+english.Stem(b)] = true
	}
	return out
}()
