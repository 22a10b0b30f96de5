package phrase

import (
	"slices"
	"strings"

	"sluice/engine/planner/english"
)

// Mentions reports whether a text has all words, apart from articles and endings.
func Mentions(text string, toks []Token) bool {
	have := roots(text)
	some := false
	for _, t := range toks {
		if Determiners[t.Low] || Auxiliaries[t.Low] || Prepositions[t.Low] || t.Low == "been" || t.Kind == Sign {
			continue
		}
		for _, w := range roots(t.Low) {
			some = true
			if !slices.ContainsFunc(have, func(h string) bool {
				return h == w || len(w) > 4 && len(h) > 4 && (strings.HasPrefix(h, w) || strings.HasPrefix(w, h))
			}) {
				return false
			}
		}
	}
	return some
}

// roots gives the words of a text without their endings; the payment is what is paid.
func roots(text string) []string {
	out := english.NameStems(text)
	for i, w := range out {
		out[i] = strings.TrimSuffix(w, "ment")
	}
	return out
}

// MentionsWords is Mentions for words that are not scanned yet.
func MentionsWords(text, words string) bool { return Mentions(text, Scan(words, 0, len(words))) }

// People gives the words of a text that are names of people without an @. person reports whether somebody is called so: "@ana".
func People(text string, person func(name string) bool) (out []string) {
	const most = 200 // words that are looked up
	seen := map[string]bool{}
	for _, t := range Scan(text, 0, len(text)) {
		if mayName(t) && !seen[t.Low] && len(seen) < most {
			if seen[t.Low] = true; person("@" + t.Low) {
				out = append(out, t.Low)
			}
		}
	}
	return out
}

// plural reports whether a name means several people.
func plural(words string) bool {
	words, _, _ = strings.Cut(words, " of ")
	toks := Scan(words, 0, len(words))
	return len(toks) > 0 && (strings.HasSuffix(toks[len(toks)-1].Low, "s") || toks[len(toks)-1].Is("people", "team")) && toks[0].Kind != Name
}

// TogetherLast moves "in parallel" behind several names to the end: "ask @ann and @bob in parallel to approve it".
func TogetherLast(toks []Token) []Token {
	names, n := ReadWho(toks[min(1, len(toks)):])
	size := Starting(toks[n+min(1, len(toks)):], Phrases("in_parallel at_the_same_time simultaneously"))
	if n++; len(names) < 2 || size == 0 || n+size == len(toks) || toks[0].Low != "ask" {
		return toks
	}
	return slices.Concat(toks[:n], toks[n+size:], toks[n:n+size])
}

// Emoji gives the name of the emoji that words say: "fire" of ":fire:", or of "the fire emoji"; "" = they say none.
func Emoji(words string) (name string) {
	toks := Scan(words, 0, len(words))
	for i, t := range toks {
		if t.Kind == emoji || i+1 < len(toks) && toks[i+1].Low == "emoji" && mayName(t) {
			name = t.Text
		}
	}
	return name
}
