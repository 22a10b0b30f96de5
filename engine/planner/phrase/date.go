package phrase

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/engine/calendar"
)

// ReadDate reads a day at the beginning of toks: "2026-12-01", "1.12.2026", "December 1st", "Monday, 7 December", "today", "Friday", "next
// Monday", "in 3 days", "two weeks ago", "the end of the month". Words count from now, in its zone; day is midnight there. A day without a
// year is the next one that is not over, a weekday the next one after today, and "next Monday" that of the following week. n = 0: it is no
// day, or it can be read in two ways, such as 3/4/2026.
func ReadDate(toks []Token, now time.Time) (day time.Time, n int) {
	wall, n := readDay(toks, time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC))
	if n == 0 {
		return time.Time{}, 0
	}
	return calendar.At(wall, now.Location()), n
}

// ReadMoment reads a day with a time of day, or one of the two: "tomorrow at 9", "14:30", "2026-12-01 09:00". A day alone is its
// beginning, and a time of day alone the next one. n = 0: it is no time.
func ReadMoment(toks []Token, now time.Time) (at time.Time, n int) {
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	day, n := readDay(toks, today)
	hour, minute, size := timeOfDay(toks[n:])
	if n == 0 && size > 0 {
		if day, n = readDay(toks[size:], today); n == 0 {
			day = today
			if at := calendar.At(clockOf(day, hour, minute), now.Location()); !at.After(now) {
				day = day.AddDate(0, 0, 1)
			}
		}
	}
	if n+size == 0 {
		return time.Time{}, 0
	}
	return calendar.At(clockOf(day, hour, minute), now.Location()), n + size
}

func clockOf(day time.Time, hour, minute int) time.Time {
	return day.Add(time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute)
}

// timeOfDay reads "at 9", ", 14:30" and the time of 2026-12-01T09:00.
func timeOfDay(toks []Token) (hour, minute, n int) {
	lead := 0
	for lead < len(toks) && toks[lead].Is(",", "at", "@") {
		lead++
	}
	if rest := toks[lead:]; len(rest) > 2 && rest[0].Glued && strings.HasPrefix(rest[0].Low, "t") && rest[1].Low == ":" {
		if at, err := time.Parse("t15:04", rest[0].Low+":"+rest[2].Low); err == nil {
			return at.Hour(), at.Minute(), lead + 3
		}
	}
	hour, minute, n = ReadClock(toks[lead:])
	if n == 0 {
		return 0, 0, 0
	}
	return hour, minute, n + lead
}

// readDay is ReadDate on days in UTC.
func readDay(toks []Token, today time.Time) (day time.Time, n int) {
	lead := 0
	if Begins(toks, "on") || Begins(toks, "the") {
		lead = 1
	}
	for _, read := range []func([]Token, time.Time) (time.Time, int){dayInDigits, dayOfMonth, dayOfWeek, dayInWords, dayByDistance} {
		if day, n = read(toks[lead:], today); n > 0 {
			return day, n + lead
		}
	}
	return time.Time{}, 0
}

// dayInDigits reads 2026-12-01, 1.12.2026, 1.12. and 25/12/2026.
func dayInDigits(toks []Token, today time.Time) (time.Time, int) {
	n := 0
	for n < len(toks) && (n == 0 || toks[n].Glued) && strings.Trim(toks[n].Text, "0123456789-./") == "" {
		n++
	}
	var text strings.Builder
	for _, t := range toks[:n] {
		text.WriteString(t.Text)
	}
	for _, layout := range []string{"2006-1-2", "2006/1/2", "2.1.2006"} {
		if day, err := time.Parse(layout, text.String()); err == nil {
			return day, n
		}
	}
	if day, err := time.Parse("2.1.", text.String()); err == nil {
		return coming(day.Day(), day.Month(), today), n
	}
	first, errFirst := time.Parse("2/1/2006", text.String())
	second, errSecond := time.Parse("1/2/2006", text.String())
	switch {
	case errFirst == nil && (errSecond != nil || first.Equal(second)):
		return first, n
	case errSecond == nil && errFirst != nil:
		return second, n
	}
	return time.Time{}, 0
}

// next is the first day, from one on, that fits; the zero time = none does in the years to come.
func next(from time.Time, fits func(day time.Time) bool) time.Time {
	const far = 9 * 366 // days within which there is a 29 February
	for ahead := range far {
		if day := from.AddDate(0, 0, ahead); fits(day) {
			return day
		}
	}
	return time.Time{}
}

// coming is the next day of a month that is not over; the zero time = no year has it.
func coming(day int, month time.Month, today time.Time) time.Time {
	return next(today, func(at time.Time) bool { return at.Day() == day && at.Month() == month })
}

// comingWeekday is the next weekday after a day.
func comingWeekday(want time.Weekday, day time.Time) time.Time {
	return next(day.AddDate(0, 0, 1), func(at time.Time) bool { return at.Weekday() == want })
}

// monthOf finds a month by its name or the beginning of it; 0 = it is none.
func monthOf(low string) time.Month {
	for m := time.January; m <= time.December; m++ {
		if name := strings.ToLower(m.String()); low == name || low == name[:3] || low == "sept" && m == time.September {
			return m
		}
	}
	return 0
}

// dayOfMonth reads "1 December", "1st of December 2026", "Dec 1, 2026".
func dayOfMonth(toks []Token, today time.Time) (time.Time, int) {
	var day, n int
	var month time.Month
	switch {
	case len(toks) > 1 && monthOf(toks[0].Low) > 0:
		month, n = monthOf(toks[0].Low), 1
		if toks[n].Low == "." {
			n++
		}
		if n < len(toks) {
			day = NthOf(toks[n])
		}
		n++
	case len(toks) > 1 && NthOf(toks[0]) > 0:
		day, n = NthOf(toks[0]), 1
		for n < len(toks) && toks[n].Is("of", ".") {
			n++
		}
		if n < len(toks) {
			month = monthOf(toks[n].Low)
		}
		n++
	}
	if month == 0 && len(toks) > 0 && strings.ContainsAny(toks[0].Low, "sndrth") && NthOf(toks[0]) > 0 { // the 15th
		return next(today, func(at time.Time) bool { return at.Day() == NthOf(toks[0]) }), 1
	}
	if day == 0 || month == 0 {
		return time.Time{}, 0
	}
	behind := n
	if behind < len(toks) && toks[behind].Low == "," {
		behind++
	}
	if behind < len(toks) && len(toks[behind].Text) == 4 {
		if year, err := strconv.Atoi(toks[behind].Text); err == nil {
			at := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
			if at.Day() != day {
				return time.Time{}, 0
			}
			return at, behind + 1
		}
	}
	if at := coming(day, month, today); !at.IsZero() {
		return at, n
	}
	return time.Time{}, 0
}

// dayOfWeek reads "Friday", "next Monday", "Monday, 7 December", "Friday next week". A weekday that another day has is none.
func dayOfWeek(toks []Token, today time.Time) (time.Time, int) {
	lead := 0
	following := Begins(toks, "next")
	if following || Begins(toks, "this") || Begins(toks, "coming") {
		lead = 1
	}
	if len(toks) <= lead || DayOf(toks[lead].Low) < 0 {
		return time.Time{}, 0
	}
	want, n := time.Weekday(DayOf(toks[lead].Low)), lead+1
	if n < len(toks) && toks[n].Low == "." {
		n++
	}
	if lead == 0 {
		rest := toks[n:]
		skip := 0
		for skip < len(rest) && rest[skip].Is(",", "the") {
			skip++
		}
		for _, read := range []func([]Token, time.Time) (time.Time, int){dayInDigits, dayOfMonth} {
			if day, size := read(rest[skip:], today); size > 0 {
				if day.Weekday() != want {
					return time.Time{}, 0
				}
				return day, n + skip + size
			}
		}
		if Begins(rest, "next", "week") {
			following, n = true, n+2
		}
	}
	if following {
		today = comingWeekday(time.Monday, today).AddDate(0, 0, -1)
	}
	return comingWeekday(want, today), n
}

// dayInWords reads days that have words of their own.
func dayInWords(toks []Token, today time.Time) (time.Time, int) {
	firstOfNext := time.Date(today.Year(), today.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	for _, w := range []struct {
		words string
		day   time.Time
	}{
		{"today", today},
		{"tonight", today},
		{"tomorrow", today.AddDate(0, 0, 1)},
		{"yesterday", today.AddDate(0, 0, -1)},
		{"day after tomorrow", today.AddDate(0, 0, 2)},
		{"day before yesterday", today.AddDate(0, 0, -2)},
		{"next week", comingWeekday(time.Monday, today)},
		{"next month", firstOfNext},
		{"next year", time.Date(today.Year()+1, time.January, 1, 0, 0, 0, 0, time.UTC)},
		{"end of the month", firstOfNext.AddDate(0, 0, -1)},
		{"end of month", firstOfNext.AddDate(0, 0, -1)},
		{"end of the year", time.Date(today.Year(), time.December, 31, 0, 0, 0, 0, time.UTC)},
	} {
		if words := strings.Fields(w.words); Begins(toks, words...) {
			return w.day, len(words)
		}
	}
	return time.Time{}, 0
}

// dayByDistance reads "in 3 days", "two weeks from now", "a month ago".
func dayByDistance(toks []Token, today time.Time) (time.Time, int) {
	lead := 0
	if Begins(toks, "in") {
		lead = 1
	}
	count, n := readCount(toks[lead:])
	if n == 0 && (Begins(toks[lead:], "a") || Begins(toks[lead:], "an")) {
		count, n = 1, 1
	}
	n += lead
	if n == lead || n >= len(toks) {
		return time.Time{}, 0
	}
	unit := strings.TrimSuffix(toks[n].Low, "s")
	n++
	switch {
	case lead > 0:
	case Begins(toks[n:], "ago"):
		count, n = -count, n+1
	case len(toks) > n+1 && toks[n].Low == "from" && slices.Contains([]string{"now", "today"}, toks[n+1].Low):
		n += 2
	default:
		return time.Time{}, 0
	}
	switch unit {
	case "day":
		return today.AddDate(0, 0, count), n
	case "week":
		return today.AddDate(0, 0, 7*count), n
	case "month":
		at := today.AddDate(0, count, 0)
		if at.Day() != today.Day() { // 31 January and a month: the last day of February
			at = at.AddDate(0, 0, -at.Day())
		}
		return at, n
	case "year":
		return today.AddDate(count, 0, 0), n
	}
	return time.Time{}, 0
}
