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
	day, part, n := momentDay(toks)
	lead := n
	if n > 0 {
		lead += Starting(toks[n:], atClock)
	}
	h, m, size := ReadClock(toks[lead:])
	if size > 0 && day == "" { // "8 tomorrow morning"
		n = size
		if next, of, behind := momentDay(toks[size:]); next == "tomorrow" {
			day, part, n = next, of, size+behind
		}
	} else if size > 0 {
		n = lead + size
	}
	switch {
	case size > 0:
		at = Clock(InPart(h, part), m)
	case part > 0:
		at = Clock(part, 0)
	case day == "tomorrow" || DayOf(day) >= 0:
		at = Clock(DayParts["morning"], 0)
	}
	return strings.TrimSpace(day + " " + at), n
}

// momentDay is the day at the beginning of toks: "tomorrow", "on Friday", "the next day", a date; with the hour that a part of it means: "tomorrow
// evening".
func momentDay(toks []Token) (day string, part, n int) {
	on := Starting(toks, onDay)
	switch n = Starting(toks, nextDay); {
	case n > 0:
		day = "tomorrow"
		if DayParts[toks[n-1].Low] > 0 {
			n--
		}
	case on == len(toks):
		return "", 0, 0
	case on == 0 && (english.BeginsWithDate(toks[0].Low) || toks[0].Low == "tomorrow"):
		day, n = toks[0].Low, 1
	case toks[on].Kind == Word && DayOf(toks[on].Low) >= 0 && !strings.HasSuffix(toks[on].Low, "days"):
		day, n = dayNames[DayOf(toks[on].Low)], on+1
	default:
		return "", 0, 0
	}
	if n < len(toks) && DayParts[toks[n].Low] > 0 {
		return day, DayParts[toks[n].Low], n + 1
	}
	return day, 0, n
}

// DayParts are the hours that words for a part of the day mean without a time.
var DayParts = map[string]int{"morning": 9, "afternoon": 14, "evening": 18, "night": 22}

// InPart is the hour that is meant in a part of the day, which DayParts gives, 0 = none: 6 in the evening is 18.
func InPart(hour, part int) int {
	const dawn = 6 // "at 2 at night"
	night := part == DayParts["night"]
	switch {
	case part < 12 || hour > 12 || night && hour < dawn:
		return hour
	case night && hour == 12:
		return 0
	case hour > 0 && hour < 12:
		return hour + 12
	}
	return hour
}

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
		day, _, size := momentDay(toks[n:])
		return strings.TrimSpace(day + " " + Clock(closing, 0)), n + size
	}
	if n = Starting(toks, nextDayEnds); n > 0 {
		return "tomorrow " + Clock(closing, 0), n
	}
	at, n = Moment(toks)
	_, part, days := momentDay(toks)
	if _, _, size := ReadClock(toks[min(days+Starting(toks[days:], atClock), n):n]); size > 0 && part == 0 && !halved(toks[:n]) {
		return "", 0
	}
	if day, clock, _ := strings.Cut(at, " "); n > 0 && n == days && part == 0 && clock != "" {
		return day + " " + Clock(closing, 0), n + Starting(toks[n:], dayEnds)
	}
	return at, n
}

// halved reports whether a time of day tells the morning from the afternoon.
func halved(toks []Token) bool {
	last := toks[len(toks)-1].Low
	return strings.Contains(last, ":") || strings.HasSuffix(last, "m") || last == "noon" || last == "midnight" || DayParts[last] > 0
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
