package readback

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"sluice/engine/calendar"
	"sluice/engine/flow"
	"sluice/engine/planner/english"
)

func triggerWords(t flow.Trigger) string {
	switch {
	case t.Message != nil:
		return messageWords(*t.Message)
	case t.Schedule == nil:
		return t.Sentence()
	}
	words, ok := calendar.Words(t.Schedule.Cron)
	if !ok {
		words = "on the schedule " + t.Schedule.Cron
	}
	if zone := t.Schedule.Timezone; zone != "" {
		words += " (" + zone + ")"
	}
	return "It starts by itself " + words + "."
}

// messageWords describes the messages that start a flow, and the inputs that they give.
func messageWords(t flow.MessageTrigger) string {
	re, err := regexp.Compile(t.Match)
	if slices.Contains(anyMessage, t.Match) || err != nil {
		return "Every message in " + t.Channel + " starts it."
	}
	given := ""
	if names := slices.DeleteFunc(re.SubexpNames(), func(name string) bool { return name == "" }); len(names) > 0 {
		given = ", and gives " + strings.ReplaceAll(english.Join(names, "and"), "_", " ")
	}
	return "A message in " + t.Channel + " " + patternWords(t.Match) + " starts it" + given + "."
}

// anyMessage are patterns that each message fits.
var anyMessage = []string{"", `\S`, ".", ".+", ".*"}

var (
	slotWritten = regexp.MustCompile(`\(\?P?<([A-Za-z_][A-Za-z0-9_]*)>(?:[^()\\]|\\.|\([^()]*\))*\)`)
	oneOf       = regexp.MustCompile(`(?:[^|\\]|\\.)+`)
	escapedSign = regexp.MustCompile(`\\([^A-Za-z0-9])`)
	patternSign = regexp.MustCompile(`\\[A-Za-z]|[\[\]()*+?{}|^$]`)
)

// patternWords says which messages a pattern takes: its words when it has nothing else than words and values, else the pattern.
func patternWords(match string) string {
	words := strings.TrimPrefix(match, "(?i)")
	words = strings.NewReplacer(`\s+`, " ", `\b`, "", `(?:^|[^\pL\pN])`, "", `(?:[^\pL\pN]|$)`, "").Replace(words)
	words = slotWritten.ReplaceAllString(words, "<$1>")
	texts := []string{words}
	if inner, ok := strings.CutPrefix(words, "(?:"); ok && strings.HasSuffix(inner, ")") { // one of several texts
		texts = oneOf.FindAllString(strings.TrimSuffix(inner, ")"), -1)
	}
	for i, text := range texts {
		if patternSign.MatchString(escapedSign.ReplaceAllString(text, "")) {
			return "that fits " + english.Quoted(match)
		}
		texts[i] = english.Quoted(escapedSign.ReplaceAllString(text, "$1"))
	}
	return "that says " + english.Join(texts, "or")
}

// Duration is a duration in words: 2 days.
func Duration(d flow.Duration) string {
	units := []struct {
		name string
		unit time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}, {"second", time.Second}}
	for _, u := range units {
		if n := d.Clock / u.unit; d.WorkingDays == 0 && n > 0 && d.Clock%u.unit == 0 {
			return strings.TrimSuffix(fmt.Sprintf("%d %ss", n, u.name), map[bool]string{true: "s"}[n == 1])
		}
	}
	return d.String()
}
