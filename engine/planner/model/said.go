package model

import (
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

// numerals are the numerals that [english.Numerals] does not have, multiples are those that multiply what stands before them.
var (
	numerals = func() map[string]float64 {
		out := map[string]float64{"a": 1, "an": 1, "one": 1, "next": 1, "once": 1, "each": 1, "every": 1, "the": 1, "zero": 0, "dozen": 12}
		for i, w := range strings.Fields("thirteen fourteen fifteen sixteen seventeen eighteen nineteen") {
			out[w] = float64(13 + i)
		}
		for i, w := range strings.Fields("twenty thirty forty fifty sixty seventy eighty ninety") {
			out[w] = float64(20 + 10*i)
		}
		return out
	}()
	multiples = map[string]float64{"hundred": 100, "thousand": 1e3, "k": 1e3, "million": 1e6, "billion": 1e9}
)

// amount is a number in words, and the words behind it.
type amount struct {
	n      float64
	plain  bool // "a" and "the": no number unless a unit follows
	behind []english.Word
}

// amountsIn lists the numbers in words: "five thousand", "$1,500", "2.5k", "a".
func amountsIn(words string) (out []amount) {
	all := english.Scan(strings.ReplaceAll(words, "-", " "))
	for i := 0; i < len(all); i++ {
		n, ok := numberOf(all[i])
		if !ok {
			continue
		}
		digits := all[i].Kind == english.NumberWord
		a := amount{n: n, plain: len(all[i].Low) < 3 && !digits || slices.Contains([]string{"the", "each", "every", "next"}, all[i].Low)}
		for i+1 < len(all) {
			more, isMore := numberOf(all[i+1])
			if m := multiples[all[i+1].Low]; m > 0 {
				a.n *= m
			} else if isMore && !digits && a.n >= 20 && more < 10 && more >= 1 && !a.plain {
				a.n += more
			} else {
				break
			}
			a.plain = false
			i++
		}
		a.behind = all[i+1:]
		out = append(out, a)
	}
	return out
}

func numberOf(w english.Word) (float64, bool) {
	if w.Kind == english.NumberWord {
		return english.ParseNumber(w.Text)
	}
	if n, ok := english.Numerals[w.Low]; ok {
		return n, true
	}
	n, ok := numerals[w.Low]
	return n, ok
}

// says reports whether words say a number.
func says(words string, n float64) bool {
	return slices.ContainsFunc(amountsIn(words), func(a amount) bool { return a.n == n })
}

// oneNumber is the one number that words say.
func oneNumber(words string) (n float64, ok bool) {
	for _, a := range amountsIn(words) {
		if !a.plain && ok && n != a.n {
			return 0, false
		}
		if !a.plain {
			n, ok = a.n, true
		}
	}
	return n, ok
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

// duration takes a duration over that its quote says: one of its numbers with one of its units.
func (f *fill) duration(d, quote string) string {
	if d == "" {
		return ""
	}
	is, err := flow.ParseDuration(d)
	all := amountsIn(quote)
	words := english.Scan(quote)
	fits := slices.ContainsFunc(words, func(w english.Word) bool { // "2h"
		term, n := phrase.ReadTerm(phrase.Scan(w.Text, 0, len(w.Text)))
		t, err := flow.ParseDuration(term)
		return n > 0 && err == nil && t == is
	})
	for i := range words {
		unit := unitAt(words[i:])
		fits = fits || unit == is && !unit.IsZero() && len(all) == 0
		for _, a := range all {
			halves := strings.Contains(quote, "and a half")
			fits = fits || unit.WorkingDays > 0 && is == flow.Duration{WorkingDays: int(a.n)} ||
				unit.Clock > 0 && is.WorkingDays == 0 && (is.Clock == time.Duration(a.n*float64(unit.Clock)) || halves && is.Clock == time.Duration((a.n+0.5)*float64(unit.Clock)))
		}
	}
	if err != nil || !fits {
		f.problem("The duration %q is not what %q says. It is a number with its unit, such as 30m, 2h, 3d, 1w or \"2 working days\"; what cannot be said so goes to not_expressible.", cut(d, 40), cut(quote, 60))
		return ""
	}
	return d
}

// clock takes a time of day or a date over whose numbers its quote says.
func (f *fill) clock(at, quote string) string {
	if at == "" {
		return ""
	}
	toks := phrase.Scan(quote, 0, len(quote))
	clocks, fits := 0, false
	for i := range toks {
		if hour, minute, n := phrase.ReadClock(toks[i:]); n > 0 {
			clocks++
			fits = fits || at == phrase.Clock(hour, minute) || strings.TrimLeft(at, "0") == strings.TrimLeft(phrase.Clock(hour, minute), "0")
		}
	}
	if _, err := time.Parse("15:04", at); err != nil { // a date
		fits = clocks > 0
	}
	if !fits {
		f.problem("The time %q is not what %q says.", cut(at, 40), cut(quote, 60))
		return ""
	}
	return at
}

// count takes a number over that stands in the step's words.
func (f *fill) count(n int, what string, s *tree.Step) int {
	if n <= 0 {
		return 0
	}
	if !says(f.wordsOf(s), float64(n)) {
		f.problem("The %s %d does not stand in the words of its step: quote its words in \"also\".", what, n)
		return 0
	}
	return n
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
		said, err := calendar.Parse(s.Cron, time.UTC)
		if n == 0 || slices.ContainsFunc(toks[i+n:], narrows) {
			continue
		}
		if s.Cron == "" || err != nil {
			return "", true
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

// narrows reports whether a word behind a schedule changes it.
func narrows(t phrase.Token) bool {
	return t.Kind == phrase.Number || english.Denials[t.Low] || t.Low == "except" || t.Low == "but" || phrase.DayOf(t.Low) >= 0
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
