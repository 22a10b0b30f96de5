package times

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/planner/phrase"
)

// Near is a schedule that is near to one that no form can say.
type Near struct{ Words, Cron string }

// Nearest gives the schedules nearest to a time that leaves something open, such as "every Monday at 09:00"; none for other words.
func Nearest(words string) (out []Near) {
	toks := phrase.Scan(words, 0, len(words))
	if n := (reader{}).unsure(toks); n == 0 {
		return nil
	}
	for _, w := range nearest(toks) {
		if s, n := At(phrase.Scan(w, 0, len(w))); n > 0 {
			out = append(out, Near{w, s.Cron})
		}
	}
	return out
}

func nearest(toks []phrase.Token) []string {
	at, day, last, weeks := "", "", false, false
	for i, t := range toks {
		if h, m, n := phrase.ReadClock(toks[i:]); n > 0 && i > 0 && (toks[i-1].Low == "at" || i == len(toks)-n && t.Low != "1" && phrase.NthOf(t) == 0) {
			at = fmt.Sprintf(" at %02d:%02d", h, m)
		}
		if d := phrase.DayOf(t.Low); d >= 0 {
			day = strings.ToUpper(phrase.DayNames[d][:1]) + phrase.DayNames[d][1:]
		}
		last, weeks = last || t.Low == "last", weeks || strings.HasPrefix(t.Low, "week") || strings.HasSuffix(t.Low, "weekly")
	}
	near := []string{"every day" + at}
	switch {
	case day != "":
		near = append(near, "every "+day+at)
	case weeks:
		near = append(near, "every Monday"+at)
	}
	if slices.ContainsFunc(toks, func(t phrase.Token) bool { return strings.HasPrefix(t.Low, "month") }) {
		nth := "the 1st of every month"
		if last {
			nth = "the last day of every month"
		}
		near = append(near, nth+at)
	}
	slices.Reverse(near)
	return near
}

// near gives examples of schedules that have words in common with a text, at most three.
func near(words string) []string {
	const most = 3
	out := nearest(phrase.Scan(words, 0, len(words)))
	for _, e := range []string{"every weekday at 8:30", "every second Friday at 9", "the first Monday of every month at 9", "every 15 minutes between 9 and 17"} {
		if len(out) < most {
			out = append(out, e)
		}
	}
	return out[:most]
}
