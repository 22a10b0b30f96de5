package value

import "time"

// timeLayouts are the layouts of times that parseTime accepts.
var timeLayouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateTime, "2006-01-02 15:04", time.DateOnly,
}

// parseTime reads a time from a text. A time without a zone is in the given zone.
func parseTime(text string, zone *time.Location) (time.Time, bool) {
	for _, layout := range timeLayouts {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// Numbers from earliestSeconds on are read as seconds since 1970, from earliestMillis on as milliseconds. Smaller ones are
// counts, not times.
const (
	earliestSeconds = 1e8
	earliestMillis  = 1e11
	latestMillis    = 1e15
)

// ToTime reads a time, a text that holds one, or a number of seconds or milliseconds since 1970, in the given zone.
func ToTime(v any, zone *time.Location) (time.Time, bool) {
	if t, ok := v.(time.Time); ok {
		return t.In(zone), true
	}
	if text, ok := v.(string); ok {
		if t, ok := parseTime(text, zone); ok {
			return t.In(zone), true
		}
	}
	n, ok := ToNumber(v)
	switch {
	case !ok || n.f < earliestSeconds || n.f > latestMillis:
		return time.Time{}, false
	case n.f >= earliestMillis:
		return time.UnixMilli(int64(n.f)).In(zone), true
	}
	return time.Unix(int64(n.f), 0).In(zone), true
}
