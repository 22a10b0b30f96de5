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
	cycleMost     = 52 // weeks or days
	dayMost       = 28 // a month may end before the others
	nthMost       = 5  // of a weekday in a month
)

// fields writes the fields, those of a cycle moved by some days or weeks. false: they cannot say it.
func (p *parts) fields(by int) (cron string, ok bool) {
	f := strings.Fields(p.form.fields)
	if len(f) == 0 {
		return "", false
	}
	n := p.count()
	switch {
	case !strings.Contains(p.form.fields, "n"):
		ok = true
	case strings.Contains(f[0], "n"):
		ok = n > 0 && n < minutesOfHour && minutesOfHour%n == 0
	case strings.Contains(f[1], "n"):
		ok = n > 0 && n < hoursOfDay && hoursOfDay%n == 0
	default:
		ok = n > 1 && n <= cycleMost
	}
	nths := p.nths()
	if !ok || p.window != nil && !p.within(f) || f[2] == "d" && slices.ContainsFunc(nths, func(d int) bool { return d > dayMost }) {
		return "", false
	}
	f[2] = strings.Replace(f[2], "d", numbers(nths), 1)
	if date := p.match.Slots["date"]; len(date) > 0 {
		if !slices.ContainsFunc(date, func(t phrase.Token) bool { return strings.ContainsAny(t.Low, "0123456789") }) {
			return "", false // "every year on Monday"
		}
		day, _ := phrase.ReadDate(date, time.Now())
		f[2], f[3] = strconv.Itoa(day.Day()), strconv.Itoa(int(day.Month()))
	}
	if p.days != "" {
		f[4] = p.days
	}
	if f[4], ok = p.weekday(f[4], nths); !ok {
		return "", false
	}
	f[0] = strings.Replace(f[0], "m", strconv.Itoa(p.clock.minute), 1)
	hours := []int{p.hour(p.clock)}
	for _, c := range p.more {
		hours = append(hours, p.hour(c))
	}
	slices.Sort(hours)
	f[1] = strings.Replace(f[1], "h", numbers(slices.Compact(hours)), 1)
	moved := ""
	if by > 0 {
		moved = "+" + strconv.Itoa(by)
	}
	for _, i := range []int{2, 4} {
		f[i] = strings.ReplaceAll(f[i], "%n", fmt.Sprintf("%%%d%s", n, moved))
	}
	return strings.ReplaceAll(strings.Join(f, " "), "n", strconv.Itoa(n)), true
}

// hour is the hour at which something starts. A part of the day says which half of it is meant: "every evening at 6".
func (p *parts) hour(c clock) int {
	switch part := p.dayPart(); {
	case !c.said:
		return part
	case c.half:
		return c.hour
	default:
		return phrase.InPart(c.hour, part)
	}
}

// dayPart is the hour at which something starts whose words give none.
func (p *parts) dayPart() int {
	for _, words := range p.match.Words {
		for _, t := range words {
			if h := phrase.DayParts[strings.TrimSuffix(t.Low, "s")]; h > 0 {
				return h
			}
		}
	}
	return phrase.DayParts["morning"]
}

// nths are the numbers of days, in order.
func (p *parts) nths() (out []int) {
	for _, t := range p.match.Slots["nths"] {
		if n := phrase.NthOf(t); n > 0 {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// numbers writes a list for a field.
func numbers(list []int) string {
	var out []string
	for _, n := range list {
		out = append(out, strconv.Itoa(n))
	}
	return strings.Join(out, ",")
}

// weekday fills the field for weekdays: each of the days, with each of the numbers where they are asked for.
func (p *parts) weekday(field string, nths []int) (string, bool) {
	list := []string{field}
	expand := func(letter string, with []int) {
		var out []string
		for _, f := range list {
			for _, v := range with {
				out = append(out, strings.Replace(f, letter, strconv.Itoa(v), 1))
			}
		}
		list = out
	}
	if strings.Contains(field, "w") {
		expand("w", dayNumbers(slices.Concat(p.match.Slots["days"], p.match.Slots["plural"], p.some)))
	}
	if strings.Contains(field, "d") {
		if slices.ContainsFunc(nths, func(n int) bool { return n > nthMost && field[0] != 'W' }) {
			return "", false
		}
		expand("d", nths)
	}
	return strings.Join(list, ","), len(list) > 0
}

// dayNumbers are weekdays as cron counts them.
func dayNumbers(toks []phrase.Token) (out []int) {
	last, through := -1, false
	for _, t := range toks {
		d := phrase.DayOf(t.Low)
		if d < 0 {
			through = through || t.Is("to", "-", "through")
			continue
		}
		for through && last >= 0 && last%7 != d {
			last++
			out = append(out, last%7)
		}
		out = append(out, d)
		last, through = d, false
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// within puts the hours of a window into the fields.
func (p *parts) within(f []string) bool {
	hour, minute, hour2, minute2 := p.window[0], p.window[1], p.window[2], p.window[3]
	step := ""
	switch often := f[0] != "0"; {
	case often && (minute > 0 || minute2 > 0), minute != minute2:
		return false
	case often:
		hour2 = (hour2 + hoursOfDay - 1) % hoursOfDay
	default:
		f[0] = strconv.Itoa(minute)
		step = strings.TrimPrefix(f[1], "*")
	}
	f[1] = fmt.Sprintf("%d-%d%s", hour, hour2, step)
	return hour <= hour2 // neither past midnight, nor "between 9 and 5", which does not say which half of the day is meant
}
