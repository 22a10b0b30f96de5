package times

import (
	"slices"
	"strconv"
	"strings"

	"sluice/engine/calendar"
	"sluice/engine/planner/phrase"
)

// Near is a schedule that is near to one that no form can say.
type Near struct{ Words, Cron string }

// Nearest gives the schedules nearest to a time that leaves something open, such as "every Monday at 09:00", also for one that comes once; none for
// other words.
func Nearest(words string) []Near {
	toks := phrase.Scan(words, 0, len(words))
	if s, n := At(toks); s.Cron != "" || n == 0 && phrase.OnceAt(toks) < len(toks) {
		return nil
	}
	return nearest(toks)
}

// nearest makes schedules of the day, the time and the unit that words name, the rarest first.
func nearest(toks []phrase.Token) (out []Near) {
	at, day, nth := "0 9 ", "", ""
	for i, t := range toks {
		if h, m, n := phrase.ReadClock(toks[i:]); n > 0 && i > 0 && toks[i-1].Low == "at" {
			at = strconv.Itoa(m) + " " + strconv.Itoa(h) + " "
		}
		switch d := phrase.DayOf(t.Low); {
		case d >= 0:
			day = strconv.Itoa(d)
		case day == "" && (strings.HasPrefix(t.Low, "week") || strings.HasSuffix(t.Low, "weekly")):
			day = "1"
		case strings.HasPrefix(t.Low, "month"):
			nth = "1"
		}
	}
	add := func(cron string) {
		words, _ := calendar.Words(at + cron)
		out = append(out, Near{words, at + cron})
	}
	if nth != "" {
		add(nth + " * *")
	}
	if day != "" {
		add("* * " + day)
	}
	add("* * *")
	return out
}

// near gives examples of schedules that have words in common with a text, at most three.
func near(words string) (out []string) {
	const most = 3
	for _, n := range nearest(phrase.Scan(words, 0, len(words))) {
		out = append(out, n.Words)
	}
	out = append(out, "every weekday at 8:30", "every second Friday at 9")
	return slices.Clip(out[:most])
}
