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

// Matching makes the regular expression of a message from texts of which it has one, in which <name> stands for a value.
func Matching(how string, texts ...string) string {
	switch {
	case how == "" || len(texts) == 0:
		return ""
	case how == "pattern":
		return texts[0]
	}
	var all []string
	for _, words := range texts {
		words = strings.Join(strings.Fields(words), " ")
		var b strings.Builder
		literal := func(s string) string { return strings.ReplaceAll(regexp.QuoteMeta(s), " ", `\s+`) }
		at := 0
		for _, m := range Slots.FindAllStringIndex(words, -1) {
			b.WriteString(literal(words[at:m[0]]) + `(?P<` + words[m[0]+1:m[1]-1] + `>` + slotValue + `)`)
			at = m[1]
		}
		all = append(all, b.String()+literal(words[at:]))
	}
	one := strings.Join(all, "|")
	if len(all) > 1 {
		one = "(?:" + one + ")"
	}
	if how == "words" {
		one = wordBegin + one + wordEnd
	}
	return "(?i)" + one
}
