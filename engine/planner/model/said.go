package model

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/engine/calendar"
	"sluice/engine/flow"
	"sluice/engine/planner/change"
	"sluice/engine/planner/english"
	"sluice/engine/planner/match"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/times"
	"sluice/engine/planner/tree"
)

// What a quote says is read by the grammar, too: a number or a time of the answer that its quote does not say goes back, and is not taken over.

// multiples multiply the number before them: what they say is not read, and asked about.
var multiples = english.WordSet("dozen hundred thousand k million billion")

// numberOf is the number that a word says.
func numberOf(w english.Word) (float64, bool) {
	if w.Low == "one" || w.Low == "once" {
		return 1, true
	}
	if n, ok := english.Numerals[w.Low]; ok {
		return n, true
	}
	return english.ParseNumber(w.Text)
}

// ordinals say how often by the last time: "after the third attempt".
var ordinals = map[string]float64{"third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10}

// says reports whether a word of several says a number.
func says(words string, n float64) bool {
	return slices.ContainsFunc(english.Scan(strings.ReplaceAll(words, "-", " ")), func(w english.Word) bool {
		is, ok := numberOf(w)
		return ok && is == n || ordinals[w.Low] == n && n > 0
	})
}

// oneNumber is the one number that words say.
func oneNumber(words string) (n float64, ok bool) {
	for _, w := range english.Scan(strings.ReplaceAll(words, "-", " ")) {
		is, number := numberOf(w)
		if multiples[w.Low] || number && ok && is != n {
			return 0, false
		}
		if number {
			n, ok = is, true
		}
	}
	return n, ok
}

// oneUnit writes out one of a unit: "every day", "hourly".
var oneUnit = strings.NewReplacer("every ", "1 ", "each ", "1 ", "next ", "1 ", "hourly", "1 hour", "daily", "1 day", "weekly", "1 week", "'s", "", `"`, " ")

// joined is a number with its unit: "a 30-minute break".
var joined = regexp.MustCompile(`(\d)-(\pL)`)

// further are words for a duration that comes on top of another one: "another 10 minutes".
var further = english.WordSet("another further more additional")

// durationsIn lists the durations in words. The unit of one may stand for the number behind it, too: "within ten days, a reminder after seven".
func durationsIn(words string) (out []flow.Duration) {
	words = joined.ReplaceAllString(oneUnit.Replace(words), "$1 $2")
	toks := phrase.Scan(words, 0, len(words))
	unit := ""
	add := func(term string) {
		if d, err := flow.ParseDuration(term); err == nil {
			out = append(out, d)
		}
	}
	for i := 0; i < len(toks); i++ {
		term, n := phrase.ReadTerm(toks[i:])
		switch alone := i+1 == len(toks) || toks[i+1].Kind == phrase.Sign; {
		case n > 0:
			add(term)
			unit, i = strings.TrimLeft(term, "0123456789"), i+n-1
		case alone && unit != "":
			if number, ok := oneNumber(toks[i].Text); ok {
				add(strconv.Itoa(int(number)) + unit)
			}
		}
	}
	return out
}

// duration takes a duration over that its quote says, or that is the sum of two of its durations.
func (f *finder) duration(d, quote string) string {
	is, err := flow.ParseDuration(d)
	said := durationsIn(quote)
	if slices.ContainsFunc(english.Scan(quote), func(w english.Word) bool { return further[w.Low] }) {
		for i, one := range slices.Clone(said) {
			for _, other := range said[:i] {
				said = append(said, flow.Duration{Clock: one.Clock + other.Clock, WorkingDays: one.WorkingDays + other.WorkingDays})
			}
		}
	}
	if d == "" || err == nil && slices.Contains(said, is) {
		return d
	}
	f.problem("The duration %q is not what %q says. It is a number with its unit, such as 30m, 2h, 3d, 1w or \"2 working days\"; what cannot be said so goes to not_expressible.", english.Shorten(d, 40), english.Shorten(quote, 60))
	return ""
}

// limit takes a deadline over that its quote says: a duration, or a time until which people have.
func (f *finder) limit(after, quote string) string {
	toks := phrase.Scan(quote, 0, len(quote))
	for i := range toks {
		if at, n := phrase.Due(toks[i:]); n > 0 && strings.EqualFold(strings.TrimPrefix(after, tree.Until), at) {
			return tree.Until + at
		} else if moment, size := phrase.Moment(toks[i:]); n == 0 && size > 0 && halfDayApart(strings.TrimPrefix(after, tree.Until), moment) { // "by 11"
			return tree.Until + strings.TrimPrefix(after, tree.Until)
		}
	}
	return f.duration(after, quote)
}

// halfDayApart reports whether two times of the same day are the same on a clock of twelve hours.
func halfDayApart(a, b string) bool {
	at := func(text string) (day string, clock time.Time, err error) {
		i := strings.LastIndexByte(text, ' ') + 1
		clock, err = time.Parse("15:04", text[i:])
		return strings.ToLower(text[:i]), clock, err
	}
	day, first, err := at(a)
	other, second, errOther := at(b)
	return err == nil && errOther == nil && day == other && first.Sub(second)%(12*time.Hour) == 0
}

// clock takes a time over that its quote says: a time of day, tomorrow's where the quote says tomorrow, or a date where it says a number.
func (f *finder) clock(at, quote string) string {
	var said []string
	toks := phrase.Scan(quote, 0, len(quote))
	for i := 0; i < len(toks); i++ {
		if moment, n := phrase.Moment(toks[i:]); n > 0 {
			said, i = append(said, moment), i+n-1
		}
	}
	clock, err := time.Parse("15:04", strings.TrimPrefix(at, "tomorrow "))
	if err == nil { // "9:00"
		at = strings.TrimSuffix(at, strings.TrimPrefix(at, "tomorrow ")) + clock.Format("15:04")
	}
	if at == "" || err != nil && len(said) > 0 || slices.Contains(said, at) {
		return at
	}
	f.problem("The time %q is not what %q says.", english.Shorten(at, 40), english.Shorten(quote, 60))
	return ""
}

// What is counted. Attempts are also said by how many come behind the first: "retry twice".
const (
	attempts = "number of attempts"
	rounds   = "number of times"
	quorum   = "quorum" // of 1 is what no words say
)

// count takes a number over that stands in the step's words.
func (f *finder) count(n int, what string, s *tree.Step) int {
	words := f.wordsOf(s)
	has := func(any string) bool { return match.Shares(wordsOf(words), strings.Fields(any)) }
	switch {
	case n <= 0, says(words, float64(n)), what == quorum && n == 1:
		return max(n, 0)
	case what == rounds && says(words, float64(n-1)) && has("again more"), what == quorum && n == len(s.Who) && has("and"), what == attempts && (says(words, float64(n-1)) || n == 2 && has("again retry another")):
		return n
	}
	f.problem("The %s %d does not stand in the words of its step: quote its words in \"also\".", what, n)
	return 0
}

// cron takes a schedule over that the grammar does not read differently. "" = people are asked: the grammar knows the words to be open, or
// they have an exception.
func cron(f *fill, spec, quote string) (string, bool) {
	is, err := calendar.Parse(spec, time.UTC)
	if err != nil {
		f.problem("The cron %q cannot be read: it has five fields, such as \"0 9 * * 1\".", english.Shorten(spec, 40))
		return "", false
	}
	toks := phrase.Scan(quote, 0, len(quote))
	if slices.ContainsFunc(toks, func(t phrase.Token) bool { return english.Denials[t.Low] || t.Low == "except" || t.Low == "but" }) {
		return "", true
	}
	for i := range toks {
		s, n := times.At(toks[i:])
		if n == 0 {
			continue
		}
		if f.base != nil { // words that say no time of day keep that of the base
			if at := slices.IndexFunc(f.base.Triggers, func(g tree.Trigger) bool { return g.Cron != "" }); at >= 0 {
				s.Cron = change.SameClock(s.Cron, f.base.Triggers[at].Cron, quote)
			}
		}
		said, err := calendar.Parse(s.Cron, time.UTC)
		if s.Cron == "" || err != nil || slices.ContainsFunc(toks[i+n:], func(t phrase.Token) bool { return t.Kind == phrase.Number || phrase.DayOf(t.Low) >= 0 }) {
			return "", true
		}
		for a, b, fires := time.Unix(0, 0), time.Unix(0, 0), 0; fires < 60; fires++ {
			if a, b = is.Next(a), said.Next(b); !a.Equal(b) {
				f.problem("The words %q say the cron %q, and not %q.", english.Shorten(quote, 80), s.Cron, english.Shorten(spec, 40))
				return "", false
			}
		}
		break
	}
	return spec, true
}

// zone takes a time zone over that shares a word with its quote, or that a schedule of the base has.
func zone(f *fill, zone, quote string) string {
	if f.base != nil && slices.ContainsFunc(f.base.Triggers, func(g tree.Trigger) bool { return g.Zone == zone }) {
		return zone
	}
	if zone != "" && !match.Shares(wordsOf(zone[strings.LastIndexByte(zone, '/')+1:]), wordsOf(quote)) && !strings.Contains(strings.ToLower(quote), "time") {
		f.problem("The words %q name no time zone: leave it empty.", english.Shorten(quote, 80))
		return ""
	}
	return zone
}
