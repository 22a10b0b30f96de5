// Package lookalike finds characters that look like other characters. With two different ids that look the same, a person could approve
// something else than what runs.
//
// [OddCharacter] finds a character of another script; [Skeleton] is the same for ids that look alike. The package treats ids as
// text. Package flow says where an id must be of one script.
package lookalike

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// together are the scripts that one language mixes, from UTS 39 ("highly restrictive").
var together = [][]string{{"Latin", "Han", "Hiragana", "Katakana"}, {"Latin", "Han", "Bopomofo"}, {"Latin", "Han", "Hangul"}}

// scriptOf gives the script of a letter; empty = one that all scripts share, such as a digit.
func scriptOf(r rune) string {
	if r < unicode.MaxLatin1 && !unicode.IsLetter(r) {
		return ""
	}
	for _, name := range []string{"Latin", "Cyrillic", "Greek"} { // the usual ones first
		if unicode.Is(unicode.Scripts[name], r) {
			return name
		}
	}
	for name, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			if name == "Common" || name == "Inherited" {
				return ""
			}
			return name
		}
	}
	return ""
}

// OddCharacter names a character of an id that belongs to another script than the rest, or that is a variant of another
// character. Empty = none.
func OddCharacter(id string) string {
	for _, r := range id {
		if plain := norm.NFKC.String(string(r)); plain != string(r) {
			return fmt.Sprintf("the character '%c' (%U) is another way to write '%s'", r, r, plain)
		}
	}
	counts := map[string]int{}
	for _, r := range id {
		if s := scriptOf(r); s != "" {
			counts[s]++
		}
	}
	if len(counts) < 2 || slices.ContainsFunc(together, func(set []string) bool {
		for s := range counts {
			if !slices.Contains(set, s) {
				return false
			}
		}
		return true
	}) {
		return ""
	}
	usual := "Latin"
	for _, s := range slices.Sorted(maps.Keys(counts)) {
		if counts[s] > counts[usual] {
			usual = s
		}
	}
	for _, r := range id {
		if s := scriptOf(r); s != "" && s != usual {
			return fmt.Sprintf("the character '%c' (%U) is %s, and the others are %s", r, r, s, usual)
		}
	}
	return ""
}

// lookalikes are letters that look like Latin ones.
var lookalikes = strings.NewReplacer(
	"а", "a", "в", "b", "с", "c", "ԁ", "d", "е", "e", "ѕ", "s", "һ", "h", "і", "i", "ј", "j", "к", "k", "ӏ", "l", "м", "m", "н", "h", "о", "o", "р", "p", "ԛ", "q",
	"т", "t", "у", "y", "ү", "y", "х", "x", "ԝ", "w",
	"α", "a", "β", "b", "ϲ", "c", "ε", "e", "η", "n", "ι", "i", "ϳ", "j", "κ", "k", "μ", "u", "ν", "v", "ο", "o", "ρ", "p", "τ", "t", "υ", "u", "χ", "x", "γ", "y", "ω", "w",
	"ı", "i", "ɑ", "a", "ɡ", "g",
)

// Skeleton is the same for ids that look alike.
func Skeleton(id string) string { return lookalikes.Replace(strings.ToLower(norm.NFKC.String(id))) }
