package expr

import (
	"strconv"
	"strings"
	"time"
)

// dateWords are the formats that the filter date knows by a word.
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

// dateLetters translates a format in letters, as in YYYY-MM-DD HH:mm, into Go's. The longer letters
// come first, as strings.Replacer tries them in order.
var dateLetters = strings.NewReplacer(
	"YYYY", "2006", "YY", "06",
	"MMMM", "January", "MMM", "Jan", "MM", "01",
	"DDDD", "Monday", "DDD", "Mon", "DD", "02",
	"HH", "15", "mm", "04", "ss", "05",
)

// timeLayouts are the ways in which a text may hold a time.
var timeLayouts = []string{
	time.RFC3339Nano,
	"2006-01-02T15:04:05",
	"2006-01-02T15:04",
	time.DateTime,
	"2006-01-02 15:04",
	time.DateOnly,
}

// parseTime reads a time out of a text; one without a zone is in the given zone.
func parseTime(text string, zone *time.Location) (time.Time, bool) {
	for _, layout := range timeLayouts {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// Numbers from earliestSeconds on are read as seconds since 1970, from earliestMillis on as
// milliseconds. Smaller ones are counts, not times.
const (
	earliestSeconds = 1e8
	earliestMillis  = 1e11
)

func toTime(v any, zone *time.Location) (time.Time, bool) {
	if t, ok := v.(time.Time); ok {
		return t.In(zone), true
	}
	if text, ok := v.(string); ok {
		if t, ok := parseTime(text, zone); ok {
			return t.In(zone), true
		}
	}
	n, ok := toNumber(v)
	switch {
	case !ok || n.f < earliestSeconds || n.f > 1e15:
		return time.Time{}, false
	case n.f >= earliestMillis:
		return time.UnixMilli(int64(n.f)).In(zone), true
	}
	return time.Unix(int64(n.f), 0).In(zone), true
}

// formatDate shows a time in a format: one of dateWords, "unix", letters as in YYYY-MM-DD, or a
// layout of Go. What is no time stays as it is.
func formatDate(v any, format string, zone *time.Location) any {
	t, ok := toTime(v, zone)
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
