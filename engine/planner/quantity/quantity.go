// Package quantity reads numbers, durations, days and times of day in words, and compares them by what they mean: 5k is 5,000, and 30 min are 30
// minutes.
//
//	Of, Read     a quantity in words
//	Alone        the only one in words that set it: "the limit should be 300"
//	Places       where a text has words, or a quantity that they mean
//	Replace      new words in the place of old ones, with the unit that stands there
//
// It knows no steps and no flows. engine/planner/change exchanges quantities of steps with it, and engine/planner/direct
// those of a flow from a file.
package quantity

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/engine/planner/english"
	"sluice/engine/planner/phrase"
)

// Quantity is a number in a text with what it counts, a day of a schedule, or a time of day.
type Quantity struct {
	Number float64
	Unit   string // in its plain form: "eur", "h"; Weekday, Nth or Clock; "" = none
	Term   string // of a duration, in the flow format
	from   int    // where it stands
	digits int    // where its number ends
	to     int
}

// Units of what is no amount: of a weekday, of a day of the month, and of a time of day in minutes. No plain form of a word is written so.
const (
	Weekday = "Weekday"
	Nth     = "Nth"
	Clock   = "Clock"
)

// currencies are the signs and names of the same money.
var currencies = map[string]string{"€": "eur", "euro": "eur", "euros": "eur", "$": "usd", "dollar": "usd", "dollars": "usd", "£": "gbp", "pound": "gbp", "pounds": "gbp", "¥": "yen", "percent": "%"}

// Read reads the quantity at the beginning of toks; n 0 = there is none.
func Read(toks []phrase.Token) (q Quantity, n int) {
	if len(toks) == 0 {
		return q, 0
	}
	t := toks[0]
	q = Quantity{from: t.From, digits: t.To, to: t.To}
	term, size := phrase.ReadTerm(toks)
	day, hour, minute, ofClock := phrase.DayOf(t.Low), 0, 0, 0
	if strings.Contains(t.Low, ":") || strings.HasSuffix(t.Low, "m") || len(toks) > 1 && (toks[1].Low == "am" || toks[1].Low == "pm") || t.Kind == phrase.Word {
		hour, minute, ofClock = phrase.ReadClock(toks)
	}
	switch {
	case size > 0:
		at := strings.IndexFunc(term, func(r rune) bool { return r < '0' || r > '9' })
		q.Number, _ = strconv.ParseFloat(term[:at], 64)
		q.Unit, q.Term = strings.TrimSpace(term[at:]), term
		if size == 1 {
			q.digits = q.from + at
		}
		n = size
	case ofClock > 0:
		q.Number, q.Unit, n = float64(hour*60+minute), Clock, ofClock
	case t.Kind == phrase.Word && day >= 0:
		q.Number, q.Unit, n = float64(day), Weekday, 1
	case phrase.NthOf(t) > 0 && strings.ContainsAny(t.Low, "abcdefghijklmnopqrstuvwxyz"):
		q.Number, q.Unit, n = float64(phrase.NthOf(t)), Nth, 1
	default:
		return q.amount(toks)
	}
	q.to = toks[n-1].To
	return q, n
}

// amount is Read for a number that may have a unit.
func (q Quantity) amount(toks []phrase.Token) (Quantity, int) {
	number, ok := phrase.Amount(toks[0])
	if named := english.Numerals[toks[0].Low]; !ok && named > 1 {
		number, ok = named, true
	}
	if !ok {
		return q, 0
	}
	q.Number = number
	for sign, unit := range currencies {
		if strings.HasPrefix(toks[0].Low, sign) || strings.HasSuffix(toks[0].Low, sign) {
			q.Unit = unit
		}
	}
	if strings.HasSuffix(toks[0].Low, "%") {
		q.Unit = "%"
	}
	if q.Unit == "" && len(toks) > 1 && (english.Units[toks[1].Low] || currencies[toks[1].Low] != "") {
		q.Unit, q.to = UnitOf(toks[1].Low), toks[1].To
		return q, 2
	}
	return q, 1
}

// UnitOf gives the plain form of a unit.
func UnitOf(low string) string {
	if unit := currencies[low]; unit != "" {
		return unit
	}
	return english.Stem(low)
}

// Of reads words that are a quantity and nothing else, beside an article.
func Of(words string) (Quantity, bool) {
	toks := phrase.Trim(phrase.Scan(words, 0, len(words)))
	at := phrase.Starting(toks, Leads)
	q, n := Read(toks[at:])
	return q, n > 0 && at+n == len(toks)
}

// Leads are words before a quantity that belong to it.
var Leads = phrase.Phrases(`on_the on the every each at`)

// length is how long a duration is; 0 = it has no fixed length.
func (q Quantity) length() time.Duration {
	unit := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour}[q.Unit]
	if q.Term == "" {
		return 0
	}
	return time.Duration(q.Number * float64(unit))
}

// Calls reports whether words for one quantity can mean another, in which more may be said: "5k" means 5,000, "2" means 2 hours.
func (q Quantity) Calls(other Quantity) bool {
	if q.Term != "" && other.Term != "" && q.length() > 0 {
		return q.length() == other.length()
	}
	return q.Number == other.Number && (q.Unit == other.Unit || !q.Dated() && !other.Dated() && (q.Unit == "" || other.Unit == ""))
}

// Follows reports whether a quantity can stand in the place of another: time for time, money for money.
func (q Quantity) Follows(old Quantity) bool {
	if q.Dated() || old.Dated() {
		return q.Dated() && old.Dated() && (q.Unit == Clock) == (old.Unit == Clock)
	}
	return q.Unit == "" || old.Unit == "" || (q.Term == "") == (old.Term == "")
}

// Dated reports whether a quantity is a day or a time of day.
func (q Quantity) Dated() bool { return q.Unit == Weekday || q.Unit == Nth || q.Unit == Clock }

// spelled lists where the words of a text stand that a quantity can mean.
func (q Quantity) spelled(in string) (all []Quantity) {
	toks := phrase.Scan(in, 0, len(in))
	for i := 0; i < len(toks); i++ {
		if toks[i].Kind == phrase.Quoted { // a text in the text
			shift := toks[i].From + strings.Index(in[toks[i].From:toks[i].To], toks[i].Text)
			for _, other := range q.spelled(toks[i].Text) {
				other.from, other.digits, other.to = other.from+shift, other.digits+shift, other.to+shift
				all = append(all, other)
			}
			continue
		}
		other, n := Read(toks[i:])
		if n > 0 && q.Calls(other) {
			all = append(all, other)
		}
		i += max(n-1, 0)
	}
	return all
}

// Place is a part of a text.
type Place struct{ From, To int }

// Places lists where words stand in a text as whole words, in any letter case; where they do not, a quantity that they mean.
func Places(in, words string) (all []Place) {
	for i := 0; words != "" && i+len(words) <= len(in); i++ {
		if to := i + len(words); strings.EqualFold(in[i:to], words) && english.Whole(in, i, to) && !inNumber(in, i, to) {
			all = append(all, Place{i, to})
			i = to - 1
		}
	}
	if q, ok := Of(words); ok && len(all) == 0 {
		for _, other := range q.spelled(in) {
			all = append(all, Place{other.from, other.to})
		}
	}
	return all
}

// inNumber reports whether a part of a text is a part of a number: the 5 of 5,000.
func inNumber(in string, from, to int) bool {
	digit := func(at int) bool { return at >= 0 && at < len(in) && in[at] >= '0' && in[at] <= '9' }
	joins := func(at int) bool {
		return at >= 0 && at < len(in) && (in[at] == ',' || in[at] == '.') && digit(at-1) && digit(at+1)
	}
	return joins(from-1) || joins(to)
}

// Replace puts new words into the places of old ones. What a number counts is said once: a unit that stands there stays where the new words
// have none, and is not repeated where they have one. The same goes for the word before: "on the 15th" in the place of "the 1st".
func Replace(in, old, now string) string {
	for _, at := range slices.Backward(Places(in, old)) {
		from, to, put := at.From, at.To, now
		if was, n := Read(phrase.Scan(in, at.From, len(in))); n > 0 {
			to, put = was.exchanged(in, at, now)
		}
		if fields := strings.Fields(put); len(fields) > 1 {
			before := strings.TrimRight(in[:at.From], " ")
			if cut := len(before) - len(fields[0]); cut >= 0 && strings.EqualFold(before[cut:], fields[0]) && english.Whole(before, cut, len(before)) {
				from = cut
			}
		}
		in = in[:from] + put + in[to:]
	}
	return in
}

// Counts reports whether words are a number and what it counts: "10 guests".
func Counts(words string) bool { return counted.MatchString(words) }

var counted = regexp.MustCompile(`^([^\pL\s]*[0-9][^\pL\s]*[kKmM]?)\s+(\pL.*)$`)

// exchanged gives the end of the place of a quantity in a text for which new words stand, and these with the sign that is left there.
func (q Quantity) exchanged(in string, at Place, now string) (to int, put string) {
	to, put = max(at.To, q.digits), now
	next, ok := Of(now)
	if ok && next.Unit == "" && !q.Dated() && (q.Unit != "" || at.To > q.digits) {
		number := in[q.from:q.digits]
		if sign := strings.IndexAny(number, "0123456789"); sign > 0 {
			put = number[:sign] + put
		}
		if last := strings.TrimRight(number, "$€£¥%"); last != number {
			put += number[len(last):]
		}
		return q.digits, put
	}
	if ok && next.Unit != "" && q.Unit != "" && next.Follows(q) {
		return max(to, q.to), put
	}
	if m := counted.FindStringSubmatch(now); m != nil && at.To <= q.digits { // "10 guests" for the 5 of "5 guests"
		rest := strings.TrimLeft(in[q.digits:], " ")
		if len(rest) >= len(m[2]) && strings.EqualFold(rest[:len(m[2])], m[2]) && english.Whole(rest, 0, len(m[2])) {
			return len(in) - len(rest) + len(m[2]), put
		}
	}
	return to, put
}
