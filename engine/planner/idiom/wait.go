package idiom

import (
	"fmt"
	"regexp"
	"strings"
)

// units are the units of time: by the letter of terms, as a duration of the flow format writes one of them, and as expressions name one of them.
var units = []struct{ letter, duration, name string }{
	{"s", "1s", "second"}, {"m", "1m", "minute"}, {"h", "1h", "hour"}, {"d", "1d", "day"}, {"w", "7d", "week"},
}

// nameOf gives the name of the unit that terms write as a letter.
func nameOf(letter string) string {
	for _, u := range units {
		if u.letter == letter {
			return u.name
		}
	}
	return ""
}

var afterForm = regexp.MustCompile(`^\{\{later\(now\(\), (` + pathForm + `), '(\w+)'\)\}\}$`)

// After is the time that is so many units from now as the value of a path says, and the name of the unit; "" when the duration is no unit.
func After(path, unit string) (until, name string) {
	for _, u := range units {
		if u.duration == unit {
			return "{{later(now(), " + path + ", '" + u.name + "s')}}", u.name + "s"
		}
	}
	return "", ""
}

// ReadAfter reads a time that After wrote: the path, the unit as a duration, and the name of the unit; false = it is another one.
func ReadAfter(until string) (path, unit, name string, ok bool) {
	m := afterForm.FindStringSubmatch(until)
	if m == nil {
		return "", "", "", false
	}
	for _, u := range units {
		if u.name+"s" == m[2] {
			return m[1], u.duration, m[2], true
		}
	}
	return "", "", "", false
}

// Moment is a time that is counted from a date which a path of expressions gives.
type Moment struct {
	Path  string
	Side  string // before, after, on
	Term  string // how long before or after the date: "3d"
	Clock string // "09:00"; "" = at the hour that the date has, if any
}

var (
	termForm   = regexp.MustCompile(`^(\d+)([smhdw])$`)
	shiftForm  = regexp.MustCompile(`^(later|earlier)\((` + pathForm + `), (\d+), '(\w)\w*'\)$`)
	momentForm = regexp.MustCompile(`^\{\{date\((.+), 'date'\)\}\}T(\d\d:\d\d)$`)
)

// Until writes the time as a wait takes it; "" when the term is none.
func (m Moment) Until() string {
	at := m.Path
	if m.Term != "" {
		t := termForm.FindStringSubmatch(m.Term)
		if t == nil {
			return ""
		}
		at = fmt.Sprintf("%s(%s, %s, '%ss')", map[string]string{"before": "earlier", "after": "later"}[m.Side], m.Path, t[1], nameOf(t[2]))
	}
	if m.Clock == "" {
		return "{{" + at + "}}"
	}
	return "{{date(" + at + ", 'date')}}T" + m.Clock
}

// Words say the time, of a date in words.
func (m Moment) Words(date string) string {
	if t := termForm.FindStringSubmatch(m.Term); t != nil {
		s := map[bool]string{true: "s"}[t[1] != "1"]
		date = t[1] + " " + nameOf(t[2]) + s + " " + m.Side + " " + date
	}
	if m.Clock != "" {
		date += " at " + m.Clock
	}
	return date
}

// ReadMoment reads a time that Until wrote; false = it is another one.
func ReadMoment(until string) (m Moment, ok bool) {
	inner := strings.TrimSuffix(strings.TrimPrefix(until, "{{"), "}}")
	if t := momentForm.FindStringSubmatch(until); t != nil {
		inner, m.Clock = t[1], t[2]
	}
	m.Path, m.Side = inner, "on"
	if t := shiftForm.FindStringSubmatch(inner); t != nil {
		m.Side, m.Path, m.Term = map[string]string{"earlier": "before", "later": "after"}[t[1]], t[2], t[3]+t[4]
	}
	return m, PathOnly.MatchString(m.Path) && m.Until() == until
}
