package calendar_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the zones must be known on any machine

	"sluice/engine/calendar"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func at(t *testing.T, text string) time.Time {
	t.Helper()
	v, err := time.Parse("2006-01-02T15:04Z", text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// What fires around a change of the clocks, as instants.
func TestClocksChange(t *testing.T) {
	for _, c := range []struct {
		name, spec, zone, from string
		fires                  string
	}{
		// Berlin: 2026-03-29 02:00 -> 03:00 at 01:00Z, 2026-10-25 03:00 -> 02:00 at 01:00Z.
		{"a daily job whose time is missing", "30 2 * * *", "Europe/Berlin", "2026-03-28T00:00Z", "28T01:30 29T01:00 30T00:30 31T00:30"},
		{"a daily job at the beginning of what is missing", "0 2 * * *", "Europe/Berlin", "2026-03-28T12:00Z", "29T01:00 30T00:00"},
		{"a daily job at the end of what is missing", "0 3 * * *", "Europe/Berlin", "2026-03-28T12:00Z", "29T01:00 30T01:00"},
		{"a daily job whose time comes twice", "30 2 * * *", "Europe/Berlin", "2026-10-24T12:00Z", "25T00:30 26T01:30 27T01:30"},
		{"asked between the two", "30 2 * * *", "Europe/Berlin", "2026-10-25T00:45Z", "26T01:30"},
		{"asked in the second hour, before its time", "30 2 * * *", "Europe/Berlin", "2026-10-25T01:15Z", "26T01:30"},
		{"asked after the second", "30 2 * * *", "Europe/Berlin", "2026-10-25T01:30Z", "26T01:30"},
		{"a daily job when the doubled hour begins", "0 2 * * *", "Europe/Berlin", "2026-10-24T12:00Z", "25T00:00 26T01:00"},
		{"a daily job when the doubled hour is over", "0 3 * * *", "Europe/Berlin", "2026-10-24T12:00Z", "25T02:00 26T02:00"},
		{"hourly, an hour missing", "0 * * * *", "Europe/Berlin", "2026-03-28T23:30Z", "29T00:00 29T01:00 29T02:00"},
		{"hourly at half past, an hour missing", "30 * * * *", "Europe/Berlin", "2026-03-28T23:00Z", "28T23:30 29T00:30 29T01:30 29T02:30"},
		{"hourly, an hour doubled", "@hourly", "Europe/Berlin", "2026-10-24T22:30Z", "24T23:00 25T00:00 25T01:00 25T02:00 25T03:00"},
		{"every 15 minutes, an hour missing", "*/15 * * * *", "Europe/Berlin", "2026-03-29T00:20Z", "29T00:30 29T00:45 29T01:00 29T01:15"},
		{
			"every 15 minutes, an hour doubled", "*/15 * * * *", "Europe/Berlin", "2026-10-25T00:20Z",
			"25T00:30 25T00:45 25T01:00 25T01:15 25T01:30 25T01:45 25T02:00",
		},
		{"four times in a missing hour", "*/15 2 * * *", "Europe/Berlin", "2026-03-28T12:00Z", "29T01:00 30T00:00 30T00:15"},
		{"four times in a doubled hour", "*/15 2 * * *", "Europe/Berlin", "2026-10-24T12:00Z", "25T00:00 25T00:15 25T00:30 25T00:45 26T01:00"},
		{"every two hours, one missing", "0 */2 * * *", "Europe/Berlin", "2026-03-28T22:30Z", "28T23:00 29T01:00 29T02:00 29T04:00"},
		{"every two hours, one doubled", "0 */2 * * *", "Europe/Berlin", "2026-10-24T21:30Z", "24T22:00 25T00:00 25T03:00 25T05:00"},
		{"on Sundays", "30 2 * * 0", "Europe/Berlin", "2026-03-23T00:00Z", "29T01:00 05T00:30"},
		{"time that passes", "@every 1h", "Europe/Berlin", "2026-03-28T23:30Z", "29T00:30 29T01:30 29T02:30"},

		// New York: 2026-03-08 02:00 -> 03:00 at 07:00Z, 2026-11-01 02:00 -> 01:00 at 06:00Z.
		{"a daily job whose time is missing", "30 2 * * *", "America/New_York", "2026-03-07T00:00Z", "07T07:30 08T07:00 09T06:30"},
		{"a daily job whose time comes twice", "30 1 * * *", "America/New_York", "2026-10-31T12:00Z", "01T05:30 02T06:30"},
		{"hourly, an hour doubled", "0 * * * *", "America/New_York", "2026-11-01T04:30Z", "01T05:00 01T06:00 01T07:00"},
		{"every 15 minutes, an hour missing", "*/15 * * * *", "America/New_York", "2026-03-08T06:40Z", "08T06:45 08T07:00 08T07:15"},

		// Lord Howe: 2026-04-05 02:00 -> 01:30 at 15:00Z the day before, 2026-10-04 02:00 -> 02:30 at 15:30Z the day before.
		{"a daily job whose time is missing", "15 2 * * *", "Australia/Lord_Howe", "2026-10-02T12:00Z", "02T15:45 03T15:30 04T15:15"},
		{"a daily job just after the jump", "30 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00Z", "03T15:30 04T15:30"},
		{"a daily job whose time comes twice", "45 1 * * *", "Australia/Lord_Howe", "2026-04-04T12:00Z", "04T14:45 05T15:15"},
		{"a daily job after the doubled half hour", "15 2 * * *", "Australia/Lord_Howe", "2026-04-04T12:00Z", "04T15:45 05T15:45"},
		{"every 15 minutes, half an hour missing", "*/15 * * * *", "Australia/Lord_Howe", "2026-10-03T15:10Z", "03T15:15 03T15:30 03T15:45"},
		{"every 15 minutes, half an hour doubled", "*/15 * * * *", "Australia/Lord_Howe", "2026-04-04T14:40Z", "04T14:45 04T15:00 04T15:15 04T15:30"},
		{"hourly, half an hour missing", "0 * * * *", "Australia/Lord_Howe", "2026-10-03T14:00Z", "03T14:30 03T16:00 03T17:00"},

		{"midnight is missing", "@daily", "Africa/Cairo", "2026-04-22T22:30Z", "23T22:00 24T21:00"},
		{"the schedule names its own zone", "TZ=Asia/Tokyo 0 6 * * *", "Europe/Berlin", "2026-03-28T00:00Z", "28T21:00 29T21:00"},
	} {
		t.Run(c.zone+": "+c.name, func(t *testing.T) {
			s, err := calendar.Parse(c.spec, zone(t, c.zone))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			next := at(t, c.from)
			for range strings.FieldsSeq(c.fires) {
				next = s.Next(next)
				got = append(got, next.Format("02T15:04"))
			}
			if all := strings.Join(got, " "); all != c.fires {
				t.Errorf("%s from %s:\n got %s\nwant %s", c.spec, c.from, all, c.fires)
			}
		})
	}
}

func TestSchedulesThatCannotBeRead(t *testing.T) {
	for _, spec := range []string{"", "61 * * * *", "* * * *", "* * * * * *", "TZ=UTC", "CRON_TZ=UTC", "TZ=Mars 0 6 * * *", "@never", "@every soon"} {
		if s, err := calendar.Parse(spec, time.UTC); err == nil {
			t.Errorf("%q was read as %+v", spec, s)
		}
	}
	s, err := calendar.Parse("0 0 30 2 *", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	if next := s.Next(time.Now()); !next.IsZero() {
		t.Errorf("the 30th of February is on %v", next)
	}
}

// The zones of the property tests: whole hours, half hours, no changes, a midnight that is missing, clocks that go back in winter's name.
var zones = []string{
	"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC", "Asia/Kolkata", "Africa/Cairo", "America/Havana", "Europe/Dublin",
	"America/St_Johns", "Antarctica/Troll", "Pacific/Chatham",
}

// field writes a random field of a schedule.
func field(r *rand.Rand, first, last int) string {
	n := func() int { return first + r.IntN(last-first+1) }
	switch r.IntN(6) {
	case 0, 1:
		return "*"
	case 2:
		return fmt.Sprintf("*/%d", 1+r.IntN(last-first))
	case 3:
		a, b := n(), n()
		return fmt.Sprintf("%d-%d", min(a, b), max(a, b))
	case 4:
		return fmt.Sprintf("%d,%d", n(), n())
	}
	return fmt.Sprint(n())
}

// Whatever the schedule and the zone: fires come one after the other, each once, and asking from any time gives the next of them.
func TestFiresIncrease(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		spec := strings.Join([]string{field(r, 0, 59), field(r, 0, 23), field(r, 1, 28), field(r, 1, 12), field(r, 0, 6)}, " ")
		name := zones[r.IntN(len(zones))]
		z := zone(t, name)
		s, err := calendar.Parse(spec, z)
		if err != nil {
			t.Fatal(err)
		}
		// Most searches begin shortly before the clocks change.
		from := time.Date(2015+r.IntN(20), time.Month(1+r.IntN(12)), 1+r.IntN(28), r.IntN(24), r.IntN(60), 0, 0, time.UTC)
		if _, change := from.In(z).ZoneBounds(); r.IntN(4) > 0 && !change.IsZero() {
			from = change.Add(-time.Duration(r.IntN(5*3600)) * time.Second)
		}
		last := from
		for range 60 {
			next := s.Next(last)
			if next.IsZero() {
				break
			}
			if !next.After(last) {
				t.Fatalf("%q in %s: after %v comes %v", spec, name, last, next)
			}
			between := last.Add(time.Duration(r.Int64N(int64(next.Sub(last)))))
			if again := s.Next(between); !again.Equal(next) {
				t.Fatalf("%q in %s: from %v the next fire is %v, from %v it is %v", spec, name, last, next, between, again)
			}
			last = next
		}
	}
}

// A daily job fires exactly once on every day of the calendar, in every zone, through four years of changing clocks.
func TestDailyIsOnceADay(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for _, name := range zones {
		z := zone(t, name)
		for _, minute := range []int{0, 30, 60, 90, 105, 120, 150, 180, r.IntN(1440)} {
			spec := fmt.Sprintf("%d %d * * *", minute%60, minute/60)
			s, err := calendar.Parse(spec, z)
			if err != nil {
				t.Fatal(err)
			}
			day := time.Date(2018, 1, 1, 0, 0, 0, 0, time.UTC)
			fire := calendar.At(day, z).Add(-time.Second)
			for ; day.Year() < 2022; day = day.AddDate(0, 0, 1) {
				fire = s.Next(fire)
				if got := fire.In(z).Format(time.DateOnly); got != day.Format(time.DateOnly) {
					t.Fatalf("%q in %s: the fire of %s is on %s", spec, name, day.Format(time.DateOnly), fire.In(z))
				}
			}
		}
	}
}

func TestAt(t *testing.T) {
	for _, c := range []struct{ zone, wall, want string }{
		{"Europe/Berlin", "2026-03-29T01:59Z", "2026-03-29T00:59Z"},
		{"Europe/Berlin", "2026-03-29T02:00Z", "2026-03-29T01:00Z"},
		{"Europe/Berlin", "2026-03-29T02:30Z", "2026-03-29T01:00Z"},
		{"Europe/Berlin", "2026-03-29T03:00Z", "2026-03-29T01:00Z"},
		{"Europe/Berlin", "2026-10-25T02:00Z", "2026-10-25T00:00Z"},
		{"Europe/Berlin", "2026-10-25T02:30Z", "2026-10-25T00:30Z"},
		{"Europe/Berlin", "2026-10-25T03:00Z", "2026-10-25T02:00Z"},
		{"America/New_York", "2026-03-08T02:30Z", "2026-03-08T07:00Z"},
		{"America/New_York", "2026-11-01T01:30Z", "2026-11-01T05:30Z"},
		{"Australia/Lord_Howe", "2026-10-04T02:10Z", "2026-10-03T15:30Z"},
		{"Australia/Lord_Howe", "2026-04-05T01:40Z", "2026-04-04T14:40Z"},
		{"Pacific/Apia", "2011-12-30T12:00Z", "2011-12-30T10:00Z"}, // a day that never was
		{"UTC", "2026-03-29T02:30Z", "2026-03-29T02:30Z"},
	} {
		got := calendar.At(at(t, c.wall), zone(t, c.zone)).UTC().Format("2006-01-02T15:04Z")
		if got != c.want {
			t.Errorf("%s on the clocks of %s is %s, want %s", c.wall, c.zone, got, c.want)
		}
	}
}

func TestTheShortestTimeBetweenTwoFires(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string]time.Duration{
		"* * * * *":             time.Minute,
		"@every 10s":            10 * time.Second,
		"*/7 * * * *":           4 * time.Minute,
		"0 9 * * 1-5":           24 * time.Hour,
		"0 9 1 * *":             28 * 24 * time.Hour,
		"0,1 9 1 1 *":           time.Minute,
		"59,0 0,23 15,16 * *":   time.Minute,
		"30 0,23 * * *":         time.Hour,
		"0 0 30 2 *":            0,
		"0 0 29 2 *":            4*365*24*time.Hour + 24*time.Hour,
		"CRON_TZ=UTC 0 * * * *": time.Hour,
	} {
		s, err := calendar.Parse(spec, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Shortest(); got != want {
			t.Errorf("%s: %s, want %s", spec, got, want)
		}
	}
}
