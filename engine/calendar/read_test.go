package calendar_test

import (
	"testing"
	"time"

	"sluice/engine/calendar"
)

// A time of day is the next one, and tomorrow's is that of the next day, also before that hour and when the clocks change.
func TestReadATimeOfDay(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, now, want string }{
		{"09:00", "2026-11-24T07:30:00+01:00", "2026-11-24T09:00:00+01:00"},
		{"09:00", "2026-11-24T09:30:00+01:00", "2026-11-25T09:00:00+01:00"},
		{"tomorrow 09:00", "2026-11-24T07:30:00+01:00", "2026-11-25T09:00:00+01:00"},
		{"tomorrow 09:00", "2026-11-24T23:30:00+01:00", "2026-11-25T09:00:00+01:00"},
		{"tomorrow 09:00", "2026-03-28T12:00:00+01:00", "2026-03-29T09:00:00+02:00"},
		{"friday 09:00", "2026-11-24T07:30:00+01:00", "2026-11-27T09:00:00+01:00"},
		{"friday 09:00", "2026-11-27T08:59:00+01:00", "2026-11-27T09:00:00+01:00"},
		{"friday 09:00", "2026-11-27T09:01:00+01:00", "2026-12-04T09:00:00+01:00"},
		{"sunday 02:30", "2026-03-27T12:00:00+01:00", "2026-03-29T03:00:00+02:00"},
		{"09:00 Asia/Tokyo", "2026-11-24T07:30:00+01:00", "2026-11-25T01:00:00+01:00"},
		{"friday 09:00 UTC", "2026-11-24T07:30:00+01:00", "2026-11-27T10:00:00+01:00"},
		{"2026-12-01T09:00 America/New_York", "2026-11-24T07:30:00+01:00", "2026-12-01T15:00:00+01:00"},
		{"tomorrow 00:00", "2026-12-31T12:00:00+01:00", "2027-01-01T00:00:00+01:00"},
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		if at, ok := calendar.Read(c.text, now, berlin); !ok || at.In(berlin).Format(time.RFC3339) != c.want {
			t.Errorf("%q at %s is %s, %t; not %s", c.text, c.now, at.In(berlin).Format(time.RFC3339), ok, c.want)
		}
	}
	for _, text := range []string{"tomorrow", "friday", "friday 25:00", "someday 09:00", "09:00 Europe/Nowhere", "09:00 utc"} {
		if _, ok := calendar.Read(text, time.Now(), berlin); ok {
			t.Errorf("%q is a time", text)
		}
	}
}
