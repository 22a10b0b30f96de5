package flow

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Duration is a length of time as written in a file: clock time ("90s", "2h", "90d") or working days.
// Exactly one part is set; the zero value means none.
type Duration struct {
	Clock       time.Duration
	WorkingDays int // by the installation's calendar
}

// IsZero reports whether no duration was given.
func (d Duration) IsZero() bool { return d == Duration{} }

// errDuration is returned for text that is no duration.
var errDuration = errors.New(`not a duration: write for example "30s", "15m", "2h", "90d" or "2 working days"`)

// durationUnits from long to short, as String writes them. Weeks are read but never written.
var durationUnits = []struct {
	name string
	unit time.Duration
}{
	{"d", 24 * time.Hour},
	{"h", time.Hour},
	{"m", time.Minute},
	{"s", time.Second},
	{"ms", time.Millisecond},
	{"us", time.Microsecond},
	{"ns", time.Nanosecond},
}

// ParseDuration reads "90s", "1h30m", "90d", "2w" or "2 working days". A negative duration is an error.
func ParseDuration(s string) (Duration, error) {
	s = strings.TrimSpace(s)
	if words := strings.Fields(s); len(words) == 3 && words[1] == "working" && (words[2] == "day" || words[2] == "days") {
		n, err := strconv.Atoi(words[0])
		if err != nil || n < 1 || n > 10_000 {
			return Duration{}, errDuration
		}
		return Duration{WorkingDays: n}, nil
	}
	var total time.Duration
	rest := s
	for rest != "" {
		part, after, err := durationPart(rest)
		if err != nil {
			return Duration{}, err
		}
		if total > math.MaxInt64-part {
			return Duration{}, fmt.Errorf("%q is too long: %w", s, errDuration)
		}
		total += part
		rest = strings.TrimLeft(after, " ")
	}
	if s == "" {
		return Duration{}, errDuration
	}
	return Duration{Clock: total}, nil
}

// durationPart reads one number with its unit.
func durationPart(s string) (time.Duration, string, error) {
	digits := strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if digits <= 0 {
		return 0, "", errDuration
	}
	amount, err := strconv.ParseFloat(s[:digits], 64)
	if err != nil {
		return 0, "", errDuration
	}
	rest := strings.TrimLeft(s[digits:], " ")
	letters := strings.IndexFunc(rest, func(r rune) bool { return (r < 'a' || r > 'z') && r != 'µ' })
	if letters < 0 {
		letters = len(rest)
	}
	unit, ok := unitOf(rest[:letters])
	if !ok || amount*float64(unit) >= math.MaxInt64 {
		return 0, "", errDuration
	}
	return time.Duration(math.Round(amount * float64(unit))), rest[letters:], nil
}

func unitOf(name string) (time.Duration, bool) {
	switch name {
	case "w":
		return 7 * 24 * time.Hour, true
	case "µs":
		return time.Microsecond, true
	}
	for _, u := range durationUnits {
		if u.name == name {
			return u.unit, true
		}
	}
	return 0, false
}

// Seconds makes a duration of a number of seconds.
func Seconds(s float64) (Duration, error) {
	if s < 0 || s*float64(time.Second) >= math.MaxInt64 {
		return Duration{}, errDuration
	}
	return Duration{Clock: time.Duration(math.Round(s * float64(time.Second)))}, nil
}

// String writes the duration as ParseDuration reads it, in the longest units that fit: "1d12h", "2 working days", "0s".
func (d Duration) String() string {
	switch {
	case d.WorkingDays == 1:
		return "1 working day"
	case d.WorkingDays > 1:
		return strconv.Itoa(d.WorkingDays) + " working days"
	case d.Clock <= 0:
		return "0s"
	}
	var b strings.Builder
	rest := d.Clock
	for _, u := range durationUnits {
		if n := rest / u.unit; n > 0 {
			b.WriteString(strconv.FormatInt(int64(n), 10) + u.name)
			rest -= n * u.unit
		}
	}
	return b.String()
}

// MarshalText writes the duration as in a file.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a duration as in a file.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := ParseDuration(string(text))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}

// Longer reports whether the duration is longer than another one of the same sort. Clock time and working days cannot be compared without a calendar.
func (d Duration) Longer(than Duration) bool {
	if than.IsZero() {
		return false
	}
	if d.WorkingDays > 0 && than.WorkingDays > 0 {
		return d.WorkingDays > than.WorkingDays
	}
	return than.WorkingDays == 0 && d.WorkingDays == 0 && d.Clock > than.Clock
}
