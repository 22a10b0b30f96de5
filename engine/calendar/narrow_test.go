package calendar_test

import (
	"strings"
	"testing"
	"time"

	"sluice/engine/calendar"
)

// TestDaysThatFieldsCannotSay: the fires of schedules that fire on some days only. 1 November 2026 is a Sunday.
func TestDaysThatFieldsCannotSay(t *testing.T) {
	t.Parallel()
	for spec, fires := range map[string]string{
		"0 9 L * *":               "11-30 12-31 01-31 02-28 03-31",
		"0 9 L 2 *":               "02-28 02-29 02-28",
		"0 9 * * 1#1":             "11-02 12-07 01-04 02-01",
		"0 9 * * MON#1,mon#3":     "11-02 11-16 12-07 12-21",
		"0 9 * * 7#5":             "11-29 01-31 05-30",
		"0 9 * * 5L":              "11-27 12-25 01-29",
		"0 9 * * 5L,1":            "11-02 11-09 11-16 11-23 11-27",
		"0 9 * * W#1":             "11-02 12-01 01-01 02-01",
		"0 9 * * WL":              "11-30 12-31 01-29 02-26",
		"0 9 * * W#21":            "11-30 12-29 01-29",
		"0 9 * * 5%2":             "11-06 11-20 12-04",
		"0 9 * * 5%2+1":           "11-13 11-27 12-11",
		"0 9 * * 1%2,4%2":         "11-02 11-05 11-16 11-19",
		"0 9,17 * * 5%3":          "11-13 11-13 12-04 12-04",
		"0 9 *%3 * *":             "11-03 11-06 11-09",
		"0 9 *%3+1 * *":           "11-01 11-04 11-07",
		"TZ=Asia/Tokyo 0 9 L * *": "11-30 12-31",
	} {
		s, err := calendar.Parse(spec, zone(t, "Europe/Berlin"))
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		var got []string
		next := time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)
		for range strings.FieldsSeq(fires) {
			next = s.Next(next)
			got = append(got, next.In(zone(t, "Europe/Berlin")).Format("01-02"))
		}
		if text := strings.Join(got, " "); text != fires {
			t.Errorf("%s fires on %s, want %s", spec, text, fires)
		}
	}
	for _, spec := range []string{
		"0 9 L * 1", "0 9 1 * 1#1", "0 9 * * 1#0", "0 9 * * 1#6", "0 9 * * 8#1", "0 9 * * #1", "0 9 * * W%2", "0 9 * * W,1#1", "0 9 * * 5%1", "0 9 * * 5%2+2", "0 9 * * 5%x",
		"0 9 *%0 * *", "0 9 *%3 * 1", "0 9 * * 1-5L", "0 9 LW * *", "0 9 * * L", "0 9 * * *%2", "0 9 *%1000000000 * *", "0 9 * * 5L5",
	} {
		if _, err := calendar.Parse(spec, time.UTC); err == nil {
			t.Errorf("%s was read", spec)
		}
	}
	if s, err := calendar.Parse("0 9 L 6 1#1", time.UTC); err == nil {
		t.Errorf("two fields for days were read: %v", s)
	}
	s, err := calendar.Parse("0 9 * 2 7#5", time.UTC) // a fifth Sunday in February: 2032, and not within five years
	if err != nil || !s.Next(time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		t.Errorf("a day far away was found (%v)", err)
	}
}

// TestEverySecondDayAcrossAChange: the time of day is kept when the clocks change, and the days stay two days apart.
func TestEverySecondDayAcrossAChange(t *testing.T) {
	t.Parallel()
	berlin := zone(t, "Europe/Berlin")
	s, err := calendar.Parse("30 2 *%2 * *", berlin)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, time.October, 19, 12, 0, 0, 0, time.UTC)
	for before := (time.Time{}); at.Year() < 2028; before = at {
		at = s.Next(at)
		local := at.In(berlin)
		if clock := local.Format("15:04"); clock != "02:30" && clock != "03:00" {
			t.Errorf("it fires at %s", local)
		}
		if gap := at.Sub(before).Round(24 * time.Hour); !before.IsZero() && gap != 48*time.Hour {
			t.Errorf("%s is %s after the one before", local, gap)
		}
	}
}
