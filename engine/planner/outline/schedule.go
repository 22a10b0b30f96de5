package outline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

// schedules are the forms of times at which runs start. Day and Week are the fields of cron; "{days}", "{nth}" and "{n}" are filled in.
var schedules = timetable([]timed{
	{Form: Form{"When it starts", "every {n} minutes", "every 15 minutes", "a time that comes again within the hour"}, cron: "*/N * * * *"},
	{Form: Form{"When it starts", "every {n} hours", "every 2 hours", "a time that comes again within the day"}, cron: "0 */N * * *"},
	{Form: Form{"When it starts", "every_minute", "every minute", "each minute"}, cron: "* * * * *"},
	{Form: Form{"When it starts", "every_hour|hourly|each_hour|once_an_hour", "hourly", "each full hour"}, cron: "0 * * * *"},
	{Form: Form{"When it starts", "every_quarter|quarterly|each_quarter", "every quarter at 8am", "on the first day of January, April, July and October"}, cron: "M H 1 1,4,7,10 *"},
	{Form: Form{"When it starts", "[on] the|every {nth} [day] of every_month|each_month|the_month|a_month", "the 15th of every month", "on that day of every month"}, cron: "M H D * *"},
	{Form: Form{"When it starts", "on [the] {nth} [.] [day] of every_month|each_month|the_month|a_month", "on 15. of every month", "on that day of every month"}, cron: "M H D * *"},
	{Form: Form{"When it starts", "every_month|monthly|each_month|once_a_month on [the|day] {nth} [day]", "every month on the 15th at 10:00", "on that day of every month"}, cron: "M H D * *"},
	{Form: Form{"When it starts", "every_month|monthly|each_month|once_a_month", "monthly", "on the first day of every month"}, cron: "M H 1 * *"},
	{Form: Form{"When it starts", "every_week|weekly|each_week|once_a_week on {days}", "weekly on Friday at 16:00", "on that day of every week"}, cron: "M H * * W"},
	{Form: Form{"When it starts", "every_week|weekly|each_week|once_a_week", "weekly", "every Monday"}, cron: "M H * * 1"},
	{Form: Form{"When it starts", "[on] every_weekday|every_working_day|every_workday|each_weekday|each_working_day|every_business_day|weekdays|working_days|on_weekdays [morning]", "every weekday at 9", "from Monday to Friday"}, cron: "M H * * 1-5"},
	{Form: Form{"When it starts", "every_day|each_day|daily|once_a_day|every_morning|each_morning", "every day at 8:30", "each day; without a time at 9:00"}, cron: "M H * * *"},
	{Form: Form{"When it starts", "every|each {days} [morning]", "every Monday and Thursday at 17:30", "on those days of every week"}, cron: "M H * * W"},
	{Form: Form{"When it starts", "[on] {days} mornings|morning|afternoons|evenings", "Monday mornings at 9", "on those days of every week"}, cron: "M H * * W"},
	{Form: Form{"When it starts", "on {plural} [morning]", "on Fridays at noon", "on those days of every week"}, cron: "M H * * W"},
})

// timed is a form of schedules.
type timed struct {
	Form
	cron    string
	pattern []phrase.Part
}

func timetable(list []timed) []timed {
	for i := range list {
		list[i].pattern = phrase.Compile(list[i].Pattern)
	}
	return list
}

// against are words that change a schedule in a way that cron cannot say.
var against = phrase.Set(`except but until till unless not without starting beginning from between that of before after or and other excluding during if for`)

// uncertain are times that cron cannot say: the draft asks, and offers the nearest ones that it can.
var uncertain = patterns(
	"[on] the|every|each {nth} {days} of|in the|every|each|a month [morning]",
	"[on] [the|every|each] last [working|business|week] day|weekday of|in the|every|each|a month",
	"[on] the|every|each last {days} of|in the|every|each|a month",
	"[on] the|every|each {nth} working_day|business_day|workday|weekday of|in the|every|each|a month",
	"[on] every|each other|second|third|2nd|3rd {days}",
	"every|each other|second|2nd day|week|month",
	"every {n} days|weeks|months",
	"once|twice|three_times every|a|per|each day|week|month",
	"biweekly|bi-weekly|fortnightly|every_fortnight",
)

func patterns(list ...string) (out [][]phrase.Part) {
	for _, p := range list {
		out = append(out, phrase.Compile(p))
	}
	return out
}

// unsure reads a time that cron cannot say, with a time of day behind it.
func (r source) unsure(toks []phrase.Token) (g tree.Trigger, n int) {
	for _, p := range uncertain {
		m, ok := phrase.Fit(p, toks)
		if !ok {
			continue
		}
		n = m.End
		if _, _, c := phrase.ReadClock(toks[n:]); c > 0 {
			n += c
		} else if phrase.Begins(toks[n:], "at") {
			if _, _, c = phrase.ReadClock(toks[n+1:]); c > 0 {
				n += 1 + c
			}
		}
		return tree.Trigger{Words: r.words(toks[:n]), At: r.quotes(toks[:n])}, n
	}
	return g, 0
}

// Nearest gives the times nearest to one that cron cannot say, with words for each: "every Monday at 09:00"; none for other words.
func Nearest(words string) (out []tree.Trigger) {
	toks := phrase.Scan(words, 0, len(words))
	r := source{src: words}
	if _, n := r.unsure(toks); n == 0 {
		return nil
	}
	at, day, last, weeks := "", "", false, false
	for i, t := range toks {
		if h, m, n := phrase.ReadClock(toks[i:]); n > 0 && i > 0 && (toks[i-1].Low == "at" || i == len(toks)-n && t.Low != "1" && phrase.NthOf(t) == 0) {
			at = " at " + clock(h, m)
		}
		if d := phrase.DayOf(t.Low); d >= 0 {
			day = strings.ToUpper(phrase.DayNames[d][:1]) + phrase.DayNames[d][1:]
		}
		last, weeks = last || t.Low == "last", weeks || strings.HasPrefix(t.Low, "week") || strings.HasSuffix(t.Low, "weekly")
	}
	near := []string{"every day" + at}
	switch {
	case day != "":
		near = append(near, "every "+day+at)
	case weeks:
		near = append(near, "every Monday"+at)
	}
	if slices.ContainsFunc(toks, func(t phrase.Token) bool { return strings.HasPrefix(t.Low, "month") }) {
		nth := "1st"
		if last {
			nth = "28th"
		}
		near = append(near, "the "+nth+" of every month"+at)
	}
	slices.Reverse(near)
	for _, w := range near {
		r.src = w
		if g, n := r.schedule(phrase.Scan(w, 0, len(w))); n > 0 {
			out = append(out, g)
		}
	}
	return out
}

// schedule reads a time at the beginning of toks; n 0 = there is none, or one that cron cannot say.
func (r source) schedule(toks []phrase.Token) (g tree.Trigger, n int) {
	if g, n = r.unsure(toks); n > 0 {
		return g, n
	}
	at := 0
	hour, minute, timed := 9, 0, 0
	if phrase.Begins(toks, "at") { // "at 8am every day"
		if hour, minute, timed = phrase.ReadClock(toks[1:]); timed > 0 {
			at = 1 + timed
			if phrase.Begins(toks[at:], ",") {
				at++
			}
		}
	}
	for i := range schedules {
		s := &schedules[i]
		m, ok := phrase.Fit(s.pattern, toks[at:])
		if !ok {
			continue
		}
		n = at + m.End
		clocked := strings.Contains(s.cron, "H")
		if clocked && timed == 0 {
			skip := 0
			if phrase.Begins(toks[n:], "at") || phrase.Begins(toks[n:], "@") || phrase.Begins(toks[n:], ",", "at") || phrase.Begins(toks[n:], "around") {
				skip = 1 + strings.Count(toks[n].Low, ",")
			}
			if h, min, size := phrase.ReadClock(toks[n+skip:]); size > 0 && (skip > 0 || toks[n].Low != "") {
				hour, minute, n = h, min, n+skip+size
			} else if skip > 0 {
				return g, 0
			}
		}
		zone, size := readZone(toks[n:])
		n += size
		if n < len(toks) && (against[toks[n].Low] || toks[n].Low == "at" || toks[n].Low == "in") {
			return tree.Trigger{}, 0
		}
		cron, ok := fillCron(s.cron, hour, minute, m)
		if !ok {
			return tree.Trigger{}, 0
		}
		r.note(&s.Form)
		return tree.Trigger{Words: r.words(toks[:n]), Cron: cron, Zone: zone, At: r.quotes(toks[:n])}, n
	}
	return g, 0
}

// fillCron writes the five fields.
func fillCron(fields string, hour, minute int, m *phrase.Match) (string, bool) {
	if strings.Contains(fields, "N") {
		most := 60
		if strings.HasPrefix(fields, "0") {
			most = 24
		}
		return strings.Replace(fields, "N", strconv.Itoa(m.Count), 1), m.Count > 0 && m.Count < most && most%m.Count == 0
	}
	days := m.Slots["days"]
	if days == nil {
		days = m.Slots["plural"]
	}
	day := 0
	if nth := m.Slots["nth"]; nth != nil {
		day = phrase.NthOf(nth[0])
	}
	if day > 28 { // a month may end before
		return "", false
	}
	return strings.NewReplacer("M", strconv.Itoa(minute), "H", strconv.Itoa(hour), "D", strconv.Itoa(day), "W", weekdays(days)).Replace(fields), true
}

// weekdays writes days as cron does.
func weekdays(toks []phrase.Token) string {
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
	return strings.Join(out, ",")
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

// clock writes a time of day.
func clock(hour, minute int) string { return fmt.Sprintf("%02d:%02d", hour, minute) }

// scheduleAt finds a schedule at the end of toks.
func (r source) scheduleAt(toks []phrase.Token) (tree.Trigger, int) {
	end := len(phrase.Trim(toks))
	const longest = 14 // words of a schedule
	for i := max(1, end-longest); i < end; i++ {
		if closers[toks[i].Low] && !restricts[toks[i-1].Low] {
			if g, n := r.schedule(toks[i:end]); n > 0 && i+n == end {
				return g, i
			}
		}
	}
	return tree.Trigger{}, 0
}

// closers begin a schedule at the end of a sentence.
var closers = phrase.Set(`every each daily weekly monthly hourly on at`)

// restricts are words before a time that limit or exclude it, so that it is no schedule.
var restricts = phrase.Set(`not never except but unless only excluding without than`)
