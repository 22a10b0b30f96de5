package times

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/engine/planner/phrase"
)

// Schedule is what words say about when something starts.
type Schedule struct {
	Cron  string    // as engine/calendar reads it; "" = the words are a time, and leave it open or cannot be said
	Zone  string    // IANA; "" = the words name none
	First time.Time // nothing starts before it; zero = the words do not say
	Form  *Form     // what was read
}

// UnreadError says that words are no schedule.
type UnreadError struct {
	Words string
	Near  []string // schedules that can be read and have words in common
}

// Error is for the log.
func (e *UnreadError) Error() string { return strconv.Quote(e.Words) + " is no schedule" }

// Read reads words that are a schedule as a whole, such as "every second Friday at 9". now is when they were said; a schedule that
// counts weeks or days begins with the next day that fits, in the zone that the words name, else in that of now. The error is an *UnreadError.
func Read(words string, now time.Time) (Schedule, error) {
	toks := phrase.Trim(phrase.Scan(words, 0, len(words)))
	r := reader{whole: true, now: now}
	s, n := r.read(toks)
	if n == 0 || n < len(toks) || s.Cron == "" {
		return Schedule{}, &UnreadError{Words: words, Near: near(words)}
	}
	return s, nil
}

// At reads a schedule at the beginning of toks; n 0 = there is none. A schedule that needs somebody to say more has no Cron.
func At(toks []phrase.Token) (s Schedule, n int) { return reader{}.read(toks) }

// reader reads one schedule.
type reader struct {
	whole bool      // the words are a schedule and nothing else
	now   time.Time // when a schedule begins that is read as a whole
}

// unsure takes a time that leaves something open, with a time of day behind it.
func (r reader) unsure(toks []phrase.Token) (n int) {
	take := func(pattern []phrase.Part) bool {
		m, ok := phrase.Fit(pattern, toks)
		if !ok {
			return false
		}
		n = m.End + clockBehind(toks[m.End:])
		return true
	}
	if take(open) || r.whole {
		return n
	}
	fits := slices.IndexFunc(Forms, func(f Form) bool { m, ok := phrase.Fit(f.pattern, toks); return ok && m.End > 0 })
	if fits >= 0 && Forms[fits].Counts {
		take(Forms[fits].pattern)
	}
	return n
}

// clockBehind is how many tokens a time of day has behind a time that leaves something open.
func clockBehind(toks []phrase.Token) int {
	at := 0
	if phrase.Begins(toks, "at") {
		at = 1
	}
	if _, _, n := phrase.ReadClock(toks[at:]); n > 0 {
		return at + n
	}
	return 0
}

func (r reader) read(toks []phrase.Token) (s Schedule, n int) {
	if n = r.unsure(toks); n > 0 {
		return s, n
	}
	lead, at := r.leadingClock(toks)
	lists := [][]Form{Forms}
	if r.whole {
		lists = append(lists, short)
	}
	for _, list := range lists {
		for i := range list {
			m, ok := phrase.Fit(list[i].pattern, toks[at:])
			if !ok || m.End == 0 || list[i].Counts && !r.whole {
				continue
			}
			p := parts{form: &list[i], match: m, clock: lead}
			if n = at + m.End; !r.rest(&p, toks, &n) {
				if m, ok := phrase.Fit(exceptHolidays, toks[n:]); ok && !r.whole { // whose holidays? That is asked
					n += m.End
					return s, n + clockBehind(toks[n:])
				}
				return s, 0
			}
			if s, ok = p.schedule(r.now); !ok {
				return s, 0
			}
			return s, n
		}
	}
	return s, 0
}

// clock is a time of day, or several with the same minute.
type clock struct {
	minute int
	hours  []int
	half   bool // "am" or "pm" stands behind it
}

// leadingClock reads a time of day before a schedule: "at 8am every day".
func (r reader) leadingClock(toks []phrase.Token) (c clock, n int) {
	if phrase.Begins(toks, "at") {
		n = 1
	} else if !r.whole {
		return c, 0
	}
	c, size := r.clocks(toks[n:])
	if n += size; size == 0 {
		return c, 0
	}
	if phrase.Begins(toks[n:], ",") {
		n++
	}
	return c, n
}

// clocks reads a time of day. Where nothing else can follow it may be a list: "9, 12 and 17".
func (r reader) clocks(toks []phrase.Token) (c clock, n int) {
	hour, minute, n := phrase.ReadClock(toks)
	if n == 0 {
		return c, 0
	}
	c = clock{minute, []int{hour}, strings.HasSuffix(toks[n-1].Low, "am") || strings.HasSuffix(toks[n-1].Low, "pm")}
	for at := n; r.whole && at < len(toks) && (toks[at].Low == "," || toks[at].Low == "and" || toks[at].Low == "&"); {
		if at++; phrase.Begins(toks[at:], "and") || phrase.Begins(toks[at:], "at") {
			at++
		}
		hour, minute, size := phrase.ReadClock(toks[min(at, len(toks)):])
		if size == 0 || minute != c.minute {
			break
		}
		c.hours = append(c.hours, hour)
		at += size
		n = at
	}
	return c, n
}

// parts are what a form and the words behind it say.
type parts struct {
	form   *Form
	match  *phrase.Match
	clock  clock
	window []int          // hours and minutes of the beginning and the end
	but    []string       // weekdays that are left out
	days   string         // weekdays behind a form that comes several times a day
	some   []phrase.Token // likewise, as words
	zone   string
	first  time.Time
}

// rest reads what may stand behind a form. false: the words say something else.
func (r reader) rest(p *parts, toks []phrase.Token, n *int) bool {
	clocked := strings.Contains(p.form.fields, "h")
	for {
		at := *n
		switch {
		case clocked && len(p.clock.hours) == 0 && r.clock(p, toks, n):
		case !clocked && p.window == nil && p.between(toks, n):
		case !clocked && p.days == "" && p.weekdays(toks, n):
		case p.but == nil && p.except(toks, n):
		case p.zone == "" && p.inZone(toks, n):
		case r.whole && p.first.IsZero() && p.starting(toks, n, r.now):
		}
		if *n == at {
			break
		}
	}
	return *n >= len(toks) || !against[toks[*n].Low] && toks[*n].Low != "at" && toks[*n].Low != "in"
}

func (r reader) clock(p *parts, toks []phrase.Token, n *int) bool {
	skip := 0
	if rest := toks[*n:]; phrase.Begins(rest, ",", "at") {
		skip = 2
	} else if phrase.Begins(rest, "at") || phrase.Begins(rest, "@") || phrase.Begins(rest, "around") {
		skip = 1
	}
	c, size := r.clocks(toks[*n+skip:])
	if size == 0 {
		return false
	}
	p.clock, *n = c, *n+skip+size
	return true
}

// between reads "between 9 and 17".
func (p *parts) between(toks []phrase.Token, n *int) bool {
	rest := toks[*n:]
	if !phrase.Begins(rest, "between") && !phrase.Begins(rest, "from") {
		return false
	}
	h, m, size := phrase.ReadClock(rest[1:])
	at := 1 + size
	if size == 0 || at >= len(rest) || !links[rest[at].Low] {
		return false
	}
	h2, m2, last := phrase.ReadClock(rest[at+1:])
	if last == 0 {
		return false
	}
	p.window, *n = []int{h, m, h2, m2}, *n+at+1+last
	return true
}

var links = phrase.Set(`and to until till - – through`)

// weekdays reads "on weekdays" and "from Monday to Friday".
func (p *parts) weekdays(toks []phrase.Token, n *int) bool {
	for i := range days {
		if m, ok := phrase.Fit(days[i].pattern, toks[*n:]); ok && m.End > 0 {
			p.days, p.some, *n = days[i].fields, m.Slots["days"], *n+m.End
			return true
		}
	}
	return false
}

// except reads "except weekends" and "except on Fridays".
func (p *parts) except(toks []phrase.Token, n *int) bool {
	_, open := phrase.Fit(exceptHolidays, toks[*n:])
	for i := 0; i < len(exceptDays) && !open; i++ {
		if m, ok := phrase.Fit(exceptDays[i], toks[*n:]); ok {
			if p.but = dayNumbers(m.Slots["days"]); p.but == nil {
				p.but = []string{"0", "6"}
			}
			*n += m.End
			return true
		}
	}
	return false
}

func (p *parts) inZone(toks []phrase.Token, n *int) bool {
	zone, size := readZone(toks[*n:])
	p.zone, *n = zone, *n+size
	return size > 0
}

// starting reads "starting next week".
func (p *parts) starting(toks []phrase.Token, n *int, now time.Time) bool {
	rest := toks[*n:]
	if !phrase.Begins(rest, "starting") && !phrase.Begins(rest, "beginning") && !phrase.Begins(rest, "from") {
		return false
	}
	first, size := readDate(rest[1:], p.zoned(now))
	if size == 0 {
		return false
	}
	p.first, *n = first, *n+1+size
	return true
}

// zoned is a time in the zone that the words name.
func (p *parts) zoned(now time.Time) time.Time {
	if zone, err := time.LoadLocation(p.zone); err == nil && p.zone != "" {
		return now.In(zone)
	}
	return now
}
