package plan

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

var letters = strings.NewReplacer("ß", "ss", "æ", "ae", "ø", "o", "đ", "d", "ł", "l", "œ", "oe", "Æ", "Ae", "Ø", "O", "Ł", "L")

// fold writes accented letters without their accents, for ids and names.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(letters.Replace(s)))
}
