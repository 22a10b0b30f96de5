package change

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// instead is "make it NEW instead of OLD", replace "change OLD to NEW".
func (c *changing) instead(m []string) error {
	now := strings.TrimRight(strings.TrimSpace(m[1]), ",.")
	if amount := strings.IndexAny(now, "0123456789$€£¥"); amount > 0 && strings.IndexAny(strings.TrimSpace(m[2]), "0123456789$€£¥") == 0 {
		now = now[amount:] // "wait 5 days instead of 2 days"
	}
	return c.exchangeWords(m[2], now)
}

// otherAmount puts one amount into the place of another, with the words that compare it where the reply has some: "over 50, not 100".
func otherAmount(c *changing, over, now, overOld, old string) error {
	return c.exchangeWords(strings.TrimSpace(cmp.Or(overOld, over)+" "+old), strings.TrimSpace(cmp.Or(over, overOld)+" "+now))
}

func (c *changing) replace(m []string) error {
	if another.MatchString(m[2]) { // "change 100 to 50 and #support to #ops"
		return ErrNone
	}
	return c.exchangeWords(m[1], m[2])
}

var another = regexp.MustCompile(`(?i)(?:,| and) .+ (?:to|with|by) `)

// exchangeWords puts new words into the place of old ones: a name where somebody is asked or told, else in the words of the one step or
// trigger that has them, which are then read again.
func (c *changing) exchangeWords(old, now string) error {
	old, now = strings.Trim(strings.TrimSpace(old), `"“”.,!`), strings.Trim(strings.TrimSpace(now), `"“”`)
	if old == "" || now == "" {
		return ErrNone
	}
	if done, err := c.exchangeNames(old, now); done || err != nil {
		return err
	}
	for i := range c.t.Triggers {
		if words := c.starts(&c.t.Triggers[i]); countWord(words, old) == 1 {
			return c.restart(i, replaceWord(words, old, now))
		}
	}
	hits := c.all(func(s *tree.Step) bool {
		return countWord(c.sourceOf(s), old) > 0 && !c.below(s, old)
	})
	if len(hits) == 0 {
		return Cannot("“%s” stands in no step, so there is nothing to replace.", old)
	}
	spoken := slices.DeleteFunc(slices.Clone(hits), func(s *tree.Step) bool { return !hasText(s, old) })
	if len(hits) > 1 && len(spoken) == 1 { // the others only read it
		return c.inText(spoken[0], old, now)
	}
	s, err := c.only(hits, "“%[3]s” stands in the steps %[1]s: say which one is meant, such as “%[2]s. …”.", old)
	if err != nil {
		return err
	}
	return c.inStep(s, old, now)
}

// inText puts new words into the text of a step, and into the conditions that read its answer.
func (c *changing) inText(s *tree.Step, old, now string) error {
	old = wholeTerm(s.Text, old, now)
	c.t.Replaced = append(append(c.t.Replaced, s.At...), s.Said)
	s.Text, s.Parts = replaceWord(s.Text, old, now), nil
	s.Said = c.addText(s.Text)
	for other := range c.t.Walk {
		for _, when := range other.Conds() {
			if when.Left.Ref.Step == s.ID {
				when.Words = replaceWord(when.Words, old, now)
			}
		}
	}
	c.say("Step %s: %s instead of %s.", c.names[s.ID], now, old)
	return nil
}

func (c *changing) inStep(s *tree.Step, old, now string) error {
	if s.Kind != tree.Ask && hasText(s, old) {
		return c.inText(s, old, now)
	}
	number := c.names[s.ID]
	words := c.sourceOf(s)
	old = wholeTerm(words, old, now)
	if s.Kind == tree.Decide && english.IsNumber(old) { // the same bound of two ranges
		for n := countWord(words, old); n > 1; n-- {
			words = replaceWord(words, old, now)
		}
	}
	if countWord(words, old) != 1 {
		return Cannot("“%s” stands in step %s more than once: write the step anew, “%s. …”.", old, number, number)
	}
	steps := outline.Steps(c.t, c.addText(replaceWord(words, old, now)))
	if len(steps) != 1 || steps[0].Kind != s.Kind || (steps[0].Deadline == nil) != (s.Deadline == nil) {
		return Cannot("I cannot read step %s with “%s” in it: write the step anew, “%s. …”.", number, now, number)
	}
	p, _ := c.place(s.ID)
	c.exchange(p, steps)
	c.say("Step %s: %s instead of %s.", number, now, old)
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

// starts gives the words of a trigger; of a reaction in a flow from a file, the usual ones.
func (d *draft) starts(g *tree.Trigger) string {
	words := d.sourceOf(g)
	if words == "" && g.Emoji != "" {
		words = strings.TrimSuffix("when somebody reacts with :"+strings.Trim(g.Emoji, ":")+": to a message in "+g.Channel, " in ")
	}
	return words
}

// react has a reaction start the flow in another channel, or another reaction: "react in #bugs instead".
func react(c *changing, m []string) error {
	emoji, channel := cmp.Or(m[1], m[3]), cmp.Or(m[2], m[4])
	at := slices.IndexFunc(c.t.Triggers, func(g tree.Trigger) bool { return g.Emoji != "" })
	if at < 0 || emoji+channel == "" || slices.ContainsFunc(c.t.Triggers[at+1:], func(g tree.Trigger) bool { return g.Emoji != "" }) {
		return ErrNone
	}
	old := c.t.Triggers[at]
	return c.restart(at, c.starts(&tree.Trigger{Emoji: cmp.Or(emoji, old.Emoji), Channel: cmp.Or(channel, old.Channel)}))
}

// restart puts other words into the place of those of a trigger.
func (c *changing) restart(i int, words string) error {
	g, ok := outline.Trigger(c.t, c.addText(words))
	if !ok {
		return Cannot("I cannot read “%s” as what starts the flow.", words)
	}
	c.forget(&c.t.Triggers[i])
	c.t.Triggers[i] = g
	c.say("It starts %s.", strings.TrimSpace(words))
	return nil
}

// exchangeNames replaces the name of a person wherever they are asked or told.
func (c *changing) exchangeNames(old, said string) (bool, error) {
	now := c.name(said)
	if !c.named(old) { // not "the supervisor", as the words name somebody
		old = c.present(old)
	}
	if old == "" || now == "" {
		return false, nil
	}
	names, _, ok := outline.Who(c.t, c.quote(cmp.Or(atName(said), said)))
	if !ok || len(names) != 1 {
		return false, Cannot("I cannot read “%s” as a person or a channel.", now)
	}
	var where []string
	for s := range c.t.Walk {
		for _, n := range s.Names() {
			if called(n, old) {
				c.forget(n)
				names[0].DM = n.DM
				*n = names[0]
				where = append(where, c.names[s.ID])
			}
		}
		for i := range s.Params {
			if text, _ := s.Params[i].Value.Literal.(string); strings.EqualFold(text, old) {
				c.forget(&s.Params[i])
				s.Params[i].Value = tree.Value{Words: now, Literal: now, At: c.quote(now)}
				s.At = append(s.At, c.quote(now))
				where = append(where, c.names[s.ID])
			}
		}
	}
	if slices.ContainsFunc(c.t.Triggers, func(g tree.Trigger) bool { return g.Channel == old }) && len(where) == 0 {
		return false, nil
	}
	if len(where) == 0 {
		return false, Cannot("%s is asked or told nothing in this flow.", old)
	}
	c.say("%s instead of %s in step %s.", now, old, strings.Join(where, ", "))
	return true, nil
}

// atName gives the one @name or #channel at the end of some words; "" = there is none.
func atName(words string) string {
	words = strings.TrimRight(strings.TrimSpace(words), ".,!")
	last := words[strings.LastIndexAny(words, " \t\n")+1:]
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
	if at := indexWord(in, old, 0); at >= 0 {
		in = in[:at] + now + in[at+len(old):]
	}
	return in
}

// indexWord finds whole words at or after from.
func indexWord(in, words string, from int) int {
	for i := from; i+len(words) <= len(in); i++ {
		if strings.EqualFold(in[i:i+len(words)], words) && english.Whole(in, i, i+len(words)) {
			return i
		}
	}
	return -1
}
