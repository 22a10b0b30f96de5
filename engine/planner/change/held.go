package change

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/planner/quantity"
	"sluice/engine/planner/tree"
)

// held is a quantity that a step has, and words can change: the bound of a condition, how long something lasts.
type held struct {
	step *tree.Step
	is   quantity.Quantity
	kind *regexp.Regexp // what people call it
	set  func(next quantity.Quantity, words string)
	of   tree.Value // what a condition compares with it
	said string     // the words for it
}

// What people call the quantities of a step.
var (
	bounds    = regexp.MustCompile(`(?i)\b(?:limit|threshold|amount|minimum|maximum|over|above|below|under|more|less)\b`)
	deadlines = regexp.MustCompile(`(?i)\b(?:deadline|time|give|has|have|gets?|answer|within)\b`)
	reminders = regexp.MustCompile(`(?i)\bremind`)
	escalates = regexp.MustCompile(`(?i)\bescalat`)
	waits     = regexp.MustCompile(`(?i)\b(?:wait|pause|delay)`)
	counts    = regexp.MustCompile(`(?i)\b(?:times|tries|try|retry|retries|attempts?|rounds)\b`)
	arguments = regexp.MustCompile(`(?i)\b(?:amount|number|count)\b`)
)

// held lists the quantities of the steps that old words mean and new ones can take the place of.
func (d *draft) held(old, now string) (all []held) {
	for s := range d.t.Walk {
		all = append(all, heldBy(d, s, old, now)...)
	}
	return all
}

func heldBy(d *draft, s *tree.Step, old, now string) (all []held) {
	was, ok := quantity.Of(old)
	next, is := quantity.Of(now)
	if !ok || !is {
		return nil
	}
	add := func(h held) {
		if was.Calls(h.is) && next.Follows(h.is) {
			all = append(all, h)
		}
	}
	d.terms(s, add)
	d.amounts(s, old, add)
	return all
}

// terms gives the durations and the counts of a step.
func (d *draft) terms(s *tree.Step, add func(h held)) {
	term := func(of *string, kind *regexp.Regexp) {
		if q, ok := quantity.Of(*of); ok {
			add(held{step: s, is: q, said: *of, kind: kind, set: func(next quantity.Quantity, words string) {
				d.retimed(s)
				*of = cmp.Or(next.Term, strconv.FormatFloat(next.Number, 'f', -1, 64)+strings.TrimLeft(q.Term, "0123456789"))
				s.At = append(s.At, d.quote(words))
			}})
		}
	}
	term(&s.For, waits)
	term(&s.Pause, waits)
	if s.Deadline != nil {
		term(&s.Deadline.After, deadlines)
		term(&s.Deadline.Remind, reminders)
		term(&s.Deadline.EscalateAfter, escalates)
	}
	for _, n := range []*int{&s.Retry, &s.Max} {
		if *n > 0 {
			add(held{step: s, is: quantity.Quantity{Number: float64(*n), Unit: quantity.UnitOf("times")}, kind: counts, set: func(next quantity.Quantity, words string) {
				d.t.Replaced = append(d.t.Replaced, s.At...)
				*n, s.At = int(next.Number), append(s.At, d.quote(words))
			}})
		}
	}
}

// amounts gives the numbers with which the conditions of a step compare, and those that a tool gets. old are the words for them; "" = those of
// the step.
func (d *draft) amounts(s *tree.Step, old string, add func(h held)) {
	all := s.Conds()
	for _, when := range all {
		bound, ok := when.Right.Literal.(float64)
		if !ok {
			continue
		}
		is, _ := quantity.Of(when.Right.Words)
		is.Number = bound
		was := cmp.Or(old, when.Right.Words)
		add(held{step: s, is: is, said: was, kind: bounds, of: when.Left, set: func(next quantity.Quantity, words string) {
			for _, c := range all { // one may be a part of another
				c.Words = quantity.Replace(c.Words, was, words)
			}
			d.forget(when)
			when.Right = tree.Value{Words: quantity.Replace(when.Right.Words, was, words), Literal: next.Number, At: d.quote(words)}
		}})
	}
	for i := range s.Params {
		p := &s.Params[i]
		if v, ok := p.Value.Literal.(float64); ok {
			was := cmp.Or(old, p.Value.Words)
			add(held{step: s, is: quantity.Quantity{Number: v}, said: was, kind: arguments, set: func(next quantity.Quantity, words string) {
				d.forget(p)
				s.Text = quantity.Replace(s.Text, was, words)
				p.Value = tree.Value{Words: words, Literal: next.Number, At: d.quote(words)}
			}})
		}
	}
}

// sameBound reports whether quantities of a step are one: the bound between two ranges of the same value.
func sameBound(all []held) bool {
	named := func(v tree.Value) bool { return v.Words != "" || !v.Open() }
	return len(all) > 0 && !slices.ContainsFunc(all, func(h held) bool {
		a, b := h.of, all[0].of
		differ := a.Ref != b.Ref || a.Open() && !strings.EqualFold(a.Words, b.Words)
		return h.kind != bounds || named(a) && named(b) && differ
	})
}

// setHeld puts a new quantity into the place of one that a step has.
func setHeld(c *changing, all []held, old, now string) error {
	next, _ := quantity.Of(now)
	for _, h := range all {
		h.set(next, now)
	}
	c.say("Step %s: %s instead of %s.", c.names[all[0].step.ID], now, old)
	return nil
}
