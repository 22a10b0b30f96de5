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
