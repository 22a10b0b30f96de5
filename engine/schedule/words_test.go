package schedule_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"sluice/engine/schedule"
	"sluice/engine/usererror"
	"sluice/storage"
)

// readers are schedules of an installation in Berlin, on a Friday in October, two days before its clocks change.
func readers(t *testing.T) (*schedule.Schedules, *time.Time) {
	t.Helper()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, time.October, 23, 12, 0, 0, 0, berlin)
	return schedule.New(schedule.Config{Zone: berlin, Shortest: time.Minute, Now: func() time.Time { return now }}), &now
}

func TestReadSchedule(t *testing.T) {
	t.Parallel()
	x, _ := readers(t)
	for _, c := range []struct{ words, zone, said, fires string }{
		{"every second friday at 9", "", "every second week on Friday at 09:00", "30 13 27 11 25"}, // the next Friday is in a week: 9 is over today
		{"every day at 2:30", "", "every day at 02:30", "24 25 26 27 28"},
		{"every day at 2:30", "America/New_York", "every day at 02:30", "24 25 26 27 28"},
		{"every day at 2:30 in Asia/Tokyo", "", "every day at 02:30", "24 25 26 27 28"},
		{"0 9 L * * Asia/Tokyo", "", "on the last day of every month at 09:00", "31 30 31 31 28"},
		{"  @daily ", "", "every day at 00:00", "24 25 26 27 28"},
		{"7 9 1-3 * *", "", "on the schedule 7 9 1-3 * *", "01 02 03 01 02"},
		{"daily at 9 starting 4 december", "", "every day at 09:00", "04 05 06 07 08"},
	} {
		got, err := x.ReadSchedule(c.words, c.zone)
		if err != nil {
			t.Errorf("%q: %v", c.words, err)
			continue
		}
		zone, err := time.LoadLocation(got.Zone)
		if err != nil {
			t.Fatal(err)
		}
		var days []string
		for i, at := range got.Fires {
			days = append(days, at.In(zone).Format("02"))
			if clock := at.In(zone).Format("15:04"); i > 0 && clock != got.Fires[0].In(zone).Format("15:04") && clock != "03:00" {
				t.Errorf("%q fires at %s", c.words, at.In(zone))
			}
		}
		if text := strings.Join(days, " "); got.Words != c.said || text != c.fires {
			t.Errorf("%q is %q on %s, want %q on %s", c.words, got.Words, text, c.said, c.fires)
		}
	}
	for words, code := range map[string]string{
		"every friday unless it rains": "bad_schedule", "61 * * * *": "bad_cron", "0 9 * * 1 Mars/Base": "bad_zone", "0 0 30 2 *": "never", "@every 1s": "too_often", "": "bad_schedule",
	} {
		_, err := x.ReadSchedule(words, "")
		if ue, ok := errors.AsType[*usererror.Error](err); !ok || ue.Code != code || ue.Hint == "" {
			t.Errorf("%q is refused with %v, want %s", words, err, code)
		}
	}
}

// TestLeavingFiresOut: what is left out, and taken back.
func TestLeavingFiresOut(t *testing.T) {
	t.Parallel()
	x, now := readers(t)
	first := time.Date(2026, time.October, 24, 9, 0, 0, 0, now.Location())
	s := storage.Schedule{ID: "s", Cron: "0 9 * * *", Zone: "Europe/Berlin", Next: first}
	if out := x.LeftOut(s); !out.IsZero() {
		t.Errorf("%s is left out of a schedule that nobody has touched", out)
	}
	skipping, skipped, err := x.SkipNext(s)
	if err != nil || !skipped.Equal(first) || !skipping.Next.Equal(first.AddDate(0, 0, 1)) || !x.LeftOut(skipping).Equal(first) {
		t.Errorf("skipped %s, next %s (%v)", skipped, skipping.Next, err)
	}
	*now = first // the time of the fire that is left out has come
	if out := x.LeftOut(skipping); !out.IsZero() {
		t.Errorf("%s is still left out", out)
	}
	end, err := x.ReadUntil("until monday", "")
	if err != nil {
		t.Fatal(err)
	}
	resting, err := x.PauseUntil(skipping, end)
	if want := time.Date(2026, time.October, 26, 9, 0, 0, 0, now.Location()); err != nil || !resting.Next.Equal(want) {
		t.Errorf("it goes on %s (%v), want %s", resting.Next, err, want)
	}
	back, err := x.ResumeSchedule(resting)
	if err != nil || !back.Next.Equal(first.AddDate(0, 0, 1)) || !x.LeftOut(back).IsZero() {
		t.Errorf("taken back, it fires %s (%v)", back.Next, err)
	}
	s.Paused = true
	if _, _, err := x.SkipNext(s); err == nil {
		t.Error("a start of a paused schedule was left out")
	}
	if _, err := x.ReadUntil("until pigs fly", ""); err == nil {
		t.Error("that was read")
	}
}

func ExampleSchedules_ReadSchedule() {
	x := schedule.New(schedule.Config{Zone: time.UTC, Now: func() time.Time { return time.Date(2026, time.November, 25, 10, 0, 0, 0, time.UTC) }})
	t, err := x.ReadSchedule("first monday of the month", "America/New_York")
	fmt.Println(t.Words, t.Zone, t.Fires[0], err)
	_, err = x.ReadSchedule("every now and then", "")
	ue, _ := errors.AsType[*usererror.Error](err)
	fmt.Println(ue.Text)
	// Output:
	// on the 1st Monday of every month at 09:00 America/New_York 2026-12-07 14:00:00 +0000 UTC <nil>
	// I cannot read “every now and then” as a schedule.
}
