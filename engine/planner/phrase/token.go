package phrase

import (
	"slices"

	"sluice/engine/planner/english"
)

// The kinds of tokens.
const (
	Word   = english.PlainWord
	Number = english.NumberWord
	Name   = english.NameWord
	emoji  = english.EmojiWord
	Quoted = english.QuotedWord
	url    = english.URLWord
	Slot   = english.InputWord
	Sign   = english.SignWord
)

// Token is a word or sign of a text, with its place in it.
type Token = english.Word

// Scan cuts the part [from, to) of a text into tokens. Words that are names of people become such.
func Scan(src string, from, to int, people ...string) []Token {
	toks := english.Tokens(src, from, to)
	for i := range toks {
		if t := &toks[i]; t.Kind == Word && slices.Contains(people, t.Low) {
			t.Kind, t.Text, t.Low = Name, "@"+t.Low, "@"+t.Low
		}
	}
	toks = withStops(src, toks)
	mend(toks)
	return toks
}

// English reports whether a text may be English.
func English(text string) bool { return english.Is(text, Verbs) }

// mayName reports whether a word can be the name of somebody: it is no verb, no role and none of the commonest words.
func mayName(t Token) bool {
	return t.Kind == Word && len(t.Low) > 1 && !Verbs[t.Low] && !Third(t.Low) && !Roles[t.Low] && !RoleEnds[t.Low] && !Determiners[t.Low] && !english.Frequent(t.Low) && Gerund(t) == ""
}
