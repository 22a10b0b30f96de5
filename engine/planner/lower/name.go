package lower

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

// deed names the first step by which something is done that is more than to read a value: "refund order". "It" is what the step before is
// about, or what the start is about. A flow of messages is named by what the first one says.
func (b *values) deed() string {
	object := slices.DeleteFunc(strings.Fields(b.topic()), phrase.Third)
	var told string
	for s := range b.t.Walk {
		words := deedWords(s)
		switch {
		case len(words) == 0, s.Kind == tree.Do && s.Doer == tree.DoerOpen && !phrase.Verbs[words[0]]:
		case s.Kind == tree.Do && (s.Doer != tree.DoerTool || b.tools[s.Tool].Effects != flow.EffectsRead):
			if len(words) == 1 && len(object) > 0 && !slices.Contains(object, words[0]) {
				words = append(words, object[len(object)-1])
			}
			return strings.Join(words, " ")
		case s.Kind == tree.Do:
			object = words
		case s.Kind == tree.Tell && told == "":
			told = strings.Join(words, " ")
		}
	}
	if len(b.t.Steps) > 0 && b.t.Steps[0].Kind == tree.Tell {
		return told
	}
	return ""
}

// deedEnd is where the words of a step end that say what is done to what.
var deedEnd = regexp.MustCompile(`(?i)[,;:(]|\s(?:after|before|when|if|unless|until|from|via|every|each|by|on|at|in|for|and|or|then)\s`)

// deedWords are the verb of a step and what it deals with, without names and numbers.
func deedWords(s *tree.Step) []string {
	text := english.Plain(s.Text)
	if at := deedEnd.FindStringIndex(text); at != nil {
		text = text[:at[0]]
	}
	words := saying(text)
	if before, _, with := strings.Cut(text, " with "); with && len(saying(before)) > 1 { // and not "speak with the customer"
		words = saying(before)
	}
	if len(words) > 0 && s.Kind == tree.Do {
		words[0] = cmp.Or(phrase.Base(words[0]), words[0])
	}
	return words
}

// saying lists the words of a text that can be in a name.
func saying(text string) []string {
	var kept []string
	for _, w := range english.Scan(text) {
		if w.Kind == english.PlainWord {
			kept = append(kept, w.Text)
		}
	}
	return telling(strings.Join(kept, " "))
}

// telling lists the words of a text that an id keeps, without numbers.
func telling(text string) []string {
	return slices.DeleteFunc(strings.Split(english.ID(text), "_"), isNumber)
}

func isNumber(word string) bool { return strings.Trim(word, "0123456789") == "" }
