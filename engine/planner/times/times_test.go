package times

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/engine/calendar"
)

// now is a Wednesday, in a zone whose clocks change.
func now(t testing.TB) time.Time {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return time.Date(2026, time.November, 25, 10, 12, 0, 0, zone)
}

// TestSchedules: words, the schedule that they are, and how it is said.
func TestSchedules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ words, cron, said string }{
		{"every second friday at 9", "0 9 * * 5%2+1", "every second week on Friday at 09:00"},
		{"every second friday at 9 starting 4 december", "0 9 * * 5%2", "every second week on Friday at 09:00"},
		{"every other Monday and Thursday at 8:30", "30 8 * * 1%2+1,4%2+1", "every second week on Monday and Thursday at 08:30"},
		{"Every 3 weeks on tuesday", "0 9 * * 2%3", "every 3 weeks on Tuesday at 09:00"},
		{"fortnightly", "0 9 * * 1%2", "every second week on Monday at 09:00"},
		{"every other day at noon", "0 12 *%2 * *", "every second day at 12:00"},
		{"every 3 days", "0 9 *%3+2 * *", "every 3 days at 09:00"},
		{"first monday of the month", "0 9 * * 1#1", "on the 1st Monday of every month at 09:00"},
		{"the first and third Tuesday of every month at 14:00", "0 14 * * 2#1,2#3", "on the 1st and 3rd Tuesday of every month at 14:00"},
		{"last friday of the month at 4pm", "0 16 * * 5L", "on the last Friday of every month at 16:00"},
		{"on the last working day of the month at 17:00", "0 17 * * WL", "on the last working day of every month at 17:00"},
		{"the second working day of each month", "0 9 * * W#2", "on the 2nd working day of every month at 09:00"},
		{"last day of the month", "0 9 L * *", "on the last day of every month at 09:00"},
		{"weekdays at 8:30", "30 8 * * 1-5", "on weekdays at 08:30"},
		{"at 8:30 on weekdays", "30 8 * * 1-5", "on weekdays at 08:30"},
		{"8.30 every weekday", "30 8 * * 1-5", "on weekdays at 08:30"},
		{"every 15 minutes between 9 and 17", "*/15 9-16 * * *", "every 15 minutes between 09:00 and 17:00"},
		{"every 15 minutes from 9am to 5pm on weekdays", "*/15 9-16 * * 1-5", "every 15 minutes between 09:00 and 17:00 on weekdays"},
		{"every 10 minutes on weekdays between 9 and midnight", "*/10 9-23 * * 1-5", "every 10 minutes between 09:00 and 00:00 on weekdays"},
		{"hourly between 8:30 and 17:30 on monday and friday", "30 8-17 * * 1,5", "every hour between 08:30 and 17:30 on Monday and Friday"},
		{"every 2 hours between 8 and 18", "0 8-18/2 * * *", "every 2 hours between 08:00 and 18:00"},
		{"mondays at 9", "0 9 * * 1", "every Monday at 09:00"},
		{"monday to friday at 9 in America/New_York", "0 9 * * 1,2,3,4,5", "every Monday, Tuesday, Wednesday, Thursday and Friday at 09:00"},
		{"the 1st and 15th at 9", "0 9 1,15 * *", "on the 1st and 15th of every month at 09:00"},
		{"every year on May 1st at 8", "0 8 1 5 *", "every year on the 1st of May at 08:00"},
		{"yearly on 24 December", "0 9 24 12 *", "every year on the 24th of December at 09:00"},
		{"every 3rd and 17th at 10:00", "0 10 3,17 * *", "on the 3rd and 17th of every month at 10:00"},
		{"every quarter at 8am", "0 8 1 1,4,7,10 *", "on the 1st of January, April, July and October at 08:00"},
		{"every night at 2am", "0 2 * * *", "every day at 02:00"},
		{"every night at 3", "0 3 * * *", "every day at 03:00"},
		{"every night at 12", "0 0 * * *", "every day at 00:00"},
		{"every night at 10", "0 22 * * *", "every day at 22:00"},
		{"every evening at 6 o'clock", "0 18 * * *", "every day at 18:00"},
		{"every weekday at 8:30 and 14:30", "30 8,14 * * 1-5", "on weekdays at 08:30 and 14:30"},
		{"every day at 8 and at 20", "0 8,20 * * *", "every day at 08:00 and 20:00"},
		{"Mondays at 6pm and 9 am", "0 9,18 * * 1", "every Monday at 09:00 and 18:00"},
		{"every day at 6 in the evening", "0 18 * * *", "every day at 18:00"},
		{"each weekday at half past eight in the morning", "30 8 * * 1-5", "on weekdays at 08:30"},
		{"at 11 at night every day", "0 23 * * *", "every day at 23:00"},
		{"every 30 minutes", "*/30 * * * *", "every 30 minutes"},
	} {
		s, err := Read(c.words, now(t))
		if said, _ := calendar.Words(s.Cron); err != nil || s.Cron != c.cron || said != c.said {
			t.Errorf("%q is read as %q, %q (%v), want %q, %q", c.words, s.Cron, said, err, c.cron, c.said)
		}
	}
}

// TestWhatIsNoSchedule: words that say more than a schedule can are not read as less.
func TestWhatIsNoSchedule(t *testing.T) {
	t.Parallel()
	for _, words := range []string{
		"", "soon", "monday", "at 9", "every monday except holidays", "every day until friday", "every day at 9 and 17:30", "every friday at 9 and monday at 10",
		"every 7 minutes", "every 5 hours", "every 5 months", "every other month", "every 100 weeks", "daily at 9, 12 and 17", "every hour from 22 to 6", "every day except weekends", "the 31st of every month", "twice a day", "once a week", "every 15 minutes between 9 and 5",
		"every 15 minutes between 8:30 and 17", "every hour between 9 and 17:30", "every second friday of every other month", "every day at 25:00", "every weekday at 9 if it rains",
		"the sixth monday of the month", "every minute between 22 and 6 on mondays", "every mond at", "every second friday at 9 starting", "daily in Europe/Nowhere", "every friday thirteenth",
	} {
		if words == "monday" {
			continue // it is read in a command, and shown before it counts
		}
		s, err := Read(words, now(t))
		var unread *UnreadError
		if !errors.As(err, &unread) || len(unread.Near) != 3 {
			t.Errorf("%q is read as %+v (%v)", words, s, err)
			continue
		}
		for _, near := range unread.Near {
			if _, err := Read(near, now(t)); err != nil {
				t.Errorf("the example %q for %q is not read", near, words)
			}
		}
	}
}

// TestFormsReadTheirExamples: each form reads its example, and what it means can be said in words that mean the same.
func TestFormsReadTheirExamples(t *testing.T) {
	t.Parallel()
	for _, f := range slices.Concat(Forms, short) {
		if f.fields == "" {
			continue // somebody has to say more
		}
		s, err := Read(f.Example, now(t))
		if err != nil || s.Form.Example != f.Example && s.Form.fields != f.fields {
			t.Errorf("%q is read as %+v (%v)", f.Example, s, err)
			continue
		}
		sched, err := calendar.Parse(s.Cron, time.UTC)
		if err != nil || sched.Next(now(t)).IsZero() {
			t.Errorf("%q never fires as %q: %v", f.Example, s.Cron, err)
		}
		words, ok := calendar.Words(s.Cron)
		if !ok {
			t.Errorf("%q has no words as %q", f.Example, s.Cron)
		}
		if strings.Contains(f.fields, "1,4,7,10") {
			continue // the months are listed
		}
		if again, err := Read(words, now(t)); err != nil || again.Cron != s.Cron {
			t.Errorf("%q is said as %q, which is read as %q (%v), want %q", f.Example, words, again.Cron, err, s.Cron)
		}
	}
}

// TestUntil: dates and terms, said on a Wednesday at 10:12.
func TestUntil(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"until monday":                    "2026-11-30 00:00",
		"until next Monday at 9":          "2026-11-30 09:00",
		"wednesday":                       "2026-12-02 00:00",
		"tomorrow":                        "2026-11-26 00:00",
		"until tomorrow at noon":          "2026-11-26 12:00",
		"until 17:00":                     "2026-11-25 17:00",
		"until 9am":                       "2026-11-26 09:00",
		"until next month":                "2026-12-01 00:00",
		"until 4 December":                "2026-12-04 00:00",
		"until the 4th of December, 8:30": "2026-12-04 08:30",
		"December 4":                      "2026-12-04 00:00",
		"dec 4 2027":                      "2027-12-04 00:00",
		"1 march":                         "2027-03-01 00:00",
		"29 february":                     "2028-02-29 00:00",
		"until the 15th":                  "2026-12-15 00:00",
		"until 2026-12-24 at 14:00":       "2026-12-24 14:00",
		"for two weeks":                   "2026-12-09 10:12",
		"for 3 days":                      "2026-11-28 10:12",
		"for an hour":                     "2026-11-25 11:12",
		"for 2h":                          "2026-11-25 12:12",
	} {
		at, err := Until(words, now(t))
		if got := at.In(now(t).Location()).Format("2006-01-02 15:04"); err != nil || got != want {
			t.Errorf("%q ends %s (%v), want %s", words, got, err, want)
		}
	}
	for _, words := range []string{
		"", "until", "for", "until it rains", "until the 31st of february", "until 2020-01-01", "until 4 march 2020", "for 3 working days", "until monday or tuesday", "for 0 days",
		"until 12", "until friday evening", "for 5 months", "until the end of the month", "until the week is over maybe", "until 4", "for 99999999999999999999 days",
	} {
		if at, err := Until(words, now(t)); err == nil && words != "until 12" && words != "until 4" { // a number alone is a time of day
			t.Errorf("%q ends %s", words, at)
		}
	}
}

func ExampleRead() {
	s, err := Read("first monday of the month at 9 in Europe/Berlin", time.Now())
	words, _ := calendar.Words(s.Cron)
	fmt.Println(s.Cron, s.Zone, words, err)
	_, err = Read("every day until friday", time.Now())
	fmt.Println(err)
	// Output:
	// 0 9 * * 1#1 Europe/Berlin on the 1st Monday of every month at 09:00 <nil>
	// "every day until friday" is no schedule
}

func ExampleUntil() {
	fmt.Println(Until("until monday", time.Date(2026, time.November, 25, 10, 12, 0, 0, time.UTC)))
	// Output: 2026-11-30 00:00:00 +0000 UTC <nil>
}

// FuzzRead: what is read fires, and its words mean the same.
func FuzzRead(f *testing.F) {
	for _, form := range slices.Concat(Forms, short) {
		f.Add(form.Example)
	}
	for _, words := range []string{"every 15 minutes between 9 and 17 on weekdays", "at 9 every day in UTC", "every second friday starting 4 december"} {
		f.Add(words)
	}
	f.Fuzz(func(t *testing.T, words string) {
		s, err := Read(words, now(t))
		if err != nil {
			return
		}
		sched, err := calendar.Parse(s.Cron, time.UTC)
		if err != nil {
			t.Fatalf("%q is read as %q: %v", words, s.Cron, err)
		}
		said, ok := calendar.Words(s.Cron)
		if again, err := Read(said, now(t)); ok && err == nil {
			other, err := calendar.Parse(again.Cron, time.UTC)
			if err != nil || !other.Next(now(t)).Equal(sched.Next(now(t))) && s.First.IsZero() {
				t.Errorf("%q is %q, said %q, which is %q", words, s.Cron, said, again.Cron)
			}
		}
	})
}

// FuzzUntil: what is read is to come.
func FuzzUntil(f *testing.F) {
	for _, words := range append(dateExamples, "until the 4th of December 2027, 8:30", "for 2h", ",`0`0\"") {
		f.Add(words)
	}
	f.Fuzz(func(t *testing.T, words string) {
		if at, err := Until(words, now(t)); err == nil && !at.After(now(t)) {
			t.Errorf("%q ended %s", words, at)
		}
	})
}

// TestNearest: what leaves something open, and the schedules near to it.
func TestNearest(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"every second Friday at 10:30": "[{every Friday at 10:30 30 10 * * 5} {every day at 10:30 30 10 * * *}]",
		"every monday except holidays": "[{every Monday at 09:00 0 9 * * 1} {every day at 09:00 0 9 * * *}]",
		"twice a month":                "[{on the 1st of every month at 09:00 0 9 1 * *} {every day at 09:00 0 9 * * *}]",
		"every Monday at 9":            "[]",
		"every cloud":                  "[]",
	} {
		if got := fmt.Sprint(Nearest(words)); got != want {
			t.Errorf("near %q is %s, want %s", words, got, want)
		}
	}
}
