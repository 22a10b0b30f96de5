package gates

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"sluice/engine/flow/refusal"
)

// Chosen gives the choice that words begin with, the longest one, and the note behind it.
func Chosen(choices []string, words string) (choice, note string, ok bool) {
	for _, c := range choices {
		if len(words) < len(c) || !strings.EqualFold(words[:len(c)], c) || ok && len(c) <= len(choice) {
			continue
		}
		if next, _ := utf8.DecodeRuneInString(words[len(c):]); !unicode.IsLetter(next) && !unicode.IsNumber(next) {
			choice, note, ok = c, noteIn(words[len(c):]), true
		}
	}
	return choice, note, ok
}

// noteIn is what somebody says behind a choice, without the mark between the two.
func noteIn(behind string) string {
	note := strings.TrimLeft(behind, " \n\t,;:.!–—")
	return strings.TrimSpace(strings.TrimPrefix(note, "- "))
}

// meant gives the only choice that refuses as the first word does, or agrees as all words do: "no, too old" is reject with a note.
func meant(choices []string, words string) (choice, note string, ok bool) {
	end := strings.IndexFunc(words, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' })
	if end < 0 {
		end = len(words)
	}
	clause, _, _ := strings.Cut(words, ",")
	said, yes := refusal.Named(words[:end])
	all, agrees := refusal.Named(clause)
	refuses := said != refusal.None && all != refusal.None
	note = noteIn(words[end:])
	if !refuses && (!yes || !agrees || note != "") {
		return "", "", false
	}
	found := 0
	for _, c := range choices {
		r, agrees := refusal.Named(c)
		if refuses && r != refusal.None || !refuses && agrees {
			choice = c
			found++
		}
	}
	return choice, note, found == 1
}
