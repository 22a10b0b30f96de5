package calendar

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/engine/naming"
)

// Words describes a schedule as engine/calendar reads it: "every day at 09:00". ok is false when there are no words for it.
func Words(cron string) (words string, ok bool) {
	f := strings.Fields(cron)
	if len(f) == 1 {
		words, ok = named[cron]
		return words, ok
	}
	if len(f) != 5 {
		return "", false
	}
	if words, ok = often(f); ok {
		return words, true
	}
	at, ok := clockWords(f[0], f[1])
	if !ok {
		return "", false
	}
	day, ok := dayWords(f[2], f[3], f[4])
	return day + " at " + at, ok
}

var named = map[string]string{
	"@hourly": "every hour", "@daily": "every day at 00:00", "@midnight": "every day at 00:00", "@weekly": "every Sunday at 00:00",
	"@monthly": "on the 1st of every month at 00:00",
}

// often describes what comes several times a day.
func often(f []string) (words string, ok bool) {
	days := ""
	switch f[4] {
	case "*":
	case "1-5":
		days = " on weekdays"
	default:
		names, ok := weekdaysSaid(f[4])
		if !ok {
			return "", false
		}
		days = " on " + names
	}
	if f[2] != "*" || f[3] != "*" {
		return "", false
	}
	every, n := "", 0
	hours, step, stepped := strings.Cut(f[1], "/")
	minute, err := strconv.Atoi(f[0])
	switch {
	case f[0] == "*" && !stepped:
		every = "every minute"
	case strings.HasPrefix(f[0], "*/") && !stepped:
		if n, err = strconv.Atoi(f[0][2:]); err != nil {
			return "", false
		}
		every = fmt.Sprintf("every %d minutes", n)
	case err != nil || minute < 0 || minute >= 60:
		return "", false
	case stepped:
		if n, err = strconv.Atoi(step); err != nil {
			return "", false
		}
		every = fmt.Sprintf("every %d hours", n)
	case hours == "*" || strings.Contains(hours, "-"):
		every = "every hour"
	default:
		return "", false
	}
	apart := strings.HasPrefix(every, "every minute") || strings.HasSuffix(every, " minutes")
	if hours == "*" {
		if !apart && minute > 0 {
			return "", false
		}
		return every + days, true
	}
	from, to, ok := span(hours)
	switch {
	case !ok:
		return "", false
	case apart:
		return fmt.Sprintf("%s between %02d:00 and %02d:00%s", every, from, (to+1)%24, days), true
	}
	return fmt.Sprintf("%s between %02d:%02d and %02d:%02d%s", every, from, minute, to, minute, days), true
}

// span reads hours such as 9-16, or 22-23,0-5.
func span(hours string) (from, to int, ok bool) {
	if before, after, night := strings.Cut(hours, "-23,0-"); night {
		hours = before + "-" + after
	}
	first, last, found := strings.Cut(hours, "-")
	from, err := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	return from, to, found && err == nil && err2 == nil
}

// clockWords writes times of day.
func clockWords(minute, hours string) (string, bool) {
	m, err := strconv.Atoi(minute)
	var out []string
	for h := range strings.SplitSeq(hours, ",") {
		n, herr := strconv.Atoi(h)
		if err != nil || herr != nil {
			return "", false
		}
		out = append(out, fmt.Sprintf("%02d:%02d", n, m))
	}
	return naming.List(out, "and"), true
}

// dayWords describes the days on which something starts at a time.
func dayWords(day, month, weekday string) (string, bool) {
	cycle, isCycle := strings.CutPrefix(day, "*%")
	switch {
	case day == "1" && month == "1,4,7,10" && weekday == "*":
		return "on the 1st of January, April, July and October", true
	case month != "*":
		return monthlyWords(day, month, weekday)
	case day == "L" && weekday == "*":
		return "on the last day of every month", true
	case isCycle && weekday == "*":
		return cycleWords(cycle, "day")
	case day != "*" && weekday == "*":
		nths, ok := ordinals(day)
		return "on the " + nths + " of every month", ok
	case day != "*":
		return "", false
	case weekday == "*":
		return "every day", true
	case weekday == "1-5":
		return "on weekdays", true
	case strings.ContainsAny(weekday, "#%LW"):
		return rareWords(strings.Split(weekday, ","))
	}
	names, ok := weekdaysSaid(weekday)
	return "every " + names, ok
}

// monthlyWords describes days of every second, third, ... month.
func monthlyWords(day, month, weekday string) (string, bool) {
	months, step, _ := strings.Cut(month, "/")
	n, err := strconv.Atoi(step)
	nths, ok := ordinals(day)
	if one, not := strconv.Atoi(month); not == nil && ok && one >= 1 && one <= 12 && weekday == "*" {
		return "every year on the " + nths + " of " + time.Month(one).String(), true
	}
	if err != nil || !ok || weekday != "*" {
		return "", false
	}
	from := 1
	if months != "*" {
		first, _ := strings.CutSuffix(months, "-12")
		if from, err = strconv.Atoi(first); err != nil {
			return "", false
		}
	}
	if from < 1 || from > 12 || n < 1 {
		return "", false
	}
	var names []string
	for m := from; m <= 12; m += n {
		names = append(names, time.Month(m).String())
	}
	return "on the " + nths + " of " + naming.List(names, "and"), true
}

func cycleWords(text, unit string) (string, bool) {
	n, err := strconv.Atoi(strings.Split(text, "+")[0])
	if n == 2 {
		return "every second " + unit, err == nil
	}
	return fmt.Sprintf("every %d %ss", n, unit), err == nil
}

// rareWords describes weekdays that do not come every week. All must be of one sort.
func rareWords(list []string) (string, bool) {
	var names, nths []string
	sort := ""
	for _, item := range list {
		end := max(strings.IndexAny(item, "#%L"), 0)
		name := "working day"
		if item[:end] != "W" {
			var ok bool
			if name, ok = weekdaysSaid(item[:end]); !ok {
				return "", false
			}
		}
		rest := item[end:]
		if rest[0] == '#' {
			nth, ok := ordinals(rest[1:])
			if !ok {
				return "", false
			}
			nths, rest = add(nths, nth), "#"
		}
		if sort != "" && sort != rest {
			return "", false
		}
		names, sort = add(names, name), rest
	}
	if len(nths)*len(names) > len(list) {
		return "", false
	}
	joined := naming.List(names, "and")
	switch sort[0] {
	case '#':
		return "on the " + naming.List(nths, "and") + " " + joined + " of every month", true
	case 'L':
		return "on the last " + joined + " of every month", true
	}
	every, ok := cycleWords(sort[1:], "week")
	return every + " on " + joined, ok
}

func add(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// weekdaysSaid writes weekdays: Monday and Friday.
func weekdaysSaid(field string) (string, bool) {
	var names []string
	for d := range strings.SplitSeq(field, ",") {
		n, err := strconv.Atoi(d)
		if err != nil || n < 0 || n > 7 {
			return "", false
		}
		names = append(names, time.Weekday(n%7).String())
	}
	return naming.List(names, "and"), true
}

// ordinals writes days of the month: 1st and 15th.
func ordinals(field string) (string, bool) {
	var out []string
	for d := range strings.SplitSeq(field, ",") {
		n, err := strconv.Atoi(d)
		if err != nil {
			return "", false
		}
		out = append(out, ordinal(n))
	}
	return naming.List(out, "and"), true
}

// ordinal is a day of the month: 1st, 2nd, 15th.
func ordinal(n int) string {
	end := "th"
	if n/10 != 1 {
		if e, ok := map[int]string{1: "st", 2: "nd", 3: "rd"}[n%10]; ok {
			end = e
		}
	}
	return strconv.Itoa(n) + end
}
