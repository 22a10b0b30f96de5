package values

import "sluice/engine/planner/phrase"

// Term reads words as a duration of the flow format: "2 working days".
func Term(words string) (string, bool) {
	toks := phrase.Scan(words, 0, len(words))
	term, n := phrase.ReadTerm(toks)
	return term, n > 0 && n == len(toks)
}

// HoldsTerm reports whether words name a duration somewhere.
func HoldsTerm(words string) bool {
	toks := phrase.Scan(words, 0, len(words))
	for i := range toks {
		if n := phrase.TermLength(toks[i:]); n > 0 {
			return true
		}
	}
	return false
}

// Amount reads words as an amount, with or without a currency.
func Amount(words string) (float64, bool) {
	r := Source{Src: words}
	f, ok := r.Number(phrase.Trim(phrase.Scan(words, 0, len(words)))).Literal.(float64)
	return f, ok
}

// Clock reads words as a time of day.
func Clock(words string) (hour, minute int, ok bool) {
	toks := phrase.Trim(phrase.Scan(words, 0, len(words)))
	hour, minute, n := phrase.ReadClock(toks)
	return hour, minute, n > 0 && n == len(toks)
}
