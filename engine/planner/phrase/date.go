package phrase

import (
	"strconv"
	"strings"
	"time"

	"sluice/engine/calendar"
)

// ReadDate reads a day at the beginning of toks: "2026-12-01", "1.12.2026", "December 1st", "today", "Friday", "next Monday", "in 3 days", "the
// end of the month". Words count from now, in its zone; day is midnight there. A day without a year is the next one that is not over, a weekday
// the next one after today, and "next Monday" that of the following week. n = 0: it is no day, or it can be read in two ways, such as 3/4/2026.
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
	for lead < len(toks) && (toks[lead].Low == "," || toks[lead].Low == "at") {
		lead++
	}
	if rest := toks[lead:]; len(rest) > 2 && rest[0].Glued && strings.HasPrefix(rest[0].Low, "t") && rest[1].Low == ":" {
		if at, err := time.Parse("t15:04", rest[0].Low+":"+rest[2].Low); err == nil {
			return at.Hour(), at.Minute(), lead + 3
		}
	}
	if hour, minute, n = ReadClock(toks[lead:]); n > 0 {
		n += lead
	}
	return hour, minute, n
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

// dayInDigits reads 2026-12-01, 1.12.2026 and "1.12.".
func dayInDigits(toks []Token, today time.Time) (time.Time, int) {
	n, text := 0, ""
	for n < len(toks) && (n == 0 || toks[n].Glued) && strings.Trim(toks[n].Text, "0123456789-.") == "" {
		text += toks[n].Text
		n++
	}
	for _, layout := range []string{"2006-1-2", "2.1.2006"} {
		if day, err := time.Parse(layout, text); err == nil {
			return day, n
		}
	}
	if day, err := time.Parse("2.1.", text); err == nil {
		return coming(day.Day(), day.Month(), today), n
	}
	return time.Time{}, 0
}

// coming is the next day of a name that is not over; month 0 = of any month. The zero time = no year has it.
func coming(day int, month time.Month, today time.Time) time.Time {
	const years = 9 // in which there is a 29 February
	for at := today; at.Year() < today.Year()+years; at = at.AddDate(0, 0, 1) {
		if at.Day() == day && (month == 0 || at.Month() == month) {
			return at
		}
	}
	return time.Time{}
}

// monthOf finds a month by its name or the beginning of it; 0 = it is none.
func monthOf(low string) time.Month {
	for m := time.January; m <= time.December; m++ {
		if name := strings.ToLower(m.String()); low == name || low == name[:3] {
			return m
		}
	}
	return 0
}

// dayOfMonth reads "1 December", "1st of December 2026", "Dec 1, 2026" and "15th".
func dayOfMonth(toks []Token, today time.Time) (time.Time, int) {
	if len(toks) == 0 {
		return time.Time{}, 0
	}
	day, month, n := NthOf(toks[0]), time.Month(0), 1
	if day > 0 {
		if Begins(toks[n:], "of") {
			n++
		}
		if n < len(toks) {
			month = monthOf(toks[n].Low)
		}
		if month == 0 && strings.ContainsAny(toks[0].Low, "sndrth") {
			return coming(day, 0, today), 1
		}
	} else if month = monthOf(toks[0].Low); month > 0 && n < len(toks) {
		day = NthOf(toks[n])
	}
	if n++; day == 0 || month == 0 {
		return time.Time{}, 0
	}
	behind := n
	if Begins(toks[behind:], ",") {
		behind++
	}
	if behind < len(toks) && len(toks[behind].Text) == 4 {
		if year, err := strconv.Atoi(toks[behind].Text); err == nil {
			today, n = time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC), behind+1
		}
	}
	at := coming(day, month, today)
	if at.IsZero() || n > behind && at.Year() != today.Year() { // 29 February of a year that has none
		return time.Time{}, 0
	}
	return at, n
}

// dayOfWeek reads "Friday", "this Friday" and "next Monday".
func dayOfWeek(toks []Token, today time.Time) (time.Time, int) {
	lead := 0
	next := Begins(toks, "next")
	if next || Begins(toks, "this") {
		lead = 1
	}
	if len(toks) <= lead || DayOf(toks[lead].Low) < 0 {
		return time.Time{}, 0
	}
	want, n := DayOf(toks[lead].Low), lead+1
	if next {
		return mondayAfter(today).AddDate(0, 0, (want+6)%7), n
	}
	return today.AddDate(0, 0, (want-int(today.Weekday())+6)%7+1), n
}

// mondayAfter is the first day of the week after that of a day.
func mondayAfter(today time.Time) time.Time { return today.AddDate(0, 0, 7-int(today.Weekday()+6)%7) }

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
		{"next week", mondayAfter(today)},
		{"next month", firstOfNext},
		{"end of the month", firstOfNext.AddDate(0, 0, -1)},
	} {
		if words := strings.Fields(w.words); Begins(toks, words...) {
			return w.day, len(words)
		}
	}
	return time.Time{}, 0
}

// dayByDistance reads "in 3 days" and "in two weeks".
func dayByDistance(toks []Token, today time.Time) (time.Time, int) {
	if !Begins(toks, "in") {
		return time.Time{}, 0
	}
	count, n := readCount(toks[1:])
	if n++; n == 1 || n >= len(toks) {
		return time.Time{}, 0
	}
	switch strings.TrimSuffix(toks[n].Low, "s") {
	case "day":
		return today.AddDate(0, 0, count), n + 1
	case "week":
		return today.AddDate(0, 0, 7*count), n + 1
	}
	return time.Time{}, 0
}
