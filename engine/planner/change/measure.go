package change

import (
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/quantity"
	"sluice/engine/planner/tree"
)

// quantities are what people call a quantity of a step by itself.
var quantities = regexp.MustCompile(`(?i)^(?:limit|threshold|amount|minimum|maximum|wait|waiting time|pause|delay)$`)

// inquires finds a question without its sign: "is 2 days enough for bob".
var inquires = regexp.MustCompile(`(?i)^(?:is|are|should|must|has|does)\b`)

// measured sets a quantity of which the words name at most what has it: "the limit should be 300", "@bob gets 2 days", "make it an hour". A wait
// without "instead" is a step of its own.
func measured(c *changing, words string) error {
	now, of, said := quantity.Alone(words)
	switch {
	case now == "" || said["add"] && !deadlines.MatchString(of) || of == "" && len(said) == 0, (said["drop"] || said["cut"]) && !said["to"], inquires.MatchString(words):
		return ErrNone
	case of != "" && !quantities.MatchString(of):
		return within(c, of, now)
	case waits.MatchString(of) && strings.HasPrefix(words, of) && !said["instead"] && !said["is"] && !said["should"]:
		return ErrNone
	}
	return setQuantity(c, of, now)
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
