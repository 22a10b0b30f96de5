package calendar

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// Five fields cannot say "the first Monday of the month" or "every second Friday". These notations can, in the place of a field. The other
// one of the two fields that name days is then *.
//
//	day      L      the last day of the month         *%3+1  every third day; +1 moves it by a day
//	weekday  1#2    the second Monday of the month    5%2+1  every second Friday; +1 moves it by a week
//	         5L     the last Friday of the month
//	         W#2    the second weekday (Monday to Friday) of the month
//	         WL     the last one
//
// Days and weeks are counted from those of 1 January 1970. Weeks begin on Monday. Several weekdays are divided by commas.

// narrowed is a schedule that fires on some of its days only. It knows a clock that never changes.
type narrowed struct {
	cron.Schedule
	on func(day time.Time) bool
}

// yearsMost is how far a search goes, as that of the fields themselves does.
const yearsMost = 5

// Next implements cron.Schedule.
func (s narrowed) Next(t time.Time) time.Time {
	end := t.AddDate(yearsMost, 0, 0)
	next := s.Schedule.Next(t)
	for !next.IsZero() && !s.on(next) {
		year, month, day := next.Date()
		if next = s.Schedule.Next(time.Date(year, month, day+1, 0, 0, -1, 0, next.Location())); next.After(end) {
			return time.Time{}
		}
	}
	return next
}

// narrow takes the notations out of the fields for the day and the weekday. on is nil where there are none.
func narrow(day, weekday string) (plainDay, plainWeekday string, on func(time.Time) bool, err error) {
	switch {
	case day == "L":
		plainDay, plainWeekday, on = "28-31", weekday, lastDay
	case strings.HasPrefix(day, "*%"):
		var c cycle
		if c, err = readCycle(day[2:]); err == nil {
			plainDay, plainWeekday, on = "*", weekday, func(t time.Time) bool { return c.has(dayNumber(t)) }
		}
	case strings.ContainsAny(weekday, "#%") || strings.HasSuffix(weekday, "L") || strings.Contains(weekday, "L,"):
		plainWeekday, on, err = narrowWeekdays(strings.Split(weekday, ","))
		plainDay, weekday = day, day
	default:
		return day, weekday, nil, nil
	}
	if err == nil && weekday != "*" {
		err = fmt.Errorf("beside %q the other field for days must be *", day+" "+plainWeekday)
	}
	return plainDay, plainWeekday, on, err
}

// lastDay reports whether a day is the last one of its month.
func lastDay(t time.Time) bool { return t.AddDate(0, 0, 1).Day() == 1 }

// dayNumber counts days from 1 January 1970.
func dayNumber(t time.Time) int {
	const seconds = 24 * 60 * 60
	return int(onWall(t).Unix() / seconds)
}

// week counts weeks from that of 1 January 1970, which was a Thursday.
func week(t time.Time) int { return (dayNumber(t) + 3) / 7 }

// cycle is each so many days or weeks, moved by some.
type cycle struct{ every, by int }

func (c cycle) has(n int) bool { return n%c.every == c.by }

// everyMost bounds a cycle, so that it comes round within the years of a search.
const everyMost = 366

func readCycle(text string) (c cycle, err error) {
	every, by, moved := strings.Cut(text, "+")
	if c.every, err = strconv.Atoi(every); err == nil && moved {
		c.by, err = strconv.Atoi(by)
	}
	if err != nil || c.every < 2 || c.every > everyMost || c.by < 0 || c.by >= c.every {
		return c, fmt.Errorf("cannot read %q behind %%: a number from 2, and + with a smaller one if it is to be moved", text)
	}
	return c, nil
}

// narrowWeekdays reads a list of weekdays of which at least one has a notation.
func narrowWeekdays(list []string) (plain string, on func(time.Time) bool, err error) {
	var days []string
	var each []func(time.Time) bool
	for _, item := range list {
		d, fits, err := narrowWeekday(item)
		if err != nil {
			return "", nil, err
		}
		if !slices.Contains(days, d) {
			days = append(days, d)
		}
		each = append(each, fits)
	}
	return strings.Join(days, ","), func(t time.Time) bool {
		return slices.ContainsFunc(each, func(fits func(time.Time) bool) bool { return fits(t) })
	}, nil
}

// narrowWeekday reads one of them, such as 5L.
func narrowWeekday(item string) (plain string, on func(time.Time) bool, err error) {
	end := strings.IndexAny(item, "#%L")
	if end < 0 {
		end = len(item)
	}
	plain = item[:end]
	at := slices.Index(dayNames[:], strings.ToLower(plain))
	if n, err := strconv.Atoi(plain); err == nil && n >= 0 && n <= 7 {
		at = n % 7
	}
	is := func(t time.Time) bool { return int(t.Weekday()) == at }
	working := plain == "W"
	if working {
		plain, is = "1-5", workday
	} else if plain = strconv.Itoa(at); at < 0 {
		return "", nil, fmt.Errorf("%q is no weekday", item)
	}
	switch rest := item[end:]; {
	case rest == "" && !working:
		return plain, is, nil
	case rest == "L":
		return plain, func(t time.Time) bool { return is(t) && !laterInMonth(t, is) }, nil
	case strings.HasPrefix(rest, "#"):
		if n, err := strconv.Atoi(rest[1:]); err == nil && n >= 1 && (n <= 5 || working && n <= 23) {
			return plain, func(t time.Time) bool { return is(t) && countInMonth(t, is) == n }, nil
		}
	case strings.HasPrefix(rest, "%") && !working:
		c, err := readCycle(rest[1:])
		return plain, func(t time.Time) bool { return is(t) && c.has(week(t)) }, err
	}
	return "", nil, fmt.Errorf("cannot read the weekday %q", item)
}

func workday(t time.Time) bool { return t.Weekday() != time.Sunday && t.Weekday() != time.Saturday }

// laterInMonth reports whether a day of a sort comes again in the month of t.
func laterInMonth(t time.Time, is func(time.Time) bool) bool {
	for d := t.AddDate(0, 0, 1); d.Month() == t.Month(); d = d.AddDate(0, 0, 1) {
		if is(d) {
			return true
		}
	}
	return false
}

// countInMonth counts the days of a sort in a month, up to t.
func countInMonth(t time.Time, is func(time.Time) bool) (n int) {
	for d := t.AddDate(0, 0, 1-t.Day()); d.Day() <= t.Day() && d.Month() == t.Month(); d = d.AddDate(0, 0, 1) {
		if is(d) {
			n++
		}
	}
	return n
}
