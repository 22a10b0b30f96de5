package calendar

import (
	"errors"
	"time"
)

// Calendar says when people work.
type Calendar struct {
	Zone     *time.Location
	Weekdays weekdays
	Hours    Hours
	Holidays Holidays
}

// weekdays tells for each day of the week, Sunday first, whether people work on it.
type weekdays [7]bool

// Hours are the working hours of a day, counted from midnight on the clock on the wall.
type Hours struct{ From, To time.Duration }

// Holidays are days on which nobody works.
type Holidays struct {
	Dates  map[Date]bool
	Yearly map[Date]bool // of any year: Year is 0
}

// Date is a day.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// Usual is the calendar when nothing is configured: Monday to Friday from 9:00 to 17:00, without holidays.
func Usual(zone *time.Location) *Calendar {
	return &Calendar{
		Zone:     zone,
		Weekdays: weekdays{time.Monday: true, time.Tuesday: true, time.Wednesday: true, time.Thursday: true, time.Friday: true},
		Hours:    Hours{From: 9 * time.Hour, To: 17 * time.Hour},
	}
}

// Check finds a calendar in which nobody ever works.
func (c *Calendar) Check() error {
	day := time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)
	for range daysMost {
		if c.works(day) {
			return nil
		}
		day = day.AddDate(0, 0, 1)
	}
	return errors.New("no day is left on which people work")
}

// daysMost bounds the search for a working day: a calendar that has none in ten years has none.
const daysMost = 10 * 366

// works tells whether people work on the day of a time on the wall.
func (c *Calendar) works(wall time.Time) bool {
	d := Date{wall.Year(), wall.Month(), wall.Day()}
	return c.Weekdays[wall.Weekday()] && !c.Holidays.Dates[d] && !c.Holidays.Yearly[Date{0, d.Month, d.Day}]
}

// AddDays gives the time so many working days after t, or before it when days is negative. They are counted from t when people work
// then, else from the next working moment, or the one before. With days 0 that moment itself is given.
func (c *Calendar) AddDays(t time.Time, days int) time.Time {
	wall := onWall(t.In(c.Zone))
	midnight := time.Date(wall.Year(), wall.Month(), wall.Day(), 0, 0, 0, 0, time.UTC)
	step, clock := 1, wall.Sub(midnight)
	first, last := c.Hours.From, c.Hours.To
	if days < 0 {
		step, first, last = -1, last, first
	}
	switch {
	case !c.works(midnight), days >= 0 && clock > last, days < 0 && clock < last:
		midnight, clock = c.another(midnight, step), first
	case days >= 0 && clock < first, days < 0 && clock > first:
		clock = first
	}
	for range days * step {
		midnight = c.another(midnight, step)
	}
	return At(midnight.Add(clock), c.Zone).UTC()
}

// another gives the next working day in a direction.
func (c *Calendar) another(midnight time.Time, step int) time.Time {
	for range daysMost {
		if midnight = midnight.AddDate(0, 0, step); c.works(midnight) {
			break
		}
	}
	return midnight
}
