package values

import (
	"regexp"
	"strings"
)

const (
	// slotValue is what stands in a message for a value: it neither begins nor ends with a sign.
	slotValue = `[\pL\pN](?:\S*[\pL\pN])?`
	// Whole words begin and end where no letter or digit stands beside them.
	wordBegin, wordEnd = `(?:^|[^\pL\pN])`, `(?:[^\pL\pN]|$)`
)

// Slots finds <name> and {name}, which stand for values.
var Slots = regexp.MustCompile(`<([A-Za-z_][A-Za-z0-9_]*)>|\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// Matching makes the regular expression of a message from words in which <name> stands for a value.
func Matching(how, words string) string {
	switch how {
	case "":
		return ""
	case "pattern":
		return words
	}
	words = strings.Join(strings.Fields(words), " ")
	var b strings.Builder
	b.WriteString("(?i)")
	if how == "words" {
		b.WriteString(wordBegin)
	}
	literal := func(s string) string { return strings.ReplaceAll(regexp.QuoteMeta(s), " ", `\s+`) }
	at := 0
	for _, m := range Slots.FindAllStringIndex(words, -1) {
		b.WriteString(literal(words[at:m[0]]) + `(?P<` + words[m[0]+1:m[1]-1] + `>` + slotValue + `)`)
		at = m[1]
	}
	b.WriteString(literal(words[at:]))
	if how == "words" {
		b.WriteString(wordEnd)
	}
	return b.String()
}
