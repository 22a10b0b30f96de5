package times

import (
	"strconv"
	"strings"
	"time"

	"sluice/engine/calendar"
	"sluice/engine/planner/phrase"
)

// dateExamples are dates that Until reads.
var dateExamples = []string{"until Monday", "until 4 December at 9:00", "for two weeks"}

// Until reads when a time ends that begins now: "until Monday", "4 December at 9:00", "for two weeks". A day without a time of day is its
// beginning, in the zone of now. The end is after now. The error is an *UnreadError.
func Until(words string, now time.Time) (time.Time, error) {
	toks := phrase.Trim(phrase.Scan(words, 0, len(words)))
	at := phrase.Starting(toks, phrase.Phrases("until till to"))
	end, n := phrase.ReadMoment(toks[at:], now)
	if n == 0 && at == 0 {
		at = phrase.Starting(toks, phrase.Phrases("for"))
		end, n = readTerm(toks[at:], now)
	}
	ends := phrase.Begins(toks[at:], "the", "end") // "the end of the month": is its last day meant, or the one behind it?
	if n == 0 || at+n < len(toks) || ends || !end.After(now) {
		return time.Time{}, &UnreadError{Words: words, Near: dateExamples}
	}
	return end, nil
}

// readTerm reads a duration that begins now. Days and weeks keep the time of day.
func readTerm(toks []phrase.Token, now time.Time) (end time.Time, n int) {
	term, n := phrase.ReadTerm(toks)
	digits := strings.IndexFunc(term, func(r rune) bool { return r < '0' || r > '9' })
	const most = 10_000
	count, err := strconv.Atoi(term[:max(digits, 0)])
	if err != nil || count > most {
		return end, 0
	}
	day := map[string]int{"d": 1, "w": 7}[term[digits:]]
	if length, err := time.ParseDuration(term); err == nil {
		return now.Add(length), n
	} else if day == 0 {
		return end, 0
	}
	wall := time.Date(now.Year(), now.Month(), now.Day()+count*day, now.Hour(), now.Minute(), 0, 0, time.UTC)
	return calendar.At(wall, now.Location()), n
}
