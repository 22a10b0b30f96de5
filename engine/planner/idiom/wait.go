package idiom

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// spans are units of time as a duration of the flow format writes one of them, and as expressions name them.
var spans = [][2]string{{"1s", "seconds"}, {"1m", "minutes"}, {"1h", "hours"}, {"1d", "days"}, {"7d", "weeks"}}

var afterForm = regexp.MustCompile(`^\{\{later\(now\(\), (` + pathForm + `), '(\w+)'\)\}\}$`)

// After is the time that is so many units from now as the value of a path says, and the name of the unit; "" when the duration is no unit.
func After(path, unit string) (until, name string) {
	i := slices.IndexFunc(spans, func(s [2]string) bool { return s[0] == unit })
	if i < 0 {
		return "", ""
	}
	return "{{later(now(), " + path + ", '" + spans[i][1] + "')}}", spans[i][1]
}

// ReadAfter reads a time that After wrote: the path, the unit as a duration, and the name of the unit; false = it is another one.
func ReadAfter(until string) (path, unit, name string, ok bool) {
	m := afterForm.FindStringSubmatch(until)
	if m == nil {
		return "", "", "", false
	}
	i := slices.IndexFunc(spans, func(s [2]string) bool { return s[1] == m[2] })
	if i < 0 {
		return "", "", "", false
	}
	return m[1], spans[i][0], m[2], true
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

// units are how expressions name the units of terms.
var units = map[string]string{"s": "second", "m": "minute", "h": "hour", "d": "day", "w": "week"}

// Until writes the time as a wait takes it; "" when the term is none.
func (m Moment) Until() string {
	at := m.Path
	if m.Term != "" {
		t := termForm.FindStringSubmatch(m.Term)
		if t == nil {
			return ""
		}
		at = fmt.Sprintf("%s(%s, %s, '%ss')", map[string]string{"before": "earlier", "after": "later"}[m.Side], m.Path, t[1], units[t[2]])
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
		date = t[1] + " " + units[t[2]] + s + " " + m.Side + " " + date
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
