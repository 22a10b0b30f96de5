package quantity

import (
	"strings"

	"sluice/engine/planner/phrase"
)

// setting are words that only say that a quantity is to be another one.
var setting = phrase.Set(`make change set raise increase lower reduce decrease bump extend shorten drop cut put up down it that this to at be is are the our a
	an only just now instead do use take give allow let have has gets get should must needs need for enough plenty fine add better ok okay then well`)

// Alone reads the only quantity in some words, those in one place that name what has it, and which others say that it is set; now "": they are more
// than that.
func Alone(words string) (now, of string, said map[string]bool) {
	toks, named := phrase.Scan(words, 0, len(words)), []phrase.Token(nil)
	said = map[string]bool{}
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		last := len(named) - 1
		_, n := Read(toks[i:])
		switch {
		case n > 0 && (last < 0 || named[last].Low != "step"):
			if now != "" {
				return "", "", nil
			}
			now, i = words[t.From:toks[i+n-1].To], i+n-1
		case setting[t.Low]:
			said[t.Low] = true
		case last >= 0 && named[last].To+1 != t.From:
			return "", "", nil
		default:
			named = append(named, t)
		}
	}
	if len(named) > 0 {
		of = strings.TrimSuffix(words[named[0].From:named[len(named)-1].To], " of")
	}
	return now, of, said
}
