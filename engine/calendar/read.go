package calendar

import (
	"strings"
	"time"
)

// timeForms are the ways to write a time.
var timeForms = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"}

// Read reads a time of timeForms, or a time of day: 09:00 is the next one, "tomorrow 09:00" that of the next day, and "friday 09:00" the next one on
// that day. Without a zone of its own, "09:00 Europe/Berlin", it is in the given one; nil = UTC.
func Read(text string, now time.Time, zone *time.Location) (time.Time, bool) {
	if zone == nil {
		zone = time.UTC
	}
	if clock, name := CutZone(text); name != "" {
		own, err := time.LoadLocation(name)
		if err != nil {
			return time.Time{}, false
		}
		text, zone = clock, own
	}
	if at, err := time.Parse("15:04", text); err == nil {
		return nextTime(at, now.In(zone), every), true
	}
	name, clock, _ := strings.Cut(text, " ")
	if day, ok := weekday(name); ok {
		at, err := time.Parse("15:04", clock)
		return nextTime(at, now.In(zone), time.Weekday(day)), err == nil
	}
	if at, err := time.Parse("tomorrow 15:04", text); err == nil {
		year, month, day := now.In(zone).Date()
		return nextTime(at, At(time.Date(year, month, day+1, 0, 0, 0, 0, time.UTC), zone).In(zone), every), true
	}
	for _, form := range timeForms {
		at, err := time.Parse(form, text)
		if err != nil {
			continue
		}
		if form != time.RFC3339Nano {
			at = At(at, zone)
		}
		return at.UTC().Truncate(time.Microsecond), true
	}
	return time.Time{}, false
}

// CutZone cuts the name of a zone off a time, "09:00 Europe/Berlin"; "" = it has none.
func CutZone(text string) (at, zone string) {
	i := strings.LastIndexByte(text, ' ')
	if i < 0 || text[i+1:] != "UTC" && !strings.Contains(text[i+1:], "/") {
		return text, ""
	}
	return text[:i], text[i+1:]
}

// every is no day of the week: each day is meant.
const every time.Weekday = -1

// nextTime is when the clock shows a time of day next, on a day of the week; a time of day that is over today is tomorrow's.
func nextTime(at, now time.Time, on time.Weekday) time.Time {
	year, month, day := now.Date()
	for ; ; day++ {
		date := time.Date(year, month, day, at.Hour(), at.Minute(), 0, 0, time.UTC)
		due := At(date, now.Location())
		if !due.Before(now) && (on == every || date.Weekday() == on) {
			return due.UTC()
		}
	}
}
