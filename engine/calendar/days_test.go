package calendar_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"sluice/engine/calendar"
)

func TestWorkingDays(t *testing.T) {
	holidays, err := calendar.ParseHolidays([]string{"2026-04-03 Good Friday", "2026-04-06", "12-25", " # none", "12-26  # Boxing Day"})
	if err != nil {
		t.Fatal(err)
	}
	berlin := calendar.Usual(zone(t, "Europe/Berlin"))
	berlin.Holidays = holidays
	gulf := calendar.Usual(zone(t, "Asia/Dubai"))
	if gulf.Weekdays, err = calendar.ParseWeekdays("sun-thu"); err != nil {
		t.Fatal(err)
	}
	always := calendar.Usual(zone(t, "Europe/Berlin"))
	always.Hours = calendar.Hours{To: 24 * time.Hour}
	for _, c := range []struct {
		name string
		in   *calendar.Calendar
		from string
		days int
		want string
	}{
		{"within the hours the time is kept", berlin, "2026-03-10T09:30Z", 1, "2026-03-11T09:30Z"},
		{"over the weekend", berlin, "2026-03-13T09:30Z", 2, "2026-03-17T09:30Z"},
		{"from a Saturday", berlin, "2026-03-14T09:30Z", 1, "2026-03-17T08:00Z"},
		{"from the evening", berlin, "2026-03-10T18:00Z", 1, "2026-03-12T08:00Z"},
		{"from the early morning", berlin, "2026-03-10T04:00Z", 1, "2026-03-11T08:00Z"},
		{"from the end of the hours", berlin, "2026-03-10T16:00Z", 1, "2026-03-11T16:00Z"},
		{"from after a weekend's evening", berlin, "2026-03-13T16:01Z", 1, "2026-03-17T08:00Z"},
		{"when clocks go forward", berlin, "2026-03-27T09:00Z", 1, "2026-03-30T08:00Z"},
		{"when clocks go back", berlin, "2026-10-23T08:00Z", 1, "2026-10-26T09:00Z"},
		{"over holidays", berlin, "2026-04-02T10:00Z", 1, "2026-04-07T10:00Z"},
		{"from a holiday", berlin, "2026-04-03T10:00Z", 1, "2026-04-08T07:00Z"},
		{"over holidays of every year", berlin, "2029-12-24T10:00Z", 1, "2029-12-27T10:00Z"},
		{"no day", berlin, "2026-03-14T09:30Z", 0, "2026-03-16T08:00Z"},
		{"back", berlin, "2026-03-17T09:30Z", -2, "2026-03-13T09:30Z"},
		{"back from a Sunday", berlin, "2026-03-15T09:30Z", -1, "2026-03-12T16:00Z"},
		{"back from the early morning", berlin, "2026-03-10T04:00Z", -1, "2026-03-06T16:00Z"},
		{"a week that ends on Thursday", gulf, "2026-03-12T08:00Z", 1, "2026-03-15T08:00Z"},
		{"all day, a missing time", always, "2026-03-27T01:30Z", 1, "2026-03-30T00:30Z"},
	} {
		if got := c.in.AddDays(at(t, c.from), c.days).Format("2006-01-02T15:04Z"); got != c.want {
			t.Errorf("%s: %d working days from %s end at %s, want %s", c.name, c.days, c.from, got, c.want)
		}
	}
	sundays := calendar.Usual(zone(t, "Europe/Berlin"))
	sundays.Weekdays[time.Sunday] = true
	sundays.Hours = calendar.Hours{To: 24 * time.Hour}
	if got := sundays.AddDays(at(t, "2026-03-27T01:30Z"), 1); !got.Equal(at(t, "2026-03-29T01:00Z")) {
		t.Errorf("02:30 on the day when it is missing is %v", got)
	}
}

// Working days are monotonic, and end on a working day within its hours.
func TestWorkingDaysProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		c := calendar.Usual(zone(t, zones[r.IntN(len(zones))]))
		for i := range c.Weekdays {
			c.Weekdays[i] = r.IntN(3) > 0
		}
		c.Weekdays[r.IntN(7)] = true
		from := time.Duration(5+r.IntN(10)) * time.Hour // clocks change earlier in the day: no time of these is missing or doubled
		c.Hours = calendar.Hours{From: from, To: from + time.Duration(1+r.IntN(9))*time.Hour}
		c.Holidays = calendar.Holidays{Dates: map[calendar.Date]bool{}, Yearly: map[calendar.Date]bool{}}
		for range r.IntN(60) {
			c.Holidays.Yearly[calendar.Date{Month: time.Month(1 + r.IntN(12)), Day: 1 + r.IntN(28)}] = true
		}
		t1 := time.Date(2020+r.IntN(10), time.Month(1+r.IntN(12)), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), 0, time.UTC)
		t2 := t1.Add(time.Duration(r.Int64N(int64(10 * 24 * time.Hour))))
		days := 1 + r.IntN(30)
		a, b, more := c.AddDays(t1, days), c.AddDays(t2, days), c.AddDays(t1, days+1)
		if b.Before(a) {
			t.Fatalf("%+v: %d days from %v end at %v, from %v at %v", c, days, t1, a, t2, b)
		}
		if !more.After(a) || !a.After(t1) {
			t.Fatalf("%+v: from %v %d days end at %v, one more at %v", c, t1, days, a, more)
		}
		wall := a.In(c.Zone)
		clock := time.Duration(wall.Hour())*time.Hour + time.Duration(wall.Minute())*time.Minute + time.Duration(wall.Second())*time.Second
		holiday := c.Holidays.Yearly[calendar.Date{Month: wall.Month(), Day: wall.Day()}]
		if !c.Weekdays[wall.Weekday()] || holiday || clock < c.Hours.From || clock > c.Hours.To {
			t.Fatalf("%+v: %d days from %v end at %v, when nobody works", c, days, t1, wall)
		}
		if back := c.AddDays(a, -days); back.After(c.AddDays(t1, 0)) {
			t.Fatalf("%+v: %d days from %v and back lead to %v", c, days, t1, back)
		}
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"mon-fri": "mon,tue,wed,thu,fri", "Sun-Thu": "mon,tue,wed,thu,sun", "fri-mon": "mon,fri,sat,sun", "wednesday, sat": "wed,sat",
		"": "", "mon-": "", "monday-funday": "", "1-5": "",
	} {
		days, err := calendar.ParseWeekdays(text)
		if (err == nil) != (want != "") || err == nil && days.String() != want {
			t.Errorf("%q is read as %v (%v), want %q", text, days, err, want)
		}
	}
	for text, want := range map[string]string{
		"09:00-17:00": "09:00-17:00", " 8:30 - 12:15": "08:30-12:15", "00:00-24:00": "00:00-24:00",
		"": "", "9-17": "", "17:00-09:00": "", "09:00-09:00": "", "09:00": "", "09:00-25:00": "",
	} {
		h, err := calendar.ParseHours(text)
		if (err == nil) != (want != "") || err == nil && h.String() != want {
			t.Errorf("%q is read as %v (%v), want %q", text, h, err, want)
		}
	}
	h, err := calendar.ParseHolidays([]string{"2026-02-30", "02-29", "Christmas", "", "2026-01-01"})
	if err == nil || !strings.Contains(err.Error(), `"2026-02-30"`) || !strings.Contains(err.Error(), `"Christmas"`) {
		t.Errorf("the wrong days are not all named: %v", err)
	}
	if h.Days() != 2 {
		t.Errorf("%d holidays, want 2", h.Days())
	}
}

// A calendar without a working day is found out, and counting in it comes to an end.
func TestNobodyEverWorks(t *testing.T) {
	c := calendar.Usual(time.UTC)
	if err := c.Check(); err != nil {
		t.Errorf("the usual calendar: %v", err)
	}
	c.Holidays.Yearly = map[calendar.Date]bool{}
	for day := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() == 2000; day = day.AddDate(0, 0, 1) {
		c.Holidays.Yearly[calendar.Date{Month: day.Month(), Day: day.Day()}] = true
	}
	if c.Check() == nil {
		t.Error("a calendar of holidays alone was accepted")
	}
	if from := time.Now(); !c.AddDays(from, 2).After(from) {
		t.Error("the deadline is in the past")
	}
}
