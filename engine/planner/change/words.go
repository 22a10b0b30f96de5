package change

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sluice/engine/planner/english"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// instead is "make it NEW instead of OLD", replace "change OLD to NEW".
func (c *changing) instead(m []string) error {
	now := strings.TrimSpace(m[1])
	if amount := strings.IndexAny(now, "0123456789$€£¥"); amount > 0 && strings.IndexAny(strings.TrimSpace(m[2]), "0123456789$€£¥") == 0 {
		now = now[amount:] // "wait 5 days instead of 2 days"
	}
	return c.exchangeWords(m[2], now)
}

func (c *changing) replace(m []string) error {
	if another.MatchString(m[2]) { // "change 100 to 50 and #support to #ops"
		return ErrNone
	}
	return c.exchangeWords(m[1], m[2])
}

var another = regexp.MustCompile(`(?i)(?:,| and) .+ (?:to|with|by) `)

// exchange puts new words into the place of old ones.
type exchange struct {
	*changing
	old, now string
}

// exchangeWords puts new words into the place of old ones: a name where somebody is asked or told, else in the words of the one step or
// trigger that has them, which are then read again.
func (c *changing) exchangeWords(old, now string) error {
	old, now = strings.Trim(strings.TrimSpace(old), `"“”.,!`), strings.Trim(strings.TrimSpace(now), `"“”`)
	if old == "" || now == "" {
		return ErrNone
	}
	e := exchange{c, old, now}
	if done, err := e.ofNames(); done || err != nil {
		return err
	}
	for i := range c.t.Triggers {
		if words, span, ok := c.sourceOf(&c.t.Triggers[i]); ok && countWord(words, old) == 1 {
			return e.inTrigger(i, span)
		}
	}
	hits := c.numbered(c.all(func(s *tree.Step) bool {
		words, _, ok := c.sourceOf(s)
		return ok && countWord(words, old) > 0 && !c.below(s, old)
	}))
	switch {
	case len(hits) == 0:
		return cannot("“%s” stands in no step, so there is nothing to replace.", old)
	case len(hits) > 1:
		if spoken := slices.DeleteFunc(slices.Clone(hits), func(n string) bool { return !c.hasText(n, old) }); len(spoken) == 1 { // the others only read it
			return e.inText(spoken[0])
		}
		return cannot("“%s” stands in the steps %s: say which one is meant, such as “%s. …”.", old, strings.Join(hits, ", "), hits[0])
	}
	return e.inStep(hits[0])
}

// inText puts new words into the text of a step, and into the conditions that read its answer.
func (e exchange) inText(number string) error {
	old, now := e.old, e.now
	s := e.t.Step(e.numbers[number])
	old = wholeTerm(s.Text, old, now)
	e.t.Replaced = append(append(e.t.Replaced, s.At...), s.Said)
	s.Text, s.Parts = replaceWord(s.Text, old, now), nil
	s.Said = e.addText(s.Text)
	e.t.Walk(func(other *tree.Step) bool {
		for _, c := range other.Conds() {
			if c.Left.Ref.Step == s.ID {
				c.Words = replaceWord(c.Words, old, now)
			}
		}
		return true
	})
	e.say("Step %s: %s instead of %s.", number, now, old)
	return nil
}

func (e exchange) inStep(number string) error {
	old, now := e.old, e.now
	p, err := e.find(number)
	if err != nil {
		return err
	}
	if p.step().Kind != tree.Ask && e.hasText(number, old) {
		return e.inText(number)
	}
	words, _, _ := e.sourceOf(p.step())
	old = wholeTerm(words, old, now)
	if p.step().Kind == tree.Decide && english.IsNumber(old) { // the same bound of two ranges
		for n := countWord(words, old); n > 1; n-- {
			words = replaceWord(words, old, now)
		}
	}
	if countWord(words, old) != 1 {
		return cannot("“%s” stands in step %s more than once: write the step anew, “%s. …”.", old, number, number)
	}
	q := e.addText(replaceWord(words, old, now))
	steps := outline.Steps(e.t, q)
	if len(steps) != 1 || steps[0].Kind != p.step().Kind || (steps[0].Deadline == nil) != (p.step().Deadline == nil) {
		return cannot("I cannot read step %s with “%s” in it: write the step anew, “%s. …”.", number, now, number)
	}
	e.exchange(p, steps)
	e.say("Step %s: %s instead of %s.", number, now, old)
	return nil
}

// wholeTerm adds its unit to a number, where a duration comes into its place: "5 days instead of 3".
func wholeTerm(words, old, now string) string {
	if _, term := values.Term(now); !term || !english.IsNumber(old) {
		return old
	}
	at := indexWord(words, old, 0)
	if at < 0 {
		return old
	}
	fields := strings.Fields(words[at+len(old):])
	for n := min(2, len(fields)); n > 0; n-- {
		whole := strings.Trim(old+" "+strings.Join(fields[:n], " "), ".,;")
		if _, ok := values.Term(whole); ok {
			return whole
		}
	}
	return old
}

func (e exchange) inTrigger(i int, span tree.Quote) error {
	old, now := e.old, e.now
	g, ok := outline.Trigger(e.t, e.addText(replaceWord(e.t.Words(span), old, now)))
	if !ok {
		return cannot("I cannot read “%s” as what starts the flow.", now)
	}
	e.forget(&e.t.Triggers[i])
	e.t.Triggers[i] = g
	e.say("It starts %s.", strings.TrimSpace(replaceWord(e.t.Words(span), old, now)))
	return nil
}

// ofNames replaces the name of a person wherever they are asked or told.
func (e exchange) ofNames() (bool, error) {
	old, now := e.old, e.now
	said := now
	if now = e.name(now); !e.named(old) { // not "the supervisor", as the words name somebody
		old = e.present(old)
	}
	if old == "" || now == "" {
		return false, nil
	}
	names, _, ok := outline.Who(e.t, e.quote(cmp.Or(atName(said), said)))
	if !ok || len(names) != 1 {
		return false, cannot("I cannot read “%s” as a person or a channel.", now)
	}
	var where []string
	e.t.Walk(func(s *tree.Step) bool {
		for _, n := range s.Names() {
			if strings.EqualFold(n.Is, old) || strings.EqualFold(n.Words, old) {
				e.forget(n)
				names[0].DM = n.DM
				*n = names[0]
				where = append(where, e.names[s.ID])
			}
		}
		for i := range s.Params {
			if text, _ := s.Params[i].Value.Literal.(string); strings.EqualFold(text, old) {
				e.forget(&s.Params[i])
				s.Params[i].Value = tree.Value{Words: now, Literal: now, At: e.quote(now)}
				s.At = append(s.At, e.quote(now))
				where = append(where, e.names[s.ID])
			}
		}
		return true
	})
	if len(where) == 0 {
		return false, cannot("%s is asked or told nothing in this flow.", old)
	}
	e.say("%s instead of %s in step %s.", now, old, strings.Join(where, ", "))
	return true, nil
}

// atName gives the one @name or #channel at the end of some words; "" = there is none.
func atName(words string) string {
	fields := strings.Fields(words)
	if len(fields) == 0 {
		return ""
	}
	last := strings.TrimRight(fields[len(fields)-1], ".,!")
	if len(last) < 2 || last[0] != '@' && last[0] != '#' {
		return ""
	}
	return last
}

// countWord counts how often words stand in a text as whole words, in any letter case.
func countWord(in, words string) (n int) {
	for at := indexWord(in, words, 0); at >= 0; at = indexWord(in, words, at+len(words)) {
		n++
	}
	return n
}

func replaceWord(in, old, now string) string {
	at := indexWord(in, old, 0)
	if at < 0 {
		return in
	}
	return in[:at] + now + in[at+len(old):]
}

// indexWord finds whole words at or after from.
func indexWord(in, words string, from int) int {
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for i := from; i+len(words) <= len(in); i++ {
		if !strings.EqualFold(in[i:i+len(words)], words) {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(in[:i])
		after, _ := utf8.DecodeRuneInString(in[i+len(words):])
		first, _ := utf8.DecodeRuneInString(words)
		last, _ := utf8.DecodeLastRuneInString(words)
		if !(letter(before) && letter(first)) && !(letter(after) && letter(last)) {
			return i
		}
	}
	return -1
}
