package planner

import (
	"slices"
	"strings"

	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

// kinds gives by step the kind of thing that people do something with, where somebody else does it with another kind: "small claims" of
// "@bob handles small claims and @carla handles large claims". Only one of them is done.
func kinds(t *tree.Tree) map[string][]string {
	type kind struct{ step, who, words, adjective string }
	of := map[string][]kind{} // by the thing: "claims"
	for s := range t.Walk {
		if s.Kind != tree.Do || s.Doer != tree.DoerPerson || s.Said.Empty() {
			continue
		}
		toks := phrase.Scan(s.Text, 0, len(s.Text))
		for i := 1; i < len(toks); i++ {
			before, thing := toks[i-1], toks[i].Low
			if before.Kind == phrase.Word && toks[i].Kind == phrase.Word && len(thing) > 3 && strings.HasSuffix(thing, "s") && describes(before.Low) {
				of[thing] = append(of[thing], kind{s.ID, people(s), s.Text[before.From:toks[i].To], before.Low})
			}
		}
	}
	out := map[string][]string{}
	for _, all := range of {
		for _, k := range all {
			if slices.ContainsFunc(all, func(o kind) bool { return o.step != k.step && o.who != k.who && o.adjective != k.adjective }) {
				out[k.step] = append(out[k.step], k.words)
			}
		}
	}
	return out
}

// describes reports whether a word in front of a thing may say which kind of it is meant.
func describes(low string) bool {
	return !phrase.Determiners[low] && !phrase.Verbs[low] && !phrase.Third(low) && !phrase.Roles[low] && !phrase.Prepositions[low] && !phrase.Auxiliaries[low] && len(low) > 2
}
