package phrase

import (
	"slices"

	"sluice/engine/planner/english"
)

// kind says what a token is.
type kind = english.WordKind

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

// Token is one token of a text, with its place in it.
type Token struct {
	Kind     kind
	Text     string // without quotes and brackets
	Low      string // the text in small letters; "" for quoted text and slots
	From, To int    // bytes of the text
	First    bool   // first on its line
	Glued    bool   // no space before it
	blank    bool   // a blank line before it
	indent   int    // of its line
}

// Scan cuts the part [from, to) of a text into tokens. Words that are names of people become such.
func Scan(src string, from, to int, people ...string) []Token {
	all := english.Tokens(src, from, to)
	out := make([]Token, len(all))
	for i, w := range all {
		out[i] = Token{w.Kind, w.Text, w.Low, w.Start, w.End, w.First, w.Glued, w.Blank, w.Indent}
		if w.Kind == Word && slices.Contains(people, w.Low) {
			out[i].Kind, out[i].Text, out[i].Low = Name, "@"+w.Low, "@"+w.Low
		}
	}
	mend(out)
	return out
}

// English reports whether a text may be English.
func English(text string) bool { return english.Is(text, Verbs) }

// MayName reports whether a word can be the name of somebody: it is no verb, no role and none of the commonest words.
func MayName(t Token) bool {
	return t.Kind == Word && len(t.Low) > 1 && !Verbs[t.Low] && !Third(t.Low) && !Roles[t.Low] && !RoleEnds[t.Low] && !Determiners[t.Low] && !english.Frequent(t.Low) && Gerund(t) == ""
}
