package change

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/quantity"
	"sluice/engine/planner/tree"
)

// instead is "make it NEW instead of OLD", also with what is meant in front of it: "the limit is now 75 not 50", "the note goes to #all not #ops".
func (c *changing) instead(now, old string) error {
	now = strings.TrimRight(now, ",.")
	of := ""
	was, ok := quantity.Of(old)
	if ok {
		of, now = splitQuantity(now, was)
	} else if m := inStep.FindStringSubmatch(now); m != nil {
		of, now = "step "+m[1], m[2]
	} else if at := strings.LastIndex(now, " ") + 1; at > 0 && c.present(old) != "" && c.name(now[at:]) != "" && c.name(now) == "" {
		of, now = now[:at], now[at:]
	}
	switch {
	case joined.MatchString(of):
		return ErrNone
	case ok && partOf(of):
		return Cannot("I cannot read “%s” as one value, so nothing has changed: write a number and what it counts, such as “90 minutes instead of %s”.", of+now, old)
	}
	return c.exchangeWords(of, old, now)
}

// joined finds words that end a change which another one follows: "remove 3, and".
var joined = regexp.MustCompile(`(?i)\b(?:and|but|then)\s*(?:(?:make|tell|post|send|put|use|ask|to|in|it|on)\s*)*$|\binstead\b`)

// inStep finds in which step words stand in the place of others: "in 2a use <last day>".
var inStep = regexp.MustCompile(`(?i)^in (?:step )?(` + aNumber + `),? (?:use|say|put|write) (.+)$`)

// splitQuantity cuts words before the new quantity, or the new days of a schedule, that stands in the place of an old one at their end.
func splitQuantity(words string, old quantity.Quantity) (of, now string) {
	toks := phrase.Trim(phrase.Scan(words, 0, len(words)))
	first := -1
	for i := range toks {
		lead := phrase.Starting(toks[i:], quantity.Leads)
		q, n := quantity.Read(toks[i+lead:])
		fits := n > 0 && q.Follows(old)
		switch {
		case fits && i+lead+n == len(toks), old.Dated() && (lead > 0 || fits):
			return words[:toks[i].From], words[toks[i].From:]
		case fits && first < 0 && lead == 0:
			first = toks[i].From
		}
	}
	if first < 0 {
		first = 0
	}
	return words[:first], words[first:]
}

// partOf reports whether words in front of a quantity say that it is another one: "half a day", "3-4 hours", "less than an hour".
func partOf(of string) bool {
	of = stepNamed.ReplaceAllString(of, "")
	toks := phrase.Scan(of, 0, len(of))
	for i := range toks {
		if q, n := quantity.Read(toks[i:]); n > 0 && !q.Dated() {
			return true
		}
	}
	return fraction.MatchString(of)
}

var fraction = regexp.MustCompile(`(?i)\b(?:half|quarter|third|than|up to|at (?:least|most)|about|around|roughly|nearly|almost|every)\b`)

// notBut is instead for words that may say something else: "the limit is 75 and not 50". Both must be of the same sort.
func notBut(c *changing, now, old string) error {
	was, ok := quantity.Of(old)
	_, rest := splitQuantity(now, was)
	next, is := quantity.Of(rest)
	is = is || quantity.Counts(rest)
	if name := now[strings.LastIndex(now, " ")+1:]; (!ok || !is || !next.Follows(was)) && (c.present(old) == "" || c.name(name) == "") || placed.MatchString(now+old) {
		return ErrNone
	}
	return c.instead(now, old)
}

// replace is "change OLD to NEW".
func (c *changing) replace(old, now string) error {
	if another.MatchString(now) {
		return ErrNone
	}
	return c.exchangeWords("", old, now)
}

// fromTo is "raise the limit from OLD to NEW".
func fromTo(c *changing, of, old, now string) error {
	was, ok := quantity.Of(old)
	if next, is := quantity.Of(now); (!ok || !is || !next.Follows(was)) && (c.present(old) == "" || c.name(now) == "") {
		return ErrNone
	}
	return c.exchangeWords(of, old, now)
}

// another finds a second exchange: "change 100 to 50 and #support to #ops".
var another = regexp.MustCompile(`(?i)(?:,| and) .+ (?:to|with|by) `)

// exchangeWords puts new words into the place of old ones: a name where somebody is asked or told, else a value or words of the one step or
// trigger that has them. of says which one is meant where several have them; "" = nothing.
func (c *changing) exchangeWords(of, old, now string) error {
	if behindQuote.MatchString(now) {
		return ErrNone
	}
	old, now = strings.Trim(strings.TrimSpace(old), `"“”.,!`), strings.Trim(strings.TrimSpace(now), `"“”`)
	_, value := quantity.Of(old)
	if old == "" || now == "" || len(apart(old)) > 1 || value && len(clausesOf(now)) > 1 { // a clause behind the value is another change
		return ErrNone
	}
	if done, err := c.exchangeNames(of, old, now); done || err != nil {
		return err
	}
	if done, err := exchangeStart(c, old, now); done || err != nil {
		return err
	}
	values := c.held(old, now)
	hits := c.all(func(s *tree.Step) bool {
		has := slices.ContainsFunc(values, func(h held) bool { return h.step == s })
		return has || (len(quantity.Places(c.sourceOf(s), old)) > 0 || hasText(s, old)) && !c.below(s, old)
	})
	if m := clauseBehind.FindStringSubmatch(old); len(hits) == 0 && m != nil && len(c.all(func(s *tree.Step) bool { return c.quotes(s, m[1]) })) > 0 {
		return Cannot("I can read “%s instead of %s”, and not “%s”, so nothing has changed: write them one at a time.", now, m[1], m[2])
	}
	if len(hits) == 0 {
		return Cannot("“%s” stands in no step, so there is nothing to replace.", old)
	}
	if quoting := slices.DeleteFunc(slices.Clone(hits), func(s *tree.Step) bool { return !c.quotes(s, old) && !hasText(s, old) }); len(quoting) > 0 {
		hits = quoting // not what only stands around the words of another step
	}
	if spoken := slices.DeleteFunc(slices.Clone(hits), func(s *tree.Step) bool { return !hasText(s, old) }); len(hits) > 1 && len(spoken) == 1 && c.readOnly(hits, spoken[0], old) {
		return c.inText(spoken[0], old, now)
	}
	s, err := c.meant(hits, values, of, old, now)
	if err != nil {
		return err
	}
	if values = slices.DeleteFunc(values, func(h held) bool { return h.step != s }); len(values) > 1 && !sameBound(values) {
		values = slices.DeleteFunc(slices.Clone(values), func(h held) bool { return !h.kind.MatchString(of) })
	}
	if len(values) == 1 || sameBound(values) {
		return setHeld(c, values, old, now)
	}
	return c.inStep(s, old, now)
}

// behindQuote finds words behind a text in quotes, which are no part of it: "all done" and tell @ana.
var behindQuote = regexp.MustCompile(`^\s*(?:"[^"]*"|“[^”]*”)[\s,;.]*[\pL\pN@#]`)

// clauseBehind finds words that go on behind a value.
var clauseBehind = regexp.MustCompile(`(?is)^(.+?)(?:,? (?:and|but)|[,;])\s+(\pL.+)$`)

// has reports whether a step has a quantity that words mean.
func (d *draft) has(s *tree.Step, words string) bool {
	return len(heldBy(d, s, words, words)) > 0
}

// quotes reports whether a step, a value or a text of it has words.
func (d *draft) quotes(s *tree.Step, words string) bool {
	return d.has(s, words) || slices.ContainsFunc(tree.Quotes(s), func(q tree.Quote) bool { return len(quantity.Places(d.t.Words(q), words)) > 0 })
}

// readOnly reports whether all of some steps but one only read the answer to that one, or have the words in common with it.
func (d *draft) readOnly(hits []*tree.Step, of *tree.Step, words string) bool {
	return !slices.ContainsFunc(hits, func(s *tree.Step) bool {
		reads := slices.ContainsFunc(s.Conds(), func(when *tree.Cond) bool { return when.Left.Ref.Step == of.ID })
		return s != of && !reads && (d.has(s, words) || slices.ContainsFunc(tree.Quotes(s), func(q tree.Quote) bool {
			return len(quantity.Places(d.t.Words(q), words)) > 0 && (q.Text != of.Said.Text || q.From < of.Said.From || q.To > of.Said.To)
		}))
	})
}

// meant gives the one of several steps with some words that others are about. Who is named there must be asked or told in it.
func (d *draft) meant(hits []*tree.Step, values []held, of, old, now string) (*tree.Step, error) {
	about, named := hits[:0:0], ""
	for w := range strings.FieldsSeq(of) {
		if name := d.present(strings.Trim(w, ",.:")); name != "" && name != now {
			named = name
		}
	}
	number := stepNamed.FindStringSubmatch(of)
	for _, s := range hits {
		said := slices.ContainsFunc(strings.Fields(of), func(w string) bool {
			return len(w) > 2 && !idleWords[strings.ToLower(w)] && phrase.MentionsWords(spoken(s), w)
		})
		kind := slices.ContainsFunc(values, func(h held) bool { return h.step == s && h.kind.MatchString(of) })
		switch {
		case number != nil && d.names[s.ID] != strings.ToLower(number[1]):
		case named != "" && !slices.ContainsFunc(s.Names(), func(n *tree.Name) bool { return called(n, named) }):
		case number != nil || named != "" || said || kind:
			about = append(about, s)
		}
	}
	if number == nil && named == "" && len(about) == 0 {
		about = hits
	}
	if len(about) == 0 {
		return nil, Cannot("“%s” does not stand where “%s” says.", old, strings.TrimSpace(of))
	}
	return d.only(about, "“%[3]s” stands in the steps %[1]s: say which one is meant, such as “in step %[2]s, %[4]s instead of %[3]s”.", old, now)
}

// stepNamed finds the number of a step that words name.
var stepNamed = regexp.MustCompile(`(?i)\bstep ([0-9]+[0-9a-z]*)`)

// idleWords are words before a new value that say nothing of a step.
var idleWords = english.WordSet("the make give use set now should must goes now have has its step ask tell")

// exchangeStart puts new words into the place of old ones in what starts the flow. A whole schedule takes the place of one on that day.
func exchangeStart(c *changing, old, now string) (done bool, err error) {
	was, ok := quantity.Of(old)
	texts := len(c.t.Texts)
	for i := range c.t.Triggers {
		g := &c.t.Triggers[i]
		words, on := c.sourceOf(g), ok && startsOn(g.Cron, was)
		in := len(quantity.Places(words, old)) == 1
		if !in && !on {
			continue
		}
		bare := onDay.ReplaceAllString(now, "")
		for k, said := range []string{quantity.Replace(words, old, now), quantity.Replace(words, old, bare), now, "every " + bare} {
			next, read := outline.Trigger(c.t, c.addText(said))
			if read && (k < 2 && in && (next.Cron != "" || g.Cron == "") || k > 1 && on && next.Cron != "") {
				next.Cron = SameClock(next.Cron, g.Cron, said)
				return true, c.restart(i, next, said)
			}
			c.t.Texts = c.t.Texts[:texts]
		}
		if in {
			return false, Cannot("I cannot read “%s” as what starts the flow.", quantity.Replace(words, old, now))
		}
	}
	return false, nil
}

// onDay are words before a day that another one may have before it already.
var onDay = regexp.MustCompile(`(?i)^(?:on|at) (?:the )?`)

// startsOn reports whether a schedule starts on one day of the week or of the month, and which.
func startsOn(cron string, day quantity.Quantity) bool {
	f := strings.Fields(cron)
	at := map[string]int{quantity.Weekday: 4, quantity.Nth: 2}[day.Unit]
	return len(f) == 5 && at > 0 && f[at] == strconv.Itoa(int(day.Number)) && f[6-at] == "*"
}

// hasText reports whether words stand once in the text of a step, which people or a model get as it is.
func hasText(s *tree.Step, words string) bool {
	return (s.Kind == tree.Ask || s.Kind == tree.Tell || s.Kind == tree.Agent || s.Doer == tree.DoerPerson) && len(quantity.Places(s.Text, words)) == 1
}

// inText puts new words into the text of a step, and into the conditions that read its answer.
func (c *changing) inText(s *tree.Step, old, now string) error {
	c.t.Replaced = append(append(c.t.Replaced, s.At...), s.Said)
	s.Text, s.Parts = quantity.Replace(s.Text, old, now), nil
	s.Said = c.addText(s.Text)
	for other := range c.t.Walk {
		for _, when := range other.Conds() {
			if when.Left.Ref.Step == s.ID {
				when.Words = quantity.Replace(when.Words, old, now)
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
	if n := len(quantity.Places(words, old)); n == 0 || n > 1 && !ranges {
		return Cannot("“%s” stands in step %s more than once: write the step anew, “%s. …”.", old, number, number)
	}
	steps := outline.Steps(c.t, c.addText(quantity.Replace(words, old, now)))
	if len(steps) != 1 || steps[0].Kind != s.Kind || (steps[0].Deadline == nil) != (s.Deadline == nil) {
		return Cannot("I cannot read step %s with “%s” in it: write the step anew, “%s. …”.", number, now, number)
	}
	p, _ := c.place(s.ID)
	lost := c.exchange(p, steps)
	c.confirm(slices.DeleteFunc(lost, c.t.Restore)) // only the value is new
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
	c.confirm(c.exchange(p, steps))
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
	s, err := c.says(called, who)
	if err != nil {
		return err
	}
	return c.reword(c.names[s.ID], text)
}

// says gives the only message or question, or the only one to somebody.
func (c *changing) says(called, who string) (*tree.Step, error) {
	kind := tree.Tell
	if strings.EqualFold(called, "question") {
		kind = tree.Ask
	}
	return c.only(c.all(func(s *tree.Step) bool {
		return s.Kind == kind && (who == "" || phrase.MentionsWords(spoken(s), who))
	}), "There is a %[3]s in the steps %[1]s: say which one is meant, such as “step %[2]s should say ...”.", called)
}

// mention adds values that people give to the text of a message or a question: "the message should mention the amount".
func mention(c *changing, called, who, what string) error {
	var given []string
	for _, in := range c.t.Inputs {
		given = append(given, in.Name)
	}
	for s := range c.t.Walk {
		for _, f := range s.Fields {
			given = append(given, f.Name)
		}
	}
	s, err := c.says(called, who)
	if err != nil {
		return err
	}
	texts := []string{strings.TrimRight(s.Text, ".")}
	for part := range strings.SplitSeq(ands.Replace(what), ",") {
		part = strings.TrimPrefix(strings.TrimSpace(part), "the ")
		i := slices.IndexFunc(given, func(name string) bool { return strings.EqualFold(strings.ReplaceAll(name, "_", " "), part) })
		if i < 0 {
			return Cannot("Nobody gives a value called “%s”, so nothing has changed. People give: %s. To write the whole text anew, reply “step %s should say \"...\"”.", part, cmp.Or(english.Join(given, "and"), "none"), c.names[s.ID])
		}
		texts = append(texts, fmt.Sprintf("%s: {%s}", english.SentenceCase(part), given[i]))
	}
	s.At, s.Text, s.Parts = append(s.At, c.quote(what)), strings.TrimPrefix(strings.Join(texts, ". "), ". "), nil
	c.say("Step %s says: “%s”.", c.names[s.ID], s.Text)
	return nil
}

// ands has the items of a list separated by commas alone.
var ands = strings.NewReplacer(" and ", ",", " & ", ",")

// reword changes the text of a message or a question.
func (c *changing) reword(step, text string) error {
	if behindQuote.MatchString(text) {
		return ErrNone
	}
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
