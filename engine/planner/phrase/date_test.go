package phrase_test

import (
	"fmt"
	"testing"
	"time"

	"sluice/engine/planner/phrase"
)

func berlin(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones: ", err)
	}
	return zone
}

// TestDates reads days on a Wednesday. "" = it is no day, or not a single one.
func TestDates(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 25, 10, 0, 0, 0, berlin(t))
	for text, want := range map[string]string{
		"2026-12-01": "2026-12-01", "1.12.2026": "2026-12-01", "01.12.": "2026-12-01", "2026/12/1": "2026-12-01",
		"25/12/2026": "2026-12-25", "12/25/2026": "2026-12-25", "3/4/2026": "", "5/5/2026": "2026-05-05",
		"2026-02-30": "", "31.2.2026": "", "2026-13-01": "",
		"1 December": "2026-12-01", "1st of December 2027": "2027-12-01", "Dec 1, 2026": "2026-12-01", "the 1st of Dec": "2026-12-01",
		"24 November": "2027-11-24", "25 November": "2026-11-25", "29 February": "2028-02-29", "30 February": "", "Sept. 3": "2027-09-03",
		"today": "2026-11-25", "tomorrow": "2026-11-26", "yesterday": "2026-11-24", "the day after tomorrow": "2026-11-27",
		"Wednesday": "2026-12-02", "Friday": "2026-11-27", "on Fri.": "2026-11-27", "this Friday": "2026-11-27", "next Friday": "2026-12-04",
		"next Monday": "2026-11-30", "Monday": "2026-11-30", "next Sunday": "2026-12-06", "Friday next week": "2026-12-04",
		"Monday, 7 December": "2026-12-07", "Tuesday, 7 December": "", "Tuesday, 1.12.2026": "2026-12-01",
		"in 3 days": "2026-11-28", "two weeks from now": "2026-12-09", "a week from today": "2026-12-02", "in a month": "2026-12-25",
		"3 days ago": "2026-11-22", "in a year": "2027-11-25", "3 days": "", "next week": "2026-11-30", "next month": "2026-12-01",
		"the end of the month": "2026-11-30", "the 15th": "2026-12-15", "the 31st": "2026-12-31", "soon": "", "": "", "10": "", "1.5": "", "in 3 apples": "",
	} {
		toks := scan(text)
		day, n := phrase.ReadDate(toks, now)
		got := day.Format(time.DateOnly)
		if n == 0 {
			got = ""
		}
		if got != want || n > 0 && n != len(toks) {
			t.Errorf("%q is read as %q in %d of %d words, want %q", text, got, n, len(toks), want)
		}
	}
	if day, _ := phrase.ReadDate(scan("in a month"), time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)); day.Format(time.DateOnly) != "2026-02-28" {
		t.Errorf("a month after 31 January is %v", day)
	}
}

func TestMoments(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 25, 10, 0, 0, 0, berlin(t))
	for text, want := range map[string]string{
		"tomorrow at 9": "2026-11-26T09:00", "9am tomorrow": "2026-11-26T09:00", "2026-12-01 09:30": "2026-12-01T09:30", "2026-12-01T09:30": "2026-12-01T09:30",
		"14:30": "2026-11-25T14:30", "9:30": "2026-11-26T09:30", "Friday, 2:30 pm": "2026-11-27T14:30", "noon": "2026-11-25T12:00",
		"1 December": "2026-12-01T00:00", "in 2 days at 17h": "2026-11-27T17:00", "soon": "", "25:00": "",
		"2027-03-28 02:30": "2027-03-28T03:00", // the clocks jump over it
	} {
		toks := scan(text)
		at, n := phrase.ReadMoment(toks, now)
		got := at.Format("2006-01-02T15:04")
		if n == 0 {
			got = ""
		}
		if got != want || n > 0 && n != len(toks) {
			t.Errorf("%q is read as %q in %d of %d words, want %q", text, got, n, len(toks), want)
		}
	}
}

func ExampleReadDate() {
	now := time.Date(2026, 11, 25, 10, 0, 0, 0, time.UTC)
	day, n := phrase.ReadDate(scan("next Monday at the latest"), now)
	fmt.Println(day.Format(time.DateOnly), n)
	// Output: 2026-11-30 2
}

// FuzzReadMoment: whatever is written, a reader takes no more words than there are, and days of one text are whole days.
func FuzzReadMoment(f *testing.F) {
	for _, s := range []string{"next Monday at 9", "2026-12-01T09:00", "1.12.", "Dec. 3, 2026", "in a month", "t:t", "31 Feb", "the on", ","} {
		f.Add(s)
	}
	now := time.Date(2026, 11, 25, 10, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		toks := scan(text)
		day, n := phrase.ReadDate(toks, now)
		if n > len(toks) || n > 0 && !day.Equal(day.Truncate(24*time.Hour)) {
			t.Errorf("%q is read as %v in %d of %d words", text, day, n, len(toks))
		}
		if _, n := phrase.ReadMoment(toks, now); n > len(toks) {
			t.Errorf("%q takes %d of %d words", text, n, len(toks))
		}
	})
}
