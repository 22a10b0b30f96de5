package phrase

import (
	"slices"
	"strings"
)

// Counted is a time that is counted from a date which a run knows: "3 days before the start date at 8 am".
type Counted struct {
	Side  string  // before, after, on
	Term  string  // how long before or after it; "" = on the day itself
	Of    []Token // the date; none where the words name none: "two days before"
	Clock string  // "08:00"; "" = the words name no time of day
	known bool    // Of is one of the dates that are known
}

// Early stand behind a length of time by which something is done before something else.
var Early = Phrases(`before ahead prior beforehand in_advance earlier`)

// ReadCounted reads such a time at the beginning of toks; dates are those that a run is given: "first day". Of another that no word such as "date"
// ends, or that is no <name>, all is taken up to a time of day. n = 0: it is none.
func ReadCounted(toks []Token, dates ...string) (c Counted, n int) {
	c.Side, c.Term, n = readSide(toks)
	from := n
	for n < len(toks) && n-from < MostRole && (toks[n].Kind == Word || toks[n].Kind == Slot) && toks[n].Low != "at" {
		n++
		if c.known = slices.Contains(dates, strings.TrimPrefix(Lows(toks[from:n]), "the ")); c.known {
			break
		}
		if last := toks[n-1]; last.Kind == Slot || Dates[last.Low] && !(n < len(toks) && Dates[toks[n].Low]) {
			break
		}
	}
	if n == from && c.Term == "" {
		return Counted{}, 0
	}
	c.Of = toks[from:n]
	if Begins(toks[n:], "at") || c.known && Begins(toks[n:], ",") {
		if hour, minute, size := ReadClock(toks[n+1:]); size > 0 {
			c.Clock, n = Clock(hour, minute), n+1+size
		}
	}
	return c, n
}

// Certain reports whether the words name a date, and no other thing that happens: "the start date", "<due>".
func (c Counted) Certain() bool {
	return c.known || len(c.Of) > 0 && (c.Of[len(c.Of)-1].Kind == Slot || Dates[c.Of[len(c.Of)-1].Low])
}

// Dates end the name of a date.
var Dates = Set(`date deadline birthday`)

var (
	articles = Phrases(`the a one`) // "the day before"
	befores  = Phrases(`before prior_to ahead_of`)
	oneOf    = map[string]string{"day": "1d", "week": "1w", "hour": "1h"}
)

// readSide reads "3 days before", "the day after" and "on".
func readSide(toks []Token) (side, term string, n int) {
	if Begins(toks, "on") {
		return "on", "", 1
	}
	term, n = ReadTerm(toks)
	if lead := Starting(toks, articles); n == 0 && lead > 0 && lead < len(toks) && oneOf[toks[lead].Low] != "" {
		term, n = oneOf[toks[lead].Low], lead+1
	}
	if size := Starting(toks[n:], befores); n > 0 && size > 0 {
		return "before", term, n + size
	}
	if n > 0 && Begins(toks[n:], "after") {
		return "after", term, n + 1
	}
	return "on", "", 0
}
