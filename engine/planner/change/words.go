package change

import (
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

// instead is "make it NEW instead of OLD".
func (c *changing) instead(now, old string) error {
	now = strings.TrimRight(now, ",.")
	if amount := strings.IndexAny(now, "0123456789$€£¥"); amount > 0 && strings.IndexAny(old, "0123456789$€£¥") == 0 {
		now = now[amount:] // "make the limit 300 instead of 100"
	}
	return c.exchangeWords(old, now)
}

// replace is "change OLD to NEW".
func (c *changing) replace(old, now string) error {
	if another.MatchString(now) {
		return ErrNone
	}
	return c.exchangeWords(old, now)
}

// another finds a second exchange: "change 100 to 50 and #support to #ops".
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
		if words := c.sourceOf(&c.t.Triggers[i]); len(places(words, old)) == 1 {
			return c.restart(i, Replace(words, old, now))
		}
	}
	hits := c.all(func(s *tree.Step) bool {
		return len(places(c.sourceOf(s), old)) > 0 && !c.below(s, old)
	})
	if len(hits) == 0 {
		return Cannot("“%s” stands in no step, so there is nothing to replace.", old)
	}
	if spoken := slices.DeleteFunc(slices.Clone(hits), func(s *tree.Step) bool { return !hasText(s, old) }); len(hits) > 1 && len(spoken) == 1 { // the others only read it
		return c.inText(spoken[0], old, now)
	}
	s, err := c.only(hits, "“%[3]s” stands in the steps %[1]s: say which one is meant, such as “%[2]s. …”.", old)
	if err != nil {
		return err
	}
	return c.inStep(s, old, now)
}

// hasText reports whether words stand once in the text of a step, which people or a model get as it is.
func hasText(s *tree.Step, words string) bool {
	return (s.Kind == tree.Ask || s.Kind == tree.Agent || s.Doer == tree.DoerPerson) && len(places(s.Text, words)) == 1
}

// inText puts new words into the text of a step, and into the conditions that read its answer.
func (c *changing) inText(s *tree.Step, old, now string) error {
	c.t.Replaced = append(append(c.t.Replaced, s.At...), s.Said)
	s.Text, s.Parts = Replace(s.Text, old, now), nil
	s.Said = c.addText(s.Text)
	for other := range c.t.Walk {
		for _, when := range other.Conds() {
			if when.Left.Ref.Step == s.ID {
				when.Words = Replace(when.Words, old, now)
			}
		}
	}
	c.say("Step %s: %s instead of %s.", c.names[s.ID], now, old)
	return nil
}

// inStep is exchangeWords for a step.
func (c *changing) inStep(s *tree.Step, old, now string) error {
	number := c.names[s.ID]
	if s.Kind != tree.Ask && hasText(s, old) {
		return c.inText(s, old, now)
	}
	words := c.sourceOf(s)
	ranges := s.Kind == tree.Decide && english.IsNumber(old) // two may have the same bound
	if n := len(places(words, old)); n == 0 || n > 1 && !ranges {
		return Cannot("“%s” stands in step %s more than once: write the step anew, “%s. …”.", old, number, number)
	}
	steps := outline.Steps(c.t, c.addText(Replace(words, old, now)))
	if len(steps) != 1 || steps[0].Kind != s.Kind || (steps[0].Deadline == nil) != (s.Deadline == nil) {
		return Cannot("I cannot read step %s with “%s” in it: write the step anew, “%s. …”.", number, now, number)
	}
	p, _ := c.place(s.ID)
	c.exchange(p, steps)
	c.say("Step %s: %s instead of %s.", number, now, old)
	return nil
}

// rewrite reads a step anew. What its words do not say, and an answer said before, stays.
func (c *changing) rewrite(step, words string) error {
	if quoted.MatchString(words) { // a text and no step
		return c.reword(step, words)
	}
	p, steps, err := c.at(step, words)
	if err != nil {
		return err
	}
	c.exchange(p, steps)
	c.say("Step %s: “%s”.", step, words)
	return nil
}

var quoted = regexp.MustCompile(`^\s*["“][^"“”]+["”][.!]?\s*$`)

// changeTo is "change 3 to WORDS" for a step, and "change 100 to 300" for a number.
func (c *changing) changeTo(what, words string) error {
	if _, step := c.numbers[strings.ToLower(what)]; step && !english.IsNumber(words) {
		return c.rewrite(what, words)
	}
	return c.replace(what, words)
}

// rewordOnly changes the text of the only message or question, or of the only one to somebody.
func (c *changing) rewordOnly(called, who, text string) error {
	kind := tree.Tell
	if strings.EqualFold(called, "question") {
		kind = tree.Ask
	}
	s, err := c.only(c.all(func(s *tree.Step) bool {
		return s.Kind == kind && (who == "" || phrase.MentionsWords(spoken(s), who))
	}), "There is a %[3]s in the steps %[1]s: say which one is meant, such as “step %[2]s should say ...”.", called)
	if err != nil {
		return err
	}
	return c.reword(c.names[s.ID], text)
}

// reword changes the text of a message or a question.
func (c *changing) reword(step, text string) error {
	p, err := c.find(step)
	if err != nil {
		return err
	}
	if p.Kind != tree.Tell && p.Kind != tree.Ask {
		return Cannot("Step %s says nothing: write it anew, “%s. …”.", c.names[p.ID], c.names[p.ID])
	}
	c.t.Replaced = append(c.t.Replaced, p.Said)
	p.Text, p.Said, p.Parts = strings.Trim(text, `"“”`), c.quote(text), nil
	c.say("Step %s says: “%s”.", step, p.Text)
	return nil
}

// places lists where words stand in a text as whole words, in any letter case.
func places(in, words string) (all []int) {
	for i := 0; words != "" && i+len(words) <= len(in); i++ {
		if strings.EqualFold(in[i:i+len(words)], words) && english.Whole(in, i, i+len(words)) {
			all = append(all, i)
			i += len(words) - 1
		}
	}
	return all
}

// Replace puts new words into the places of old ones.
func Replace(in, old, now string) string {
	for _, at := range slices.Backward(places(in, old)) {
		in = in[:at] + now + in[at+len(old):]
	}
	return in
}
