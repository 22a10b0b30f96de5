package phrase

import (
	"fmt"
	"strings"

	"sluice/engine/planner/english"
)

// Moment writes the time at the beginning of toks: a time of day, tomorrow's, that of a weekday or of a date, or a date alone. A part of a day, and tomorrow or
// a weekday alone, have a time, as in a schedule. n = 0: there is none.
func Moment(toks []Token) (at string, n int) {
	if n = Starting(toks, atClock); n > 0 {
		at, size := Moment(toks[n:])
		return at, when(size > 0, n+size)
	}
	day, n := momentDay(toks)
	if n > 0 && n < len(toks) && DayParts[toks[n].Low] > 0 {
		at = Clock(DayParts[toks[n].Low], 0)
		n++
	}
	lead := n
	if n > 0 {
		lead += Starting(toks[n:], atClock)
	}
	h, m, size := ReadClock(toks[lead:])
	switch {
	case size > 0:
		at, n = Clock(h, m), lead+size
	case at == "" && (day == "tomorrow" || DayOf(day) >= 0):
		at = Clock(DayParts["morning"], 0)
	}
	if size > 0 && day == "" && Begins(toks[n:], "tomorrow") {
		day, n = "tomorrow", n+1
	}
	return strings.TrimSpace(day + " " + at), n
}

// momentDay is the day at the beginning of toks: "tomorrow", "on Friday", "the next day", a date.
func momentDay(toks []Token) (day string, n int) {
	if n = Starting(toks, nextDay); n > 0 {
		if strings.HasSuffix(toks[n-1].Low, "morning") { // which is read as a part of the day
			n--
		}
		return "tomorrow", n
	}
	on := Starting(toks, onDay)
	if on == len(toks) {
		return "", 0
	}
	low := toks[on].Low
	switch {
	case on == 0 && (english.BeginsWithDate(low) || low == "tomorrow"):
		return low, 1
	case toks[on].Kind == Word && DayOf(low) >= 0 && !strings.HasSuffix(low, "days"):
		return dayNames[DayOf(low)], on + 1
	}
	return "", 0
}

// DayParts are the hours that words for a part of the day mean without a time.
var DayParts = map[string]int{"morning": 9, "afternoon": 14, "evening": 18, "night": 22}

var (
	atClock = Phrases("at")
	onDay   = Phrases("on this")
	nextDay = Phrases("the_next_day the_following_day the_next_morning the_following_morning")
)

// Due reads until when something is to be done, at the beginning of toks: "Friday", "tomorrow at noon", "5pm", "the end of the day". A day without a
// time ends with its working hours. n = 0: there is none, or "5" may be two times.
func Due(toks []Token) (at string, n int) {
	const closing = 17 // hour
	if n = Starting(toks, dayEnds); n > 0 {
		day, size := momentDay(toks[n:])
		return strings.TrimSpace(day + " " + Clock(closing, 0)), n + size
	}
	if n = Starting(toks, nextDayEnds); n > 0 {
		return "tomorrow " + Clock(closing, 0), n
	}
	at, n = Moment(toks)
	_, days := momentDay(toks)
	if _, _, size := ReadClock(toks[min(days+Starting(toks[days:], atClock), n):n]); size > 0 && !halved(toks[:n]) {
		return "", 0
	}
	if day, clock, _ := strings.Cut(at, " "); n > 0 && n == days && clock != "" {
		return day + " " + Clock(closing, 0), n + Starting(toks[n:], dayEnds)
	}
	return at, n
}

// halved reports whether a time of day tells the morning from the afternoon.
func halved(toks []Token) bool {
	last := toks[len(toks)-1].Low
	return strings.Contains(last, ":") || strings.HasSuffix(last, "m") || last == "noon" || last == "midnight"
}

var (
	dayEnds     = Phrases("eod cob end_of_day the_end_of_the_day end_of_the_day end_of_business close_of_business the_end_of_business today end_of_today the_end_of_today")
	nextDayEnds = Phrases("end_of_next_day end_of_the_next_day the_end_of_the_next_day end_of_the_following_day the_end_of_the_following_day end_of_tomorrow the_end_of_tomorrow")
)

// Clock writes a time of day.
func Clock(hour, minute int) string { return fmt.Sprintf("%02d:%02d", hour, minute) }

// OneOf reports whether toks go on a list of answers: the next word that joins is "or".
func OneOf(toks []Token) bool {
	const longest = 24 // words of the list
	for i := range toks[:min(len(toks), longest)] {
		switch toks[i].Low {
		case "or":
			return !Begins(toks[i+1:], "not") // "whether it is so or not"
		case "and", ";", "then", "if", ":":
			return false
		}
	}
	return false
}
