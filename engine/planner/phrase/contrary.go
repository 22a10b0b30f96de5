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
	pair := func(a, b string) bool {
		return a == "yes" && b == "no" || b == "not" || b == "none" && a == "any" || Answers[a] == "approve" && Answers[b] == "reject"
	}
	if pair(a, b) || pair(b, a) {
		return true
	}
	whoA, isA := predicate(a)
	whoB, isB := predicate(b)
	if whoA != whoB && whoB != "" && !pronouns[whoB] && whoB != "this" && whoB != "that" {
		return false
	}
	return opposite(isA, isB, opposites) || opposite(isB, isA, opposites)
}

// Poles reports whether two conditions name the two ends of a scale: "it has a low risk", "it has a high risk". Who has to choose one of them
// can, but a value may lie between.
func Poles(a, b string) bool {
	whoA, isA := predicate(strings.ToLower(a))
	whoB, isB := predicate(strings.ToLower(b))
	return (whoA == whoB || pronouns[whoB]) && (opposite(isA, isB, poles) || opposite(isB, isA, poles))
}

// predicate cuts a condition before its verb, and gives the words of the verb and what follows without those that say nothing else.
func predicate(words string) (who string, is []string) {
	all := strings.Fields(negations.Replace(words))
	verb := max(slices.IndexFunc(all, func(w string) bool {
		return Auxiliaries[w] || does[w] || w == "do" || Base(w) != "" || turnsOut[w]
	}), 0)
	if verb == 0 && len(all) > 1 && pronouns[all[0]] { // "they match"
		verb = 1
	}
	for _, w := range all[verb:] {
		if !Auxiliaries[w] && w != "been" && w != "does" && w != "do" {
			is = append(is, w)
		}
	}
	for verb > 1 && Determiners[all[0]] {
		all, verb = all[1:], verb-1
	}
	if verb > 1 && all[0] == "no" { // "no slot is free"
		all, verb, is = all[1:], verb-1, append([]string{"not"}, is...)
	}
	return strings.Join(all[:verb], " "), is
}

var negations = strings.NewReplacer("cannot", "can not", "can't", "can not", "won't", "will not", "n't", " not", "n’t", " not")

// turnsOut are verbs, besides those of steps, that say how something went.
var turnsOut = Set(`fails fail passes pass works work succeeds succeed exists exist`)

// opposite reports whether b says that it is not as a says: they differ in a "not", or in one word.
func opposite(a, b []string, pairs map[string]bool) bool {
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
	for _, not := range []string{"un", "in", "im", "ir", "non-", "dis"} {
		if y == not+x {
			return true
		}
	}
	return pairs[Bare(x)+" "+Bare(y)]
}

// opposites are pairs of words without their endings of which one holds. "Low" and "high" are none: there is something between them.
var opposites = Set(`tru_fals successful_fail succeed_fail pas_fail pass_fail work_fail simpl_complex new_exist temporar_permanent positiv_negativ internal_external available_missing present_absent accept_reject approv_reject
	accept_declin approv_declin approv_den`)

// poles are pairs with something between them.
var poles = Set(`low_high small_larg small_big minor_major cheap_expensiv urgent_normal standard_urgent young_old short_long`)

// LeadPronoun is the pronoun with which a condition begins: "it" of "it's zero"; "" = none.
func LeadPronoun(words string) string {
	first, _, _ := strings.Cut(strings.ToLower(words), " ")
	if first = strings.TrimSuffix(first, "'s"); !english.Pronouns[first] {
		return ""
	}
	return first
}
