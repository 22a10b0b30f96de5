package function

import (
	"strconv"
	"strings"
	"time"

	"sluice/engine/expr/value"
)

// now is the time recorded in the run, or nil when there is none.
func now(c *Call) any {
	if c.Now.IsZero() {
		return nil
	}
	return c.Now
}

// units are the spans of time that later and earlier count.
var units = map[string]time.Duration{"second": time.Second, "minute": time.Minute, "hour": time.Hour, "day": day, "week": 7 * day}

const (
	day     = 24 * time.Hour
	longest = 100 * 366 * 24 // hours in a hundred years, which bound the time between
)

// later is a time so many units after another, earlier one before it.
func later(c *Call) any   { return shifted(c, 1) }
func earlier(c *Call) any { return shifted(c, -1) }

// shifted is the time of a call, moved by its number of units. Whole days keep the time of day, also where the clocks are changed between.
func shifted(c *Call, direction float64) any {
	t, ok := value.ToTime(c.any(0), c.Now.Location())
	number, unit := c.number(1).Float(), units[strings.TrimSuffix(c.text(2), "s")]
	switch hours := number * unit.Hours(); {
	case c.err != nil:
		return nil
	case !ok:
		return c.fail(BadArgument, "%s is no time", brief(c.any(0)))
	case unit == 0:
		return c.fail(BadArgument, "%s is none of seconds, minutes, hours, days and weeks", brief(c.any(2)))
	case hours < 0 || hours > longest:
		return c.fail(BadArgument, "%s %s is less than nothing or more than a hundred years", brief(c.any(1)), brief(c.any(2)))
	}
	rest := direction * number * float64(unit)
	if unit < day {
		return t.Add(time.Duration(rest))
	}
	days := int(rest / float64(day))
	return t.AddDate(0, 0, days).Add(time.Duration(rest - float64(days)*float64(day)))
}

// dateWords are the named formats of date.
var dateWords = map[string]string{
	"date":     time.DateOnly,
	"time":     "15:04",
	"datetime": "2006-01-02 15:04",
	"short":    "2 Jan 2006",
	"long":     "Monday, 2 January 2006",
	"weekday":  "Monday",
	"month":    "January",
	"year":     "2006",
	"iso":      time.RFC3339,
}

// dateLetters translates a format in letters, as in YYYY-MM-DD HH:mm, into Go's. The longer letters come first, as
// strings.Replacer tries them in order.
var dateLetters = strings.NewReplacer(
	"YYYY", "2006", "YY", "06",
	"MMMM", "January", "MMM", "Jan", "MM", "01",
	"DDDD", "Monday", "DDD", "Mon", "DD", "02",
	"HH", "15", "mm", "04", "ss", "05",
)

// date shows a time in a format: one of dateWords, "unix", letters as in YYYY-MM-DD, or a layout of Go. A value that is no time
// is returned as it is.
func date(c *Call) any {
	format := c.textOr(1, "date")
	v := c.any(0)
	t, ok := value.ToTime(v, c.Now.Location())
	if !ok {
		return v
	}
	if format == "unix" {
		return strconv.FormatInt(t.Unix(), 10)
	}
	if layout, ok := dateWords[format]; ok {
		return t.Format(layout)
	}
	if strings.Contains(format, "YY") || strings.Contains(format, "DD") || strings.Contains(format, "HH") {
		format = dateLetters.Replace(format)
	}
	return t.Format(format)
}
