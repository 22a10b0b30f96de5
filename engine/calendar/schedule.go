package calendar

import (
	"errors"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

var parser = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)

// Schedule says when something fires.
type Schedule struct {
	times  cron.Schedule // on a clock that never changes
	zone   *time.Location
	hourly bool // every hour is named
}

// Parse reads a schedule of five fields, or a descriptor such as @daily or "@every 90m", that is meant in a zone. A schedule that
// begins with "TZ=Europe/Berlin " is meant in that one. narrow.go says what the fields for days may have besides.
func Parse(spec string, zone *time.Location) (*Schedule, error) {
	spec = strings.TrimSpace(spec)
	if strings.HasPrefix(spec, "TZ=") || strings.HasPrefix(spec, "CRON_TZ=") {
		if !strings.Contains(spec, " ") {
			return nil, errors.New("after the zone comes the schedule itself")
		}
	}
	spec, on, err := plain(spec)
	if err != nil {
		return nil, err
	}
	times, err := parser.Parse(spec)
	if err != nil {
		return nil, err
	}
	s := &Schedule{times: times, zone: zone}
	if on != nil {
		s.times = narrowed{times, on}
	}
	if fields, ok := times.(*cron.SpecSchedule); ok {
		if fields.Location != time.Local {
			s.zone = fields.Location
		}
		fields.Location = time.UTC
		const day = 1<<24 - 1
		s.hourly = fields.Hour&day == day
	} else {
		s.zone = time.UTC // "@every" counts the time that passes
		s.hourly = true
	}
	return s, nil
}

// plain takes what five fields cannot say out of a schedule. on is nil where there is nothing of that.
func plain(spec string) (fields string, on func(time.Time) bool, err error) {
	list := strings.Fields(spec)
	if n := len(list); n == 5 || n == 6 && strings.Contains(list[0], "=") {
		day, weekday := &list[n-3], &list[n-1]
		if *day, *weekday, on, err = narrow(*day, *weekday); on != nil {
			spec = strings.Join(list, " ")
		}
	}
	return spec, on, err
}

// changesMost bounds how many changes of the clocks are looked through; the search itself ends after five years.
const changesMost = 200

// Next gives the first fire after t, in UTC; the zero time when there is none within five years.
func (s *Schedule) Next(t time.Time) time.Time {
	t = t.In(s.zone)
	// Between two changes the clocks agree with one that never changes.
	after := onWall(t)
	if start, _ := t.ZoneBounds(); !start.IsZero() && !s.hourly {
		after = later(after, before(start))
	}
	for range changesMost {
		next := s.times.Next(after)
		if next.IsZero() {
			return next
		}
		_, change := t.ZoneBounds()
		if at := next.Add(-offset(t)); change.IsZero() || at.Before(change) {
			return at.UTC()
		}
		if !s.hourly && next.Before(onWall(change)) {
			return change.UTC() // the clocks jump over it
		}
		t, after = change, onWall(change).Add(-time.Second)
		if !s.hourly {
			after = later(after, before(change))
		}
	}
	return time.Time{}
}

// before gives what the clocks showed a second before a change would have come to an end by the old time: what comes after that has
// not been shown yet.
func before(change time.Time) time.Time {
	return onWall(change).Add(offset(change.Add(-1)) - offset(change) - time.Second)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// firesMost is how many fires are compared to find the shortest time between two: those of two days, of a schedule that fires each minute.
const firesMost = 2 * 24 * 60

// Shortest gives the shortest time between two fires, on a clock that never changes; 0 when there are not two within five years.
func (s *Schedule) Shortest() (shortest time.Duration) {
	at := s.times.Next(time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC))
	for range firesMost {
		next := s.times.Next(at)
		if at.IsZero() || next.IsZero() {
			break
		}
		if gap := next.Sub(at); shortest == 0 || gap < shortest {
			shortest = gap
		}
		at = next
	}
	return shortest
}
