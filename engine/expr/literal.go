package expr

import (
	"slices"
	"strings"

	"sluice/engine/expr/value"
)

// Literal reads the when of a decision's route if it is a bare literal: a number, true or false, null,
// a quoted text, or words without an operator among them (p0, needs-review, high priority). Such a
// when is compared and never evaluated. It reports false for everything else, and for default.
func Literal(when string) (any, bool) {
	when = strings.TrimSpace(when)
	if when == "" || when == "default" {
		return nil, false
	}
	if when[0] == '\'' || when[0] == '"' {
		if text, n, ok := scanText(when); ok && n == len(when) {
			return text, true
		}
		return nil, false
	}
	if n, ok := value.ParseNumber(when); ok {
		return n.Value(), true
	}
	switch strings.ToLower(when) {
	case "true":
		return true, true
	case "false":
		return false, true
	case "nil", "null":
		return nil, true
	}
	if bareWords(when) {
		return when, true
	}
	return nil, false
}

func bareWords(when string) bool {
	words := strings.Fields(when)
	for _, word := range words {
		if strings.ContainsFunc(word, func(r rune) bool { return r != '-' && !isNameRune(r) }) {
			return false
		}
		if len(words) > 1 && slices.Contains(wordOperators, strings.ToLower(word)) {
			return false
		}
	}
	return true
}

// EqualLiteral tells whether when is a bare literal that equals the value of a decision, by the rules
// of ==.
func EqualLiteral(value any, when string) bool {
	literal, ok := Literal(when)
	return ok && Compare("==", value, literal)
}
