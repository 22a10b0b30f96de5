package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	dayName  = `(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|tue|wed|thu|fri|sat|sun)\b`
	dayNames = `(?:` + dayName + `)(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s+or\s+)(?:` + dayName + `))*`
	clock    = `(?:\s+at\s+(noon|midnight|[0-9]{1,2}(?:[:.][0-9]{2})?(?:\s*(?:am|pm)\b)?)(?:\s+o'clock)?)?`
)

// schedulePattern finds a time to start at in words: what repeats, then the clock.
var schedulePattern = regexp.MustCompile(`(?i)\b(?:` +
	`every\s+([0-9]{1,2})\s+(minutes?|hours?)` +
	`|(every\s+minute|every\s+hour|hourly)` +
	`|(?:(every\s+(?:working\s+day|weekday|work\s*day)|(?:on\s+)?(?:working\s+days|weekdays)|every\s+day|each\s+day|daily|every\s+month|monthly|(?:on\s+)?the\s+first\s+(?:day\s+)?of\s+(?:every|each|the)\s+month|weekly\b(?:\s+on\s+(?:` + dayName + `))?|every\s+week\b(?:\s+on\s+(?:` + dayName + `))?)` +
	`|(?:every|each|on)\s+(` + dayNames + `)` +
	`)` + clock + `)`)

var scheduleEnd = regexp.MustCompile(`^(?:\s*[,:;]\s*(?:then\s+)?|\s+then\s+|\s+|$)`)

// cutSchedule cuts a time to start at off the front of a text. when is empty if there is none.
func cutSchedule(text string) (when, rest string) {
	text = strings.TrimSpace(text)
	loc := schedulePattern.FindStringIndex(text)
	if loc == nil || loc[0] != 0 {
		return "", text
	}
	end := scheduleEnd.FindString(text[loc[1]:])
	if end == "" && loc[1] < len(text) {
		return "", text
	}
	if _, ok := cron(text[:loc[1]]); !ok {
		return "", text
	}
	return text[:loc[1]], text[loc[1]+len(end):]
}

// findSchedule cuts a time to start at out of a text, wherever it stands.
func findSchedule(text string) (when, rest string) {
	loc := schedulePattern.FindStringIndex(text)
	if loc == nil {
		return "", text
	}
	when = text[loc[0]:loc[1]]
	if _, ok := cron(when); !ok {
		return "", text
	}
	return when, strings.TrimSpace(text[:loc[0]] + " " + text[loc[1]:])
}

// cron gives the five fields of a time in words. A repetition that the clock cannot keep evenly, such as every 45 minutes, has
// none.
func cron(when string) (fields string, ok bool) {
	m := schedulePattern.FindStringSubmatch(strings.ToLower(when))
	if m == nil {
		return "", false
	}
	if m[1] != "" {
		return everyCron(m[1], m[2])
	}
	switch {
	case m[3] == "every minute":
		return "* * * * *", true
	case m[3] != "":
		return "0 * * * *", true
	}
	hour, minute, ok := timeOfDay(m[6])
	if !ok {
		return "", false
	}
	day, week := "*", "*"
	switch {
	case m[5] != "":
		week = weekdays(m[5])
	case strings.Contains(m[4], "work") || strings.Contains(m[4], "weekday"):
		week = "1-5"
	case strings.Contains(m[4], "month"):
		day = "1"
	case strings.Contains(m[4], "week"):
		if week = weekdays(m[4]); week == "" {
			week = "1"
		}
	}
	return fmt.Sprintf("%d %d %s * %s", minute, hour, day, week), true
}

func everyCron(count, unit string) (string, bool) {
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 {
		return "", false
	}
	if strings.HasPrefix(unit, "minute") {
		return fmt.Sprintf("*/%d * * * *", n), n < 60 && 60%n == 0
	}
	return fmt.Sprintf("0 */%d * * *", n), n < 24 && 24%n == 0
}

// timeOfDay reads a clock; without one it is 9 in the morning.
func timeOfDay(s string) (hour, minute int, ok bool) {
	switch s = strings.TrimSpace(s); s {
	case "":
		return 9, 0, true
	case "noon":
		return 12, 0, true
	case "midnight":
		return 0, 0, true
	}
	half := ""
	for _, h := range []string{"am", "pm"} {
		if before, ok0 := strings.CutSuffix(s, h); ok0 {
			half, s = h, strings.TrimSpace(before)
		}
	}
	hours, minutes, _ := strings.Cut(strings.Replace(s, ".", ":", 1), ":")
	hour, err := strconv.Atoi(hours)
	if err != nil {
		return 0, 0, false
	}
	if minutes != "" {
		if minute, err = strconv.Atoi(minutes); err != nil {
			return 0, 0, false
		}
	}
	if half != "" && (hour < 1 || hour > 12) {
		return 0, 0, false
	}
	if half != "" {
		hour %= 12
	}
	if half == "pm" {
		hour += 12
	}
	return hour, minute, hour < 24 && minute < 60
}

var (
	dayPattern = regexp.MustCompile(dayName)
	days       = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}
	dayWords   = []string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
)

// weekdays writes the days in a text as cron does.
func weekdays(text string) string {
	var out []string
	for _, d := range dayPattern.FindAllString(text, -1) {
		n := strconv.Itoa(slices.Index(days, d[:3]))
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return strings.Join(out, ",")
}

// cronWords says in words when a schedule starts, for the forms that cron writes; other forms are quoted as they are.
func cronWords(fields string) string {
	f := strings.Fields(fields)
	if len(f) != 5 || f[3] != "*" {
		return "on the schedule " + fields
	}
	minute, minuteErr := strconv.Atoi(f[0])
	hour, hourErr := strconv.Atoi(f[1])
	switch {
	case fields == "* * * * *":
		return "every minute"
	case strings.HasPrefix(f[0], "*/") && strings.Join(f[1:], " ") == "* * * *":
		return "every " + f[0][2:] + " minutes"
	case minuteErr == nil && minute == 0 && strings.Join(f[1:], " ") == "* * * *":
		return "every hour"
	case minuteErr == nil && minute == 0 && strings.HasPrefix(f[1], "*/") && strings.Join(f[2:], " ") == "* * *":
		return "every " + f[1][2:] + " hours"
	case minuteErr != nil || hourErr != nil:
		return "on the schedule " + fields
	}
	at := fmt.Sprintf(" at %02d:%02d", hour, minute)
	switch {
	case f[2] == "1" && f[4] == "*":
		return "on the first day of every month" + at
	case f[2] != "*":
		return "on the schedule " + fields
	case f[4] == "*":
		return "every day" + at
	case f[4] == "1-5":
		return "on weekdays" + at
	}
	var names []string
	for d := range strings.SplitSeq(f[4], ",") {
		n, err := strconv.Atoi(d)
		if err != nil || n < 0 || n > 6 {
			return "on the schedule " + fields
		}
		names = append(names, dayWords[n])
	}
	return "every " + list(names, "and") + at
}
