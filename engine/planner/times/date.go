package times

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/engine/calendar"
	"sluice/engine/planner/phrase"
)

// DateExamples are dates that Until reads.
var DateExamples = []string{"until Monday", "until 4 December at 9:00", "for two weeks"}

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
		return time.Time{}, &UnreadError{Words: words, Near: DateExamples}
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

// readDate reads a date that is not over, with a time of day or without one; or a time of day, which is the next one.
func readDate(toks []phrase.Token, now time.Time) (at time.Time, n int) {
	if hour, minute, size := phrase.ReadClock(toks); size > 0 && (size > 1 || len(toks) == 1) {
		if day := phrase.Starting(toks[size:], [][]string{{"on"}, {"tomorrow"}}); day == 0 {
			if at = dayAt(now, now, hour, minute); !at.After(now) {
				at = dayAt(wall(now).AddDate(0, 0, 1), now, hour, minute)
			}
			return at, size
		}
	}
	day, n := readDay(toks, now)
	if n == 0 {
		return at, 0
	}
	next := n
	if phrase.Begins(toks[next:], "at") || phrase.Begins(toks[next:], ",") || phrase.Begins(toks[next:], "@") {
		next++
	}
	hour, minute, size := phrase.ReadClock(toks[next:])
	if size > 0 {
		n = next + size
	}
	return dayAt(day, now, hour, minute), n
}

// dayAt is a time on a day, in the zone of now.
func dayAt(day, now time.Time, hour, minute int) time.Time {
	return calendar.At(time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 0, 0, time.UTC), now.Location())
}

// readDay reads a day.
func readDay(toks []phrase.Token, now time.Time) (day time.Time, n int) {
	today := dayAt(now, now, 0, 0)
	today = time.Date(today.Year(), today.Month(), today.Day(), 0, 0, 0, 0, time.UTC)
	if phrase.Begins(toks, "on") {
		n = 1
	}
	rest := toks[n:]
	for _, c := range []struct {
		words string
		day   time.Time
	}{
		{"today", today},
		{"tomorrow", today.AddDate(0, 0, 1)},
		{"the_day_after_tomorrow", today.AddDate(0, 0, 2)},
		{"the_beginning_of_next_week next_week the_end_of_the_week the_end_of_this_week the_week_is_over", weekday(today, time.Monday)},
		{"the_beginning_of_next_month next_month the_end_of_the_month the_end_of_this_month", firstOf(today, 1)},
		{"next_year the_end_of_the_year the_end_of_this_year", firstOf(today, 13-int(today.Month()))},
	} {
		if size := phrase.Starting(rest, phrase.Phrases(c.words)); size > 0 {
			return c.day, n + size
		}
	}
	if size := phrase.Starting(rest, phrase.Phrases("next this the")); size < len(rest) && size >= 0 {
		if d := phrase.DayOf(rest[size].Low); d >= 0 && rest[size].Kind == phrase.Word {
			return weekday(today, time.Weekday(d)), n + size + 1
		}
	}
	if len(rest) > 0 {
		if d, err := time.Parse(time.DateOnly, rest[0].Low); err == nil {
			return d, n + 1
		}
	}
	d, size := dayOfMonth(rest, today)
	if size == 0 {
		return day, 0
	}
	return d, n + size
}

// weekday is the next such day after today.
func weekday(today time.Time, d time.Weekday) time.Time {
	return today.AddDate(0, 0, (int(d)-int(today.Weekday())+6)%7+1)
}

// firstOf is the first day of a month that comes some months later.
func firstOf(today time.Time, later int) time.Time {
	return time.Date(today.Year(), today.Month()+time.Month(later), 1, 0, 0, 0, 0, time.UTC)
}

// dayOfMonth reads "4 December", "the 4th of December 2027", "Dec 4" and "the 15th".
func dayOfMonth(toks []phrase.Token, today time.Time) (day time.Time, n int) {
	n = phrase.Starting(toks, phrase.Phrases("the"))
	d, month := 0, time.Month(0)
	for n < len(toks) && (d == 0 || month == 0) {
		t := toks[n]
		switch {
		case d == 0 && phrase.NthOf(t) > 0:
			d = phrase.NthOf(t)
		case month == 0 && monthOf(t) > 0:
			month = monthOf(t)
		case t.Low == "of" && d > 0 || t.Low == "." && d > 0 && month == 0:
		default:
			return ofYear(d, month, 0, today), some(d, month, toks, n)
		}
		n++
	}
	year := 0
	if n < len(toks) && month > 0 {
		if v, err := strconv.Atoi(toks[n].Low); err == nil && v >= 2000 && v < 3000 {
			year, n = v, n+1
		}
	}
	return ofYear(d, month, year, today), some(d, month, toks, n)
}

// some is how many tokens a day of a month takes: a number alone is none, unless it is written as that of a day.
func some(d int, month time.Month, toks []phrase.Token, n int) int {
	ordinal := slices.ContainsFunc(toks[:n], func(t phrase.Token) bool { return phrase.NthOf(t) > 0 && strings.ContainsAny(t.Low, "sndrth") })
	if d == 0 || month == 0 && !ordinal {
		return 0
	}
	return n
}

// ofYear is a day of a month of a year; without a year, or a month, the next one that is not over. A day that there is not is over.
func ofYear(d int, month time.Month, year int, today time.Time) time.Time {
	const monthsMost = 100 // a leap day may be eight years away
	if month > 0 && year > 0 {
		return existing(year, month, d)
	}
	for later := range monthsMost {
		first := firstOf(today, later)
		if month > 0 && first.Month() != month {
			continue
		}
		if day := existing(first.Year(), first.Month(), d); day.After(today) {
			return day
		}
	}
	return time.Time{}
}

// existing is a day, or the zero time when its month does not have it.
func existing(year int, month time.Month, d int) time.Time {
	if t := time.Date(year, month, d, 0, 0, 0, 0, time.UTC); t.Day() == d {
		return t
	}
	return time.Time{}
}

// monthOf is the month that a word names; 0 = none.
func monthOf(t phrase.Token) time.Month {
	low := strings.TrimSuffix(t.Low, ".")
	for m := time.January; m <= time.December; m++ {
		if name := strings.ToLower(m.String()); low == name || low == name[:3] || low == "sept" && m == time.September {
			return m
		}
	}
	return 0
}
