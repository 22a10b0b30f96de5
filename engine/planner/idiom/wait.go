package idiom

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"sluice/engine/calendar"
	"sluice/engine/planner/english"
)

// units are the units of time: how a duration of the flow format writes one of them, and how expressions name it. A term has the first letter of
// the name.
var units = []struct{ duration, name string }{{"1s", "second"}, {"1m", "minute"}, {"1h", "hour"}, {"1d", "day"}, {"7d", "week"}}

// unitOf gives the name of the unit that has this duration, or whose name begins with this letter; "" = there is none.
func unitOf(wanted string) string {
	for _, u := range units {
		if u.duration == wanted || u.name[:1] == wanted {
			return u.name
		}
	}
	return ""
}

// Moment is a time that is counted from a date which a path of expressions gives, or from now.
type Moment struct {
	Path  string
	Side  string // before, after, on: of the date; "" = the path gives a number, and the time is so many Terms from now
	Term  string // how long before or after the date, "3d"; from now a unit, "1d" or "7d"
	Clock string // "09:00"; "" = at the hour that the date has, if any
	Zone  string // of Clock; "" = that of the installation
}

var (
	termForm   = regexp.MustCompile(`^(\d+)([smhdw])$`)
	shiftForm  = regexp.MustCompile(`^(later|earlier)\((` + pathForm + `), (\d+), '(\w)\w*'\)$`)
	nowForm    = regexp.MustCompile(`^later\(now\(\), (` + pathForm + `), '(\w+)s'\)$`)
	momentForm = regexp.MustCompile(`^\{\{date\((.+), 'date'\)\}\}T(\d\d:\d\d)(?: (\S+))?$`)
)

// Until writes the time as a wait takes it; "" when the term is none.
func (m Moment) Until() string {
	at, t := m.Path, termForm.FindStringSubmatch(m.Term)
	switch {
	case m.Side == "" && unitOf(m.Term) == "", m.Side != "" && m.Term != "" && t == nil:
		return ""
	case m.Side == "":
		return fmt.Sprintf("{{later(now(), %s, '%ss')}}", m.Path, unitOf(m.Term))
	case m.Term != "":
		at = fmt.Sprintf("%s(%s, %s, '%ss')", map[string]string{"before": "earlier", "after": "later"}[m.Side], m.Path, t[1], unitOf(t[2]))
	}
	if m.Clock == "" {
		return "{{" + at + "}}"
	}
	return strings.TrimSpace("{{date(" + at + ", 'date')}}T" + m.Clock + " " + m.Zone)
}

// Words say the time, of the date or the number in words.
func (m Moment) Words(value string) string {
	if m.Side == "" {
		return value + " " + unitOf(m.Term) + "s"
	}
	if t := termForm.FindStringSubmatch(m.Term); t != nil {
		s := map[bool]string{true: "s"}[t[1] != "1"]
		value = t[1] + " " + unitOf(t[2]) + s + " " + m.Side + " " + value
	}
	if m.Clock != "" {
		value += " at " + m.Clock
	}
	if m.Clock != "" && m.Zone != "" {
		value += " (" + m.Zone + ")"
	}
	return value
}

// ReadMoment reads a time that Until wrote; false = it is another one.
func ReadMoment(until string) (m Moment, ok bool) {
	inner := strings.TrimSuffix(strings.TrimPrefix(until, "{{"), "}}")
	if t := momentForm.FindStringSubmatch(until); t != nil {
		inner, m.Clock, m.Zone = t[1], t[2], t[3]
	}
	m.Path, m.Side = inner, "on"
	if t := shiftForm.FindStringSubmatch(inner); t != nil {
		m.Side, m.Path, m.Term = map[string]string{"earlier": "before", "later": "after"}[t[1]], t[2], t[3]+t[4]
	}
	if t := nowForm.FindStringSubmatch(inner); t != nil {
		m.Side, m.Path = "", t[1]
		for _, u := range units {
			if u.name == t[2] {
				m.Term = u.duration
			}
		}
	}
	return m, PathOnly.MatchString(m.Path) && m.Until() == until
}

// Time writes a time until which a run waits as people do: "Friday 09:00" for "friday 09:00", with its zone in brackets.
func Time(until string) string {
	if at, zone := calendar.CutZone(until); zone != "" {
		return Time(at) + " (" + zone + ")"
	}
	if _, err := time.Parse("Monday 15:04", until); err == nil {
		return english.SentenceCase(until)
	}
	return strings.Replace(until, "T", " ", 1)
}
