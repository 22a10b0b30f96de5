package phrase_test

import (
	"testing"

	"sluice/engine/planner/phrase"
)

// TestDue reads until when something is to be done, and nothing that may be two times.
func TestDue(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"5pm": "17:00", "noon": "12:00", "17:30": "17:30", "10 am": "10:00", "Friday": "friday 17:00", "Friday at noon": "friday 12:00", "Monday 10am": "monday 10:00",
		"tomorrow": "tomorrow 17:00", "tomorrow 9:15": "tomorrow 09:15", "the next day": "tomorrow 17:00", "the end of the day": "17:00", "eod": "17:00",
		"end of the next day": "tomorrow 17:00", "5": "", "20 May": "", "the release": "", "tomorrow at 5": "", "Friday morning": "friday 09:00",
		"4 in the afternoon": "16:00", "Friday at 8 in the morning": "friday 08:00", "tomorrow evening at 8": "tomorrow 20:00", "8 tomorrow morning": "tomorrow 08:00",
		"half past four in the afternoon": "16:30", "2 at night": "02:00", "11 at night": "23:00",
	} {
		toks := phrase.Scan(words, 0, len(words))
		if at, n := phrase.Due(toks); at != want || want != "" && n != len(toks) {
			t.Errorf("%q is %q, and has %d tokens", words, at, n)
		}
	}
}
