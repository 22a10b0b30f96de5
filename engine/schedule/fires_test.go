package schedule

import (
	"testing"
	"time"
)

// What takes place of the fires that are due, by the catch-up rule.
func TestTurn(t *testing.T) {
	t.Parallel()
	at := func(text string) time.Time {
		if text == "" {
			return time.Time{}
		}
		v, err := time.Parse("2006-01-02T15:04:05", "2026-11-"+text)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct{ catchUp, cron, due, now, fire, next string }{
		{"skip", "*/10 * * * *", "11T12:00:00", "11T12:00:02", "11T12:00:00", "11T12:10:00"},
		{"skip", "*/10 * * * *", "11T12:00:00", "11T12:01:00", "11T12:00:00", "11T12:10:00"},
		{"skip", "*/10 * * * *", "11T12:00:00", "11T12:01:01", "", "11T12:10:00"},
		{"skip", "*/10 * * * *", "11T12:00:00", "11T15:05:00", "", "11T15:10:00"},
		{"skip", "*/10 * * * *", "11T12:00:00", "11T15:00:30", "11T15:00:00", "11T15:10:00"}, // missed ones are left out, this one is on time
		{"once", "*/10 * * * *", "11T12:00:00", "11T12:00:02", "11T12:00:00", "11T12:10:00"},
		{"once", "*/10 * * * *", "11T12:00:00", "11T15:05:00", "11T15:00:00", "11T15:10:00"},
		{"once", "0 9 * * 1", "02T09:00:00", "19T12:00:00", "16T09:00:00", "23T09:00:00"},
		{"", "*/10 * * * *", "11T12:00:00", "11T12:15:00", "11T12:10:00", "11T12:20:00"},
		{"all", "*/10 * * * *", "11T12:00:00", "11T12:15:00", "11T12:00:00", "11T12:10:00"},
		{"all", "*/10 * * * *", "11T12:00:00", "12T12:00:00", "11T12:00:00", "11T12:10:00"},
		{"all", "*/10 * * * *", "11T12:00:00", "12T12:05:00", "11T12:10:00", "11T12:20:00"}, // older than the window
		{"all", "0 9 * * 1", "02T09:00:00", "19T12:00:00", "", "23T09:00:00"},
	} {
		sched, err := ParseCron(c.cron, "")
		if err != nil {
			t.Fatal(err)
		}
		fire, next := turn(sched, c.catchUp, at(c.due), at(c.now), 24*time.Hour)
		if !fire.Equal(at(c.fire)) || !next.Equal(at(c.next)) {
			t.Errorf("%s %q, due %s, at %s: fires for %v, next %v; want %q, %s", c.catchUp, c.cron, c.due, c.now, fire, next, c.fire, c.next)
		}
	}
}
