package calendar

import "time"

// At gives the instant at which the clocks of a zone show what wall shows, whatever wall's own zone is. Of a time that comes twice it
// is the first; a missing time stands for the moment at which the clocks jump over it.
func At(wall time.Time, zone *time.Location) time.Time {
	wall = onWall(wall)
	t := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), wall.Nanosecond(), zone)
	from, to := t.ZoneBounds()
	switch shown := onWall(t); {
	case shown.After(wall):
		return from
	case shown.Before(wall):
		return to
	}
	if from.IsZero() {
		return t
	}
	if earlier := wall.Add(-offset(from.Add(-1))); earlier.Before(from) {
		return earlier.In(zone)
	}
	return t
}

// onWall gives what the clocks of a time's zone show, as a time in UTC: on that clock nothing is ever missing or doubled.
func onWall(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// offset is by how much the clocks of a time's zone are ahead of UTC.
func offset(t time.Time) time.Duration {
	_, seconds := t.Zone()
	return time.Duration(seconds) * time.Second
}
