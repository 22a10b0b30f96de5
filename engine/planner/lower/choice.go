package lower

import (
	"cmp"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/tree"
)

// asks reports whether a step asks people to choose.
func (b *values) asks(s *tree.Step) bool {
	return b.becomes(s) == flow.KindApproval && (s.Kind == tree.Ask || s.Doer == tree.DoerPerson)
}

// choicesOf lists the choices of a step that asks people. What a branch names belongs to them.
func (b *values) choicesOf(s *tree.Step) []string {
	choices := s.Choices
	switch {
	case s.Kind == tree.Do:
		choices = tree.PersonChoices()
	case len(choices) == 0:
		choices = flow.DefaultChoices()
	}
	choices = slices.Clone(choices)
	for _, branch := range s.Branches {
		if !isTimeout(branch.Choice) {
			choices = append(choices, branch.Choice)
		}
	}
	out := allowed(choices)
	for _, more := range []string{otherThan(out), "none of these"} {
		if len(out) < 2 {
			out = allowed(append(out, more))
		}
	}
	return out
}

// otherThan is the answer beside the only one that the words give: who is asked to say that something is done may not be able to.
func otherThan(choices []string) string {
	done := tree.PersonChoices()
	if len(choices) == 1 && strings.EqualFold(choices[0], done[0]) {
		return done[1]
	}
	return "no"
}

// ownChoices are what a gate becomes without a person, and what is asked instead.
var ownChoices = map[string]string{flow.ChoiceTimeout: "too late", "superseded": "replaced", "cancelled": "cancel"}

const choiceLength = 60

// allowed makes choices that a gate may have: none is empty, reserved or there twice.
func allowed(choices []string) []string {
	var out []string
	for _, c := range choices {
		c = english.Shorten(strings.Join(strings.Fields(c), " "), choiceLength)
		c = cmp.Or(ownChoices[strings.ToLower(c)], c)
		if c != "" && !slices.ContainsFunc(out, func(o string) bool { return strings.EqualFold(o, c) }) {
			out = append(out, c)
		}
	}
	return out
}

// choiceOf finds the choice that words mean; words that are none stay as they are.
func (b *values) choiceOf(s *tree.Step, words string) string {
	choices := b.choicesOf(s)
	words = cmp.Or(ownChoices[strings.ToLower(words)], words)
	for _, same := range []func(a, b string) bool{strings.EqualFold, sameStem} {
		if i := slices.IndexFunc(choices, func(c string) bool { return same(c, words) }); i >= 0 {
			return choices[i]
		}
	}
	return words
}

// sameStem compares a choice with the word for what was chosen: approve and approved.
func sameStem(choice, word string) bool {
	choice, word = strings.ToLower(choice), strings.ToLower(word)
	stem := strings.TrimSuffix(choice, "e")
	return len(stem) > 2 && strings.HasPrefix(word, stem) && len(word) <= len(stem)+3
}
