package phrase

import (
	"fmt"
	"strings"

	"sluice/engine/planner/english"
)

// Moment writes the time at the beginning of toks: a time of day, tomorrow's or that of a date, or a date alone. n = 0: there is none.
func Moment(toks []Token) (at string, n int) {
	day := ""
	if len(toks) > 0 && (english.BeginsWithDate(toks[0].Low) || toks[0].Low == "tomorrow") {
		day, n = toks[0].Low, 1
	}
	lead := n
	if n > 0 && Begins(toks[n:], "at") {
		lead++
	}
	h, m, size := ReadClock(toks[lead:])
	switch {
	case size == 0 && day == "tomorrow":
		return "", 0
	case size == 0:
		return day, n
	}
	if n = lead + size; day == "" && Begins(toks[n:], "tomorrow") {
		day, n = "tomorrow", n+1
	}
	return strings.TrimSpace(day + " " + Clock(h, m)), n
}

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
