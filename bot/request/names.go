package request

import (
	"fmt"
	"slices"
	"strings"

	"sluice/bot/card"
	"sluice/engine/naming"
	"sluice/engine/usererror"
)

// Unknown says that a name does not exist, in the same words as for a name that is hidden from the person.
func Unknown(what, name string, names []string, hint string) *usererror.Error {
	if !slices.Contains(names, name) {
		hint = DidYouMean(name, names, hint)
	}
	return &usererror.Error{Code: "no_" + what, Text: fmt.Sprintf("There is no such %s: “%s”.", what, card.Shorten(name, 80)), Hint: hint}
}

// DidYouMean puts the nearest of some names before a hint, if one is near.
func DidYouMean(name string, names []string, hint string) string {
	if near := naming.Related(name, names, 1); len(near) == 1 {
		return strings.TrimSpace(fmt.Sprintf("Did you mean `%s`? %s", near[0], hint))
	}
	return hint
}

// Count is a number of things, such as "1 run" or "3 runs".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// SaidTo gives the name that words begin with, such as "@bob"; "" = they begin with no name.
func SaidTo(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	if first = strings.TrimRight(first, ":,.!?"); len(first) > 1 && first[0] == '@' {
		return first
	}
	return ""
}
