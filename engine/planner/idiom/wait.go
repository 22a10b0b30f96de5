package idiom

import (
	"regexp"
	"slices"
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
