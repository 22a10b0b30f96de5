package times

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	// bareHour finds an hour that can be in the morning or in the afternoon: "every Friday at 4".
	bareHour = regexp.MustCompile(`(?i)(?:\b(?:at|until|till?)|@|^) ?(?:(?:half|quarter) past )?(?:[1-7]|one|two|three|four|five|six|seven)(?::[0-5]\d)?(?: o['’]clock)?\s*(?:[,.;!?]|on\b|every\b|$)`)
	// partOfDay finds words that say which half of the day an hour is in.
	partOfDay = regexp.MustCompile(`(?i)\b(?:mornings?|nights?|evenings?|afternoons?|early)\b`)
)

// UnclearHour reports whether words name an hour without the half of the day.
func UnclearHour(words string) bool {
	return bareHour.MatchString(words) && !partOfDay.MatchString(words)
}

// HourOf gives the one time of day of a schedule; hour -1: it has none, or several.
func HourOf(cron string) (hour, minute int) {
	fields := strings.Fields(cron)
	if len(fields) < 2 {
		return -1, 0
	}
	minute, badMinute := strconv.Atoi(fields[0])
	hour, badHour := strconv.Atoi(fields[1])
	if badMinute != nil || badHour != nil {
		return -1, 0
	}
	return hour, minute
}
