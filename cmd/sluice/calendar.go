package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"sluice/engine/calendar"
)

// calendar makes the calendar that deadlines, reminders and schedules go by. All problems of its settings come together.
func (c *config) calendar() (*calendar.Calendar, []string) {
	var wrong []string
	note := func(setting string, err error) {
		if err != nil {
			wrong = append(wrong, setting+": "+strings.ReplaceAll(err.Error(), "\n", "; "))
		}
	}
	zone, err := time.LoadLocation(c.Timezone)
	if err != nil || c.Timezone == "Local" {
		note("SLUICE_TIMEZONE", fmt.Errorf("%q is not a zone; use a name such as Europe/Berlin", c.Timezone))
		zone = time.UTC
	}
	cal := calendar.Usual(zone)
	if c.Weekdays != "" {
		cal.Weekdays, err = calendar.ParseWeekdays(c.Weekdays)
		note("SLUICE_WEEKDAYS", err)
	}
	if c.Hours != "" {
		cal.Hours, err = calendar.ParseHours(c.Hours)
		note("SLUICE_HOURS", err)
	}
	days := c.Holidays
	if c.HolidaysFile != "" {
		listed, err := os.ReadFile(c.HolidaysFile)
		if err != nil {
			note("SLUICE_HOLIDAYS_FILE", fmt.Errorf("there is no file %s that can be read", c.HolidaysFile))
		}
		_, err = calendar.ParseHolidays(strings.Split(string(listed), "\n"))
		note("SLUICE_HOLIDAYS_FILE", err)
		days = append(strings.Split(string(listed), "\n"), days...)
	}
	_, err = calendar.ParseHolidays(c.Holidays)
	note("SLUICE_HOLIDAYS", err)
	cal.Holidays, _ = calendar.ParseHolidays(days) // their errors are noted
	if len(wrong) == 0 {
		note("SLUICE_WEEKDAYS and SLUICE_HOLIDAYS", cal.Check())
	}
	return cal, wrong
}
