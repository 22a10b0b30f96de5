package model

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"sluice/engine/calendar"
	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/times"
	"sluice/engine/planner/tree"
)

// What a quote says is read by the grammar, too: a number, a time or a comparison of the answer that its quote does not say goes back.

// singles say one of something when a unit follows, multiples multiply what stands before them.
var (
	singles   = english.WordSet("a an one once the each every next")
	multiples = map[string]float64{"dozen": 12, "hundred": 100, "thousand": 1e3, "k": 1e3, "million": 1e6, "billion": 1e9}
)

// amount is a number in words.
type amount struct {
	n      float64
	single bool // "a": no number unless a unit follows
}

// amountsIn lists the numbers in words: "five thousand", "$1,500", "2.5k", "a".
func amountsIn(words string) (out []amount) {
	joined, tens := false, false
	for _, w := range english.Scan(strings.ReplaceAll(words, "-", " ")) {
		n, ok := numberOf(w)
		switch m := multiples[w.Low]; {
		case m > 0 && joined:
			out[len(out)-1] = amount{n: m * out[len(out)-1].n}
			continue
		case ok && tens && n < 10 && !singles[w.Low]:
			out[len(out)-1].n += n
		case ok:
			out = append(out, amount{n, singles[w.Low]})
		}
		joined, tens = ok, ok && w.Kind != english.NumberWord && n >= 20
	}
	return out
}

func numberOf(w english.Word) (float64, bool) {
	if singles[w.Low] {
		return 1, true
	}
	if n, ok := english.Numerals[w.Low]; ok {
		return n, true
	}
	return english.ParseNumber(w.Text)
}

// says reports whether words say a number.
func says(words string, n float64) bool {
	return slices.ContainsFunc(amountsIn(words), func(a amount) bool { return a.n == n })
}

// oneNumber is the one number that words say.
func oneNumber(words string) (float64, bool) {
	all := slices.DeleteFunc(amountsIn(words), func(a amount) bool { return a.single })
	if len(all) == 0 || slices.ContainsFunc(all, func(a amount) bool { return a.n != all[0].n }) {
		return 0, false
	}
	return all[0].n, true
}

// longer are units that the grammar does not read, in days.
var longer = map[string]float64{"hourly": 1. / 24, "daily": 1, "weekly": 7, "monthly": 30, "fortnight": 14, "month": 30, "months": 30, "quarter": 91, "year": 365, "years": 365}

// unitAt is what the unit at the beginning of words is long.
func unitAt(words []english.Word) (d flow.Duration) {
	for len(words) > 0 && slices.Contains([]string{"a", "an", "of", "full", "whole"}, words[0].Low) { // "half an hour"
		words = words[1:]
	}
	if len(words) == 0 {
		return d
	}
	name := strings.TrimSuffix(words[0].Low, "'s")
	if days := longer[name]; days > 0 {
		return flow.Duration{Clock: time.Duration(days * float64(24*time.Hour))}
	}
	text := "1 " + name
	if len(words) > 1 {
		text += " " + words[1].Low
	}
	if term, n := phrase.ReadTerm(phrase.Scan(text, 0, len(text))); n > 0 {
		d, _ = flow.ParseDuration(term)
	}
	return d
}

// durationsIn lists what words can say is long: each of their numbers with each of their units, "2h", "hourly".
func durationsIn(words string) (out []flow.Duration) {
	all := english.Scan(words)
	for i, w := range all {
		if term, n := phrase.ReadTerm(phrase.Scan(w.Text, 0, len(w.Text))); n > 0 {
			d, _ := flow.ParseDuration(term)
			out = append(out, d)
		}
		unit := unitAt(all[i:])
		if unit.IsZero() {
			continue
		}
		out = append(out, unit)
		for _, a := range amountsIn(words) {
			if strings.Contains(words, "and a half") {
				a.n += 0.5
			}
			out = append(out, flow.Duration{Clock: time.Duration(a.n * float64(unit.Clock)), WorkingDays: int(a.n) * unit.WorkingDays})
		}
	}
	return out
}

// says reports whether words say a duration.
func (f *finder) says(words, d string) bool {
	is, err := flow.ParseDuration(d)
	return err == nil && slices.Contains(durationsIn(words), is)
}

// duration takes a duration over that its quote says.
func (f *finder) duration(d, quote string) string {
	if d == "" || f.says(quote, d) {
		return d
	}
	f.problem("The duration %q is not what %q says. It is a number with its unit, such as 30m, 2h, 3d, 1w or \"2 working days\"; what cannot be said so goes to not_expressible.", cut(d, 40), cut(quote, 60))
	return ""
}

// tomorrow begins the time of a wait until a time of the next day.
const tomorrow = "tomorrow "

// moment takes over until when a step waits: a time of day, or tomorrow's where its quote says so.
func (f *finder) moment(at, quote string) string {
	clock, err := time.Parse("15:04", strings.TrimPrefix(at, tomorrow))
	toks := phrase.Scan(quote, 0, len(quote))
	for i := range toks {
		if said, _ := phrase.Moment(toks[i:]); err == nil && said == tomorrow+clock.Format("15:04") {
			return said
		}
	}
	return f.clock(at, quote)
}

// waits reports whether words say tomorrow, and a wait has that: a model has no field for it.
func (f *finder) waits(q tree.Quote) bool {
	for s := range f.t.Walk {
		if strings.HasPrefix(s.Time, tomorrow) && slices.ContainsFunc(s.At, q.Overlaps) && strings.EqualFold(f.t.Words(q)+" ", tomorrow) {
			return true
		}
	}
	return false
}

// clock takes a time of day over that its quote says, or a date where it says a number.
func (f *finder) clock(at, quote string) string {
	var said []string
	toks := phrase.Scan(quote, 0, len(quote))
	for i := range toks {
		if hour, minute, n := phrase.ReadClock(toks[i:]); n > 0 {
			said = append(said, phrase.Clock(hour, minute))
		}
	}
	t, err := time.Parse("15:04", at)
	if at == "" || err != nil && len(said) > 0 || slices.Contains(said, t.Format("15:04")) {
		return at
	}
	f.problem("The time %q is not what %q says.", cut(at, 40), cut(quote, 60))
	return ""
}

// attempts are also said by how many come behind the first, and so are rounds by some words.
const (
	attempts = "number of attempts"
	inAll    = "number of times"
)

// anew are words of rounds behind the first: "may be sent back twice" is three rounds.
var anew = regexp.MustCompile(`(?i)\b(?:back|resubmit\w*|more times?|once more)\b`)

// count takes a number over that stands in the step's words.
func (f *finder) count(n int, what string, s *tree.Step) int {
	words := f.wordsOf(s)
	if n <= 0 || says(words, float64(n)) || (what == attempts || what == inAll && anew.MatchString(words)) && says(words, float64(n-1)) {
		return max(n, 0)
	}
	f.problem("The %s %d does not stand in the words of its step: quote its words in \"also\".", what, n)
	return 0
}

// cron takes a schedule over that the grammar does not read differently. People are asked about words that the grammar knows to be open.
func (f *fill) cron(spec, quote string) (string, bool) {
	is, err := calendar.Parse(spec, time.UTC)
	if err != nil {
		f.problem("The cron %q cannot be read: it has five fields, such as \"0 9 * * 1\".", cut(spec, 40))
		return "", false
	}
	toks := phrase.Scan(quote, 0, len(quote))
	for i := range toks {
		s, n := times.At(toks[i:])
		s.Cron = f.sameTime(s.Cron, toks)
		said, err := calendar.Parse(s.Cron, time.UTC)
		if n == 0 || slices.ContainsFunc(toks[i+n:], narrows) {
			continue
		}
		if s.Cron == "" || err != nil {
			return "", true
		}
		if slices.ContainsFunc(toks[:i], denies) { // "not on Fridays"
			for a, fires := time.Unix(0, 0), 0; fires < 60; fires++ {
				a = is.Next(a)
				if day := a.Truncate(24 * time.Hour); said.Next(day.Add(-1)).Before(day.Add(24 * time.Hour)) {
					f.problem("The cron %q starts it at a time that the words %q exclude.", cut(spec, 40), cut(quote, 80))
					return "", false
				}
			}
			break
		}
		for a, b, fires := time.Unix(0, 0), time.Unix(0, 0), 0; fires < 60; fires++ {
			if a, b = is.Next(a), said.Next(b); !a.Equal(b) {
				f.problem("The words %q say the cron %q, and not %q.", cut(quote, 80), s.Cron, cut(spec, 40))
				return "", false
			}
		}
		break
	}
	return spec, true
}

// sameTime gives a schedule whose words say no time of day that of the schedule which the base has.
func (f *fill) sameTime(cron string, words []phrase.Token) string {
	days, usual := strings.CutPrefix(cron, "0 9 ")
	for i := range words {
		_, _, n := phrase.ReadClock(words[i:])
		usual = usual && n == 0 && words[i].Low != "morning"
	}
	if f.base == nil || !usual {
		return cron
	}
	for _, g := range f.base.Triggers {
		if fields := strings.Fields(g.Cron); len(fields) == 5 {
			return fields[0] + " " + fields[1] + " " + days
		}
	}
	return cron
}

// narrows reports whether a word behind a schedule changes it.
func narrows(t phrase.Token) bool {
	return t.Kind == phrase.Number || denies(t) || phrase.DayOf(t.Low) >= 0
}

func denies(t phrase.Token) bool {
	return english.Denials[t.Low] || t.Low == "except" || t.Low == "but"
}

// zone takes a time zone over that shares a word with its quote, or that a schedule of the base has.
func (f *fill) zone(zone, quote string) string {
	if f.base != nil && slices.ContainsFunc(f.base.Triggers, func(g tree.Trigger) bool { return g.Zone == zone }) {
		return zone
	}
	if zone != "" && !shareWord(zone[strings.LastIndexByte(zone, '/')+1:], quote) && !strings.Contains(strings.ToLower(quote), "time") {
		f.problem("The words %q name no time zone: leave it empty.", cut(quote, 80))
		return ""
	}
	return zone
}
