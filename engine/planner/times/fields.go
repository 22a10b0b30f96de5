package times

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/engine/calendar"
	"sluice/engine/planner/phrase"
)

// schedule writes what was read. false: there is no such schedule.
func (p *parts) schedule(now time.Time) (s Schedule, ok bool) {
	s = Schedule{Zone: p.zone, First: p.first, Form: p.form}
	if !p.form.Counts {
		s.Cron, ok = p.fields(0)
		return s, ok
	}
	if now = p.zoned(now); p.first.After(now) {
		now = p.first.Add(-time.Second)
	}
	var first time.Time
	for by := range p.count() {
		cron, ok := p.fields(by)
		if !ok {
			return s, false
		}
		c, err := calendar.Parse(cron, now.Location())
		if err != nil {
			return s, false
		}
		if next := c.Next(now); !next.IsZero() && (first.IsZero() || next.Before(first)) {
			s.Cron, first = cron, next
		}
	}
	return s, s.Cron != ""
}

// count is the number that the form repeats by.
func (p *parts) count() int {
	if p.match.Count > 0 {
		return p.match.Count
	}
	return p.form.count
}

// Bounds of numbers.
const (
	minutesOfHour = 60
	hoursOfDay    = 24
	monthsOfYear  = 12
	cycleMost     = 52 // weeks or days
	firstOfDay    = 6  // hours before it belong to the night
	dayMost       = 28 // a month may end before the others
)

// fields writes the fields, those of a cycle moved by some days, weeks or months. false: they cannot say it.
func (p *parts) fields(by int) (cron string, ok bool) {
	f := strings.Fields(p.form.fields)
	n := p.count()
	switch {
	case !strings.Contains(p.form.fields, "n"):
	case strings.Contains(f[0], "n"):
		ok = n > 0 && n < minutesOfHour && minutesOfHour%n == 0
	case strings.Contains(f[1], "n"):
		ok = n > 0 && n < hoursOfDay && hoursOfDay%n == 0
	case strings.Contains(f[3], "n"):
		ok = n > 1 && n < monthsOfYear && monthsOfYear%n == 0
	default:
		ok = n > 1 && n <= cycleMost
	}
	if strings.Contains(p.form.fields, "n") && !ok || p.window != nil && !p.within(f) {
		return "", false
	}
	nths := p.nths()
	if f[2] == "d" && slices.ContainsFunc(nths, func(d int) bool { return d > dayMost }) {
		return "", false
	}
	f[2] = strings.Replace(f[2], "d", numbers(nths), 1)
	f[3] = strings.Replace(f[3], "b", map[bool]string{true: "*", false: strconv.Itoa(by+1) + "-12"}[by == 0], 1)
	if p.days != "" {
		f[4] = p.days
	}
	if f[4], ok = p.weekday(f[4], nths); !ok {
		return "", false
	}
	if p.but != nil {
		if f[4] = without(f[4], p.but); f[4] == "" || f[2] != "*" {
			return "", false
		}
	}
	minute, hours := p.clock.minute, p.clock.hours
	part := p.dayPart()
	for i, h := range hours {
		switch night := part == dayParts["night"]; {
		case p.clock.half, night && h < firstOfDay: // "every night at 2"
		case night && h == 12:
			hours[i] = 0
		case h > 0 && h < 12 && part > 12: // "every evening at 6"
			hours[i] += 12
		}
	}
	if len(hours) == 0 {
		hours = []int{part}
	}
	f[0] = strings.Replace(f[0], "m", strconv.Itoa(minute), 1)
	f[1] = strings.Replace(f[1], "h", numbers(hours), 1)
	moved := ""
	if by > 0 {
		moved = "+" + strconv.Itoa(by)
	}
	for _, i := range []int{2, 4} {
		f[i] = strings.ReplaceAll(f[i], "%n", fmt.Sprintf("%%%d%s", n, moved))
	}
	return strings.ReplaceAll(strings.Join(f, " "), "n", strconv.Itoa(n)), true
}

// nths are the numbers of days, in order.
func (p *parts) nths() (out []int) {
	for _, t := range p.match.Slots["nths"] {
		if n := phrase.NthOf(t); n > 0 && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// numbers writes a list for a field.
func numbers(list []int) string {
	var out []string
	for _, n := range slices.Sorted(slices.Values(list)) {
		if s := strconv.Itoa(n); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return strings.Join(out, ",")
}

// weekday fills the field for weekdays: each of the days, with each of the numbers where they are asked for.
func (p *parts) weekday(field string, nths []int) (string, bool) {
	toks := p.match.Slots["days"]
	if toks == nil {
		toks = p.match.Slots["plural"]
	}
	if toks == nil {
		toks = p.some
	}
	list := []string{field}
	expand := func(letter string, with []string) {
		var out []string
		for _, f := range list {
			for _, v := range with {
				out = append(out, strings.Replace(f, letter, v, 1))
			}
		}
		list = out
	}
	if strings.Contains(field, "w") {
		expand("w", dayNumbers(toks))
	}
	if strings.Contains(field, "d") {
		if most := 5; slices.ContainsFunc(nths, func(n int) bool { return n > most && field[0] != 'W' }) || len(nths) == 0 {
			return "", false
		}
		expand("d", strings.Split(numbers(nths), ","))
	}
	return strings.Join(list, ","), len(list) > 0
}

// without leaves weekdays out of a field; "" = none is left, or the field has more than weekdays.
func without(field string, days []string) string {
	all := strings.Split(strings.NewReplacer("*", "0,1,2,3,4,5,6", "1-5", "1,2,3,4,5").Replace(field), ",")
	if slices.ContainsFunc(all, func(d string) bool { return len(d) != 1 }) {
		return ""
	}
	left := strings.Join(slices.DeleteFunc(all, func(d string) bool { return slices.Contains(days, d) }), ",")
	if left == "1,2,3,4,5" {
		return "1-5"
	}
	return left
}

// dayNumbers writes weekdays as cron does.
func dayNumbers(toks []phrase.Token) []string {
	var out []string
	add := func(d int) {
		if s := strconv.Itoa(d % 7); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	last, through := -1, false
	for _, t := range toks {
		d := phrase.DayOf(t.Low)
		if d < 0 {
			through = through || t.Low == "to" || t.Low == "-" || t.Low == "through"
			continue
		}
		for through && last >= 0 && last%7 != d {
			last++
			add(last)
		}
		add(d)
		last, through = d, false
	}
	slices.Sort(out)
	return out
}

// within puts the hours of a window into the fields.
func (p *parts) within(f []string) bool {
	hour, minute, hour2, minute2 := p.window[0], p.window[1], p.window[2], p.window[3]
	const afternoon = 12
	if hour2 > 0 && hour2 <= hour && hour <= afternoon { // "between 9 and 5" does not say which half of the day is meant
		return false
	}
	step, often := "", f[0] != "0"
	switch {
	case often && (minute > 0 || minute2 > 0):
		return false
	case often:
		if hour2--; hour2 < 0 {
			hour2 += hoursOfDay
		}
	case minute != minute2:
		return false
	default:
		f[0] = strconv.Itoa(minute)
		step = strings.TrimPrefix(f[1], "*")
	}
	f[1] = fmt.Sprintf("%d-%d%s", hour, hour2, step)
	if hour2 < hour { // past midnight
		if step != "" || p.days != "" {
			return false
		}
		f[1] = fmt.Sprintf("%d-23,0-%d", hour, hour2)
	}
	return true
}

// readZone reads a zone behind a time: "Europe/Berlin", "in UTC", "(America/New_York)".
func readZone(toks []phrase.Token) (zone string, n int) {
	open := 0
	if len(toks) > 0 && (toks[0].Low == "(" || toks[0].Low == "in") {
		open = 1
	}
	end := open
	for end < len(toks) && (end == open || toks[end].Glued) && (toks[end].Kind == phrase.Word || toks[end].Low == "/") {
		zone += toks[end].Text
		end++
	}
	if end == open || zone != "UTC" && !strings.Contains(zone, "/") {
		return "", 0
	}
	if _, err := time.LoadLocation(zone); err != nil {
		return "", 0
	}
	if end < len(toks) && toks[end].Low == ")" && open > 0 {
		end++
	}
	return zone, end
}

// dayParts are the hours that words for a part of the day mean without a time.
var dayParts = map[string]int{"afternoon": 14, "evening": 18, "night": 22}

// dayPart is the hour at which something starts whose words give none.
func (p *parts) dayPart() int {
	for _, words := range p.match.Words {
		for _, t := range words {
			if h := dayParts[strings.TrimSuffix(t.Low, "s")]; h > 0 {
				return h
			}
		}
	}
	return 9
}
