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
	at := 0
	if phrase.Begins(toks, "until") || phrase.Begins(toks, "till") || phrase.Begins(toks, "to") {
		at = 1
	}
	end, n := readDate(toks[at:], now)
	if n == 0 && at == 0 {
		end, n = readTerm(toks, now)
	}
	if n == 0 || at+n < len(toks) || !end.After(now) {
		return time.Time{}, &UnreadError{Words: words, Near: dateExamples}
	}
	return end, nil
}

// readTerm reads a duration that begins now: "for two weeks".
func readTerm(toks []phrase.Token, now time.Time) (end time.Time, n int) {
	if phrase.Begins(toks, "for") {
		n = 1
	}
	n += phrase.Starting(toks[n:], phrase.Phrases("the_next next the_following"))
	if n > 0 && n < len(toks) && phrase.Starting(toks[n:], phrase.Phrases("week month day")) > 0 { // "for the next week"
		return plus(now, 1, map[string]string{"day": "d", "week": "w"}[toks[n].Low]), n + 1
	}
	if m, ok := phrase.Fit(months, toks[n:]); ok {
		return plus(now, max(m.Count, 1), ""), n + m.End
	}
	term, size := phrase.ReadTerm(toks[n:])
	digits := strings.IndexFunc(term, func(r rune) bool { return r < '0' || r > '9' })
	if size == 0 || digits < 1 || strings.Contains(term, " ") {
		return end, 0
	}
	count, err := strconv.Atoi(term[:digits])
	if err != nil || count > termMost {
		return end, 0
	}
	return plus(now, count, term[digits:]), n + size
}

// termMost bounds the number of a duration.
const termMost = 10_000

var months = phrase.Compile("{n} month|months")

// plus adds a number of units. Days and longer ones keep the time of day.
func plus(now time.Time, n int, unit string) time.Time {
	onWall := func(t time.Time) time.Time { return calendar.At(t, now.Location()) }
	switch unit {
	case "s":
		return now.Add(time.Duration(n) * time.Second)
	case "m":
		return now.Add(time.Duration(n) * time.Minute)
	case "h":
		return now.Add(time.Duration(n) * time.Hour)
	case "d":
		return onWall(wall(now).AddDate(0, 0, n))
	case "w":
		return onWall(wall(now).AddDate(0, 0, 7*n))
	}
	return onWall(wall(now).AddDate(0, n, 0))
}

// wall is what the clocks show, on a clock that never changes.
func wall(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, time.UTC)
}

// readDate reads when something ends: the end of a week, a month or a year, or a day with or without a time of day.
func readDate(toks []phrase.Token, now time.Time) (at time.Time, n int) {
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		words string
		day   time.Time
	}{
		{"the_beginning_of_next_week next_week the_end_of_the_week the_end_of_this_week the_week_is_over", today.AddDate(0, 0, (int(time.Monday)-int(today.Weekday())+6)%7+1)},
		{"the_beginning_of_next_month next_month the_end_of_the_month the_end_of_this_month", time.Date(today.Year(), today.Month()+1, 1, 0, 0, 0, 0, time.UTC)},
		{"next_year the_end_of_the_year the_end_of_this_year", time.Date(today.Year()+1, time.January, 1, 0, 0, 0, 0, time.UTC)},
	} {
		if size := phrase.Starting(toks, phrase.Phrases(c.words)); size > 0 {
			return calendar.At(c.day, now.Location()), size
		}
	}
	return phrase.ReadMoment(toks, now)
}
