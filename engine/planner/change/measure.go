package change

import (
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/phrase"
	"sluice/engine/planner/quantity"
	"sluice/engine/planner/tree"
)

// setting are words that only say that a quantity is to be another one.
var setting = phrase.Set(`make change set raise increase lower reduce decrease bump extend shorten drop cut put up down it that this to at be is are the our a
	an only just now instead do use take give allow let have has gets get should must needs need for enough plenty fine add better ok okay then well`)

// quantities are what people call a quantity of a step by itself.
var quantities = regexp.MustCompile(`(?i)^(?:limit|threshold|amount|minimum|maximum|wait|waiting time|pause|delay)$`)

// measured sets a quantity of which the words name at most what has it: "the limit should be 300", "@bob gets 2 days", "make it an hour". A wait
// without "instead" is a step of its own.
func measured(c *changing, words string) error {
	now, of, said := measure(words)
	switch {
	case now == "" || said["add"] && !deadlines.MatchString(of) || of == "" && len(said) == 0:
		return ErrNone
	case of != "" && !quantities.MatchString(of):
		return within(c, of, now)
	case waits.MatchString(of) && strings.HasPrefix(words, of) && !said["instead"] && !said["is"] && !said["should"]:
		return ErrNone
	}
	return setQuantity(c, of, now)
}

// measure reads the only quantity in some words, the words in one place that name what has it, and the others; now "": they are more than that.
func measure(words string) (now, of string, said map[string]bool) {
	toks, named := phrase.Scan(words, 0, len(words)), []phrase.Token(nil)
	said = map[string]bool{}
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		last := len(named) - 1
		_, n := quantity.Read(toks[i:])
		switch {
		case n > 0 && (last < 0 || named[last].Low != "step"):
			if now != "" {
				return "", "", nil
			}
			now, i = words[t.From:toks[i+n-1].To], i+n-1
		case setting[t.Low]:
			said[t.Low] = true
		case last >= 0 && named[last].To+1 != t.From:
			return "", "", nil
		default:
			named = append(named, t)
		}
	}
	if len(named) > 0 {
		of = strings.TrimSuffix(words[named[0].From:named[len(named)-1].To], " of")
	}
	return now, of, said
}

// setQuantity sets the only quantity that is called so: "the limit", "the wait"; of "", the only length of time or the only amount that the steps
// have, which a person confirms.
func setQuantity(c *changing, of, now string) error {
	next, ok := quantity.Of(now)
	if !ok || next.Dated() {
		return ErrNone
	}
	var all []held
	var steps []*tree.Step
	for s := range c.t.Walk {
		before := len(all)
		add := func(h held) {
			if next.Follows(h.is) && (h.is.Term != "") == (next.Term != "") && h.kind != counts && (of == "" || h.kind.MatchString(of)) {
				all = append(all, h)
			}
		}
		c.terms(s, add)
		if next.Term == "" {
			c.amounts(s, "", add)
		}
		if len(all) > before {
			steps = append(steps, s)
		}
	}
	s, err := c.only(steps, "More than one of the steps %[1]s can be %[3]s: say which one is meant, such as “step %[2]s has ...” or “%[3]s instead of ...”.", now)
	if err != nil {
		return err
	}
	other := func(h held) bool { return h.is.Number != all[0].is.Number }
	if len(all) > 1 && (!sameBound(all) || slices.ContainsFunc(all, other)) {
		return Cannot("Step %s has several of these: say which one is meant, such as “%s instead of ...”.", c.names[s.ID], now)
	}
	if of != "" {
		return setHeld(c, all, all[0].said, now)
	}
	c.object("only", "step %v has %s instead of %s", s, now, all[0].said)
	return setHeld(c, all, all[0].said, now)
}
