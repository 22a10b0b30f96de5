package times

import (
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
	Form  *Form     // what was read; nil = somebody has to say more
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

func (r reader) read(toks []phrase.Token) (s Schedule, n int) {
	lead, at := r.leadingClock(toks)
	p := parts{clock: lead}
	if !p.fit(Forms, toks[at:]) && !(r.whole && p.fit(short, toks[at:])) {
		return s, 0
	}
	n = at + p.match.End
	said := r.rest(&p, toks, &n)
	for _, e := range excepts {
		if m, ok := phrase.Fit(e, toks[n:]); ok && !said && !r.whole {
			n += m.End
			p.clocked(toks, &n)
			return s, n
		}
	}
	switch {
	case !said:
		return s, 0
	case p.form.Counts && !r.whole:
		return s, n
	}
	if s, said = p.schedule(r.now); !said {
		return Schedule{}, 0
	}
	return s, n
}

// parts are what a form and the words behind it say.
type parts struct {
	form   *Form
	match  *phrase.Match
	clock  clock
	more   []clock        // further hours of the same days
	window []int          // hours and minutes of the beginning and the end
	days   string         // weekdays behind a form that comes several times a day
	some   []phrase.Token // likewise, as words
	zone   string
	first  time.Time
}

// fit finds the first form that fits.
func (p *parts) fit(list []Form, toks []phrase.Token) bool {
	for i := range list {
		if m, ok := phrase.Fit(list[i].Pattern, toks); ok && m.End > 0 {
			p.form, p.match = &list[i], m
			return true
		}
	}
	return false
}

// clock is a time of day.
type clock struct {
	hour, minute int
	said         bool
	half         bool // what stands behind it tells the morning from the afternoon
}

// readClock reads a time of day at the beginning of toks.
func readClock(toks []phrase.Token) (c clock, n int) {
	hour, minute, n := phrase.ReadClock(toks)
	if n == 0 {
		return c, 0
	}
	last := toks[n-1].Low
	return clock{hour, minute, true, strings.HasSuffix(last, "am") || strings.HasSuffix(last, "pm") || phrase.DayParts[last] > 0}, n
}

// leadingClock reads a time of day before a schedule: "at 8am every day".
func (r reader) leadingClock(toks []phrase.Token) (c clock, n int) {
	if phrase.Begins(toks, "at") {
		n = 1
	} else if !r.whole {
		return c, 0
	}
	c, size := readClock(toks[n:])
	if n += size; size == 0 {
		return c, 0
	}
	if phrase.Begins(toks[n:], ",") {
		n++
	}
	return c, n
}

// rest reads what may stand behind a form. false: the words say something else.
func (r reader) rest(p *parts, toks []phrase.Token, n *int) bool {
	often := p.form.fields != "" && !strings.Contains(p.form.fields, "h")
	for at := -1; at < *n; {
		at = *n
		switch {
		case !often && !p.clock.said && p.clocked(toks, n):
		case often && p.window == nil && p.between(toks, n):
		case often && p.days == "" && p.weekdays(toks, n):
		case p.zone == "" && p.inZone(toks, n):
		case r.whole && p.first.IsZero() && p.starting(toks, n, r.now):
		}
	}
	return *n >= len(toks) || !against[toks[*n].Low] || phrase.Starting(toks[*n:], eachOf) > 0
}

// clocked reads the time of day. Behind a comma it stands apart: "first working day of the month, 8am: ...".
func (p *parts) clocked(toks []phrase.Token, n *int) bool {
	skip := 0
	if rest := toks[*n:]; phrase.Begins(rest, ",") {
		if _, size := readClock(rest[1:]); !standsApart(rest[1:], size) {
			return false
		}
		skip = 1
	}
	if rest := toks[*n:]; phrase.Begins(rest, "at") || phrase.Begins(rest, "@") || phrase.Begins(rest, "around") {
		skip = 1
	}
	c, size := readClock(toks[*n+skip:])
	if size == 0 {
		return false
	}
	p.clock, *n = c, *n+skip+size
	for more := p.another(toks[*n:]); more > 0; more = p.another(toks[*n:]) {
		*n += more
	}
	return true
}

// another reads a further hour of the same days, "and 14:00", and gives how many tokens it has; 0 = there is none, or its minute is another one.
func (p *parts) another(toks []phrase.Token) int {
	n := phrase.Starting(toks, andAt)
	c, size := readClock(toks[min(n, len(toks)):])
	if n == 0 || size == 0 || c.minute != p.clock.minute {
		return 0
	}
	n += size
	last := toks[n-1]
	sure := last.Kind != phrase.Number || strings.ContainsAny(last.Low, ":.m")
	if rest := phrase.Trim(toks[n:]); !sure && (c.hour < p.clock.hour || len(rest) > 0 && toks[n].Kind != phrase.Sign && rest[0].Kind != phrase.Name && !phrase.OpensStep(rest)) {
		return 0 // "at 9 and 3", "and 14 people"
	}
	p.more = append(p.more, c)
	return n
}

var andAt = phrase.Phrases("and_at and")

// standsApart reports whether the n tokens of a time of day can be nothing else, and nothing is said of them: not "9 people".
func standsApart(toks []phrase.Token, n int) bool {
	at := n
	if n == 0 || n < len(toks) && !toks[n].Is(",", ":", ".") && !toks[n].First && !(&parts{}).inZone(toks, &n) {
		return false
	}
	last := toks[at-1]
	return last.Kind != phrase.Number || strings.ContainsAny(last.Low, ":.m")
}

// between reads "between 9 and 17".
func (p *parts) between(toks []phrase.Token, n *int) bool {
	m, ok := phrase.Fit(window, toks[*n:])
	if !ok {
		return false
	}
	from, size := readClock(toks[*n+1:])
	to, _ := readClock(toks[*n+2+size:])
	p.window, *n = []int{from.hour, from.minute, to.hour, to.minute}, *n+m.End
	return true
}

const window = "between|from {clock} and|to|until|till|-|–|through {clock}"

// weekdays reads "on weekdays" and "from Monday to Friday".
func (p *parts) weekdays(toks []phrase.Token, n *int) bool {
	for i := range days {
		if m, ok := phrase.Fit(days[i].Pattern, toks[*n:]); ok && m.End > 0 {
			p.days, p.some, *n = days[i].fields, m.Slots["days"], *n+m.End
			return true
		}
	}
	return false
}

// inZone reads a zone behind a time: "Europe/Berlin", "in UTC".
func (p *parts) inZone(toks []phrase.Token, n *int) bool {
	begin, zone := *n, ""
	if phrase.Begins(toks[begin:], "in") {
		begin++
	}
	end := begin
	for end < len(toks) && (end == begin || toks[end].Glued) && (toks[end].Kind == phrase.Word || toks[end].Low == "/") {
		zone += toks[end].Text
		end++
	}
	if _, err := time.LoadLocation(zone); err != nil || zone != "UTC" && !strings.Contains(zone, "/") {
		return false
	}
	p.zone, *n = zone, end
	return true
}

// starting reads "starting next week".
func (p *parts) starting(toks []phrase.Token, n *int, now time.Time) bool {
	rest := toks[*n:]
	if !phrase.Begins(rest, "starting") && !phrase.Begins(rest, "beginning") && !phrase.Begins(rest, "from") {
		return false
	}
	first, size := phrase.ReadMoment(rest[1:], p.zoned(now))
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
