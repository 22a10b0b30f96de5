package change

import (
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/planner/outline"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// each are all of those who are asked.
var each = regexp.MustCompile(`(?i)^\s*(?:(?:each|all|both|every one)(?: of them)?|them (?:all|both)|everybody|everyone)\s*$`)

// allow sets how long people have.
func (c *changing) allow(m []string) error {
	term, ok := values.Term(m[2])
	if !ok {
		return ErrNone
	}
	if all := c.asking(""); each.MatchString(m[1]) && len(all) > 1 {
		for _, s := range all {
			c.term(s, m[2], term)
		}
		c.say("In the steps %s people have %s.", strings.Join(c.numbered(all), ", "), strings.TrimSpace(m[2]))
		return nil
	}
	s, err := c.one(strings.TrimPrefix(strings.ToLower(m[1]), "step "))
	if err != nil {
		return err
	}
	c.term(s, m[2], term)
	c.say("In step %s people have %s.", c.names[s.ID], strings.TrimSpace(m[2]))
	return nil
}

// affect changes what is said of a step that people answer: a deadline, a reminder, who else is asked, what follows an answer; and how often
// another one is tried.
func (c *changing) affect(m []string) error {
	words := strings.TrimSpace(m[2])
	q := c.quote(words)
	if m[4] != "" { // "if nobody answers in step 1 within 10 minutes, ask @cfo"
		words += m[4]
		q = c.addText(words)
	}
	return c.affected(m[1]+m[3], words, q)
}

// attempts finds words about a step that can fail.
var attempts = regexp.MustCompile(`(?i)^(?:(?:re)?try|(?:if|when) (?:it|that|this|something|anything) (?:fails|goes wrong|breaks))\b`)

func (c *changing) affected(number, words string, q tree.Quote) error {
	next, err := c.fitting(number, words, q)
	if err != nil {
		return err
	}
	s := c.t.Step(next.ID)
	if err = movedBehind(c, next, longer(next, s)); !errors.Is(err, ErrNone) {
		c.t.Replaced = append(c.t.Replaced, q)
		return err
	}
	if !reflect.DeepEqual(s.Deadline, next.Deadline) {
		c.retimed(s)
	}
	*s = *next
	c.read = append(c.read, q)
	c.t.Renumber()
	c.say("In step %s: “%s”.", c.names[s.ID], words)
	return nil
}

// answerer finds who has answered in a condition: "if @ana says no".
var answerer = compiled(`(?:if|when|once|after|as soon as) (NAME) .*`)

// fitting gives the only step of which words can be said, as it is with them. ErrNone: there is none.
func (d *draft) fitting(number, words string, q tree.Quote) (*tree.Step, error) {
	of := d.asking("")
	if attempts.MatchString(words) {
		of = d.all(func(s *tree.Step) bool { return canFail(d, s) == nil })
	}
	by := ""
	if m := answerer.FindStringSubmatch(words); m != nil {
		by = d.present(m[1])
	}
	var fits []*tree.Step
	for _, s := range of {
		if number != "" && d.names[s.ID] != strings.ToLower(number) || by != "" && !isName(s.Who, by) {
			continue
		}
		if next, ok := outline.Affect(d.t, q, s); ok && !idle(&next, s) {
			fits = append(fits, &next)
		}
	}
	return d.only(fits, "This can be said of the steps %[1]s: say which one is meant, such as “in step %[2]s, %[3]s”.", words)
}

// isName reports whether one of some people or channels is called so.
func isName(all []tree.Name, name string) bool {
	return slices.ContainsFunc(all, func(n tree.Name) bool { return called(&n, name) })
}

func called(n *tree.Name, name string) bool {
	return strings.EqualFold(n.Is, name) || strings.EqualFold(n.Words, name)
}

// idle reports whether a step that was read again has another answer than before for which nothing is done: "after finance approved, @cfo too".
func idle(next, s *tree.Step) bool {
	n := len(next.Branches)
	return n > len(s.Branches) && len(next.Branches[n-1].Steps) == 0 && reflect.DeepEqual(next.Deadline, s.Deadline)
}

// approvers sets who is asked for the only approval, or for that of a step.
func (c *changing) approvers(m []string) error {
	s, err := c.one("")
	if m[2] != "" {
		var p spot
		p, err = c.find(m[2])
		s = p.Step
	}
	if err != nil {
		return err
	}
	n := several.FindStringSubmatch(strings.TrimSpace(m[1]))
	if n == nil {
		return c.assign(s, m[1])
	}
	count := ordinals[strings.ToLower(n[1])]
	if count == 0 {
		count, _ = strconv.Atoi(n[1])
	}
	if s.Kind != tree.Ask || s.Free || len(s.Fields) > 0 || count < 1 {
		return ErrNone
	}
	s.Quorum = count
	c.say("In step %s %s must agree.", c.names[s.ID], strings.TrimSpace(m[1]))
	return nil
}

// several finds how many of those who are asked must agree: "two people", "both of them".
var several = regexp.MustCompile(`(?i)^(?:at least |only |just |any )?([0-9]{1,2}|one|two|three|four|five|six)(?: (?:people|persons|members|of them|approvers))?$`)

// term sets how long a step lasts, and accounts for the words of the time before.
func (c *changing) term(s *tree.Step, words, term string) {
	c.retimed(s)
	switch {
	case s.Kind == tree.Wait:
		s.For = term
	case s.Deadline == nil:
		s.Deadline = &tree.Deadline{After: term}
	default:
		s.Deadline.After = term
	}
	s.At = append(s.At, c.quote(words))
}

// retimed accounts for the words of the deadline that a step had.
func (d *draft) retimed(s *tree.Step) {
	for _, q := range s.At {
		if values.HoldsTerm(d.t.Words(q)) {
			d.t.Replaced = append(d.t.Replaced, q)
		}
	}
}

// skipBelow asks people only from an amount on. That weakens the question, so that a person has to confirm it.
func (c *changing) skipBelow(m []string) error {
	gates := c.gates()
	if len(gates) == 0 {
		return Cannot("Nobody is asked anything in this flow.")
	}
	gate, err := c.only(gates, "There are %[3]d questions to people in this flow: write the one that is meant anew, such as “%[2]s. if the amount is over %[4]s ask ...”.", len(gates), m[3])
	if err != nil {
		return err
	}
	if more(&c.draft) || slices.ContainsFunc(strings.Fields(strings.ToLower(c.t.Texts[c.text].Words)), func(w string) bool { // somebody else is meant for these amounts
		name := c.name(w)
		return name != "" && !isName(gate.Who, name)
	}) {
		return ErrNone
	}
	if m[1] != "" && !isName(gate.Who, "@"+strings.TrimLeft(strings.ToLower(m[1]), "@")) { // "without @bob below 50" where @finance is asked
		return ErrNone
	}
	op, amounts := ">=", " or more"
	if from := strings.ToLower(m[2]); from == "above" || from == "over" || from == "for more than" {
		op, amounts = ">", " is exceeded"
	}
	amount, ok := values.Amount(m[3])
	if !ok {
		return ErrNone
	}
	if above, inside := c.above(gate.ID); inside {
		for _, when := range above.Conds() {
			if bound, number := when.Right.Literal.(float64); number && strings.HasPrefix(when.Op, ">") && amount <= bound {
				return Cannot("In step %s people are asked only if %s already: say which amount is right, such as “make it %s”.", c.names[gate.ID], when.Words, m[3])
			}
		}
	}
	when := tree.Cond{Op: op, Words: strings.TrimSpace(m[3]) + amounts, Right: tree.Value{Words: m[3], Literal: amount, At: c.quote(m[3])}}
	inner, behind := *gate, []tree.Step(nil)
	inner.No = 0
	for i, b := range inner.Branches { // what follows a yes is done without the question, too
		if b.Choice == outline.Choice(gate, "approved") {
			c.t.Replaced = append(c.t.Replaced, b.At...)
			behind, inner.Branches = b.Steps, slices.Delete(slices.Clone(inner.Branches), i, i+1)
			break
		}
	}
	if len(inner.Choices) > 0 && len(behind)+len(inner.Branches) > 0 {
		return Cannot("Step %s is not only an approval: say what is done below %s, such as “%s. if the amount is below %s ..., otherwise ask ...”.", c.names[gate.ID], m[3], c.names[gate.ID], m[3])
	}
	at, _ := c.place(gate.ID)
	*gate = tree.Step{ID: c.t.NewID(), No: gate.No, Kind: tree.Decide, Branches: []tree.Branch{{When: &when, Steps: []tree.Step{inner}}}}
	*at.list = slices.Insert(*at.list, at.at+1, behind...)
	c.t.Renumber()
	c.say("In step %s people are asked only if %s.", c.names[inner.ID], when.Words)
	c.object("gate", "nobody is asked any more in step %v unless %s", &inner, when.Words)
	return nil
}

// besides are words that name somebody beside those who are asked, or in their place.
var besides = regexp.MustCompile(`\b(?:instead|too|also|as well|again|another|second|once more)\b`)

// askToo adds a person to those who are asked already: each of them has to agree.
func (c *changing) askToo(m []string) error {
	if !more(&c.draft) && !adds.MatchString(c.t.Texts[c.text].Words) { // "@finance has to say yes"
		return ErrNone
	}
	s, err := c.one(m[1])
	if err != nil {
		return err
	}
	names, _, ok := outline.Who(c.t, c.quote(m[2]))
	if !ok || s.Kind != tree.Ask {
		return ErrNone
	}
	p, _ := c.place(s.ID)
	more := tree.Step{ID: c.t.NewID(), Kind: tree.Ask, Text: s.Text, Choices: s.Choices, Fields: s.Fields, Free: s.Free, Who: names}
	c.insert(p, "after", []tree.Step{more})
	c.say("After step %s, %s is asked, too: both have to agree.", c.names[s.ID], m[2])
	return nil
}

// takeOver gives a step that somebody answers or does to another person: "@dan should do the accounts, not @it".
func takeOver(c *changing, m []string) error {
	p, err := c.find(m[2])
	if err != nil || !strings.HasPrefix(c.name(m[1]), "@") {
		return ErrNone
	}
	if p.Kind != tree.Ask && (p.Kind != tree.Do || p.Doer == tree.DoerTool || p.Doer == tree.DoerFlow) || isName(p.Who, c.name(m[1])) {
		return ErrNone
	}
	return c.handOver(p.Step, m[1], m[3]+m[4] != "")
}

// spared takes a step away from somebody: "@bob doesn't need to check it".
func spared(c *changing, m []string) error {
	name := c.present(m[1])
	of := c.all(func(s *tree.Step) bool {
		return name != "" && isName(s.Who, name) && phrase.MentionsWords(spoken(s), m[2])
	})
	if len(of) != 1 {
		return ErrNone
	}
	if done, err := c.oneOf(of[0], m[1]); done || err != nil {
		return err
	}
	return c.remove([]string{"", c.names[of[0].ID]})
}

// swapNames exchanges two people or channels, or two steps that words name.
func swapNames(c *changing, m []string) error {
	a, b := c.present(m[1]), c.present(m[2])
	if !c.named(a) || !c.named(b) {
		return c.swap(m)
	}
	for s := range c.t.Walk {
		for _, n := range s.Names() {
			other := b
			if strings.EqualFold(n.Words, b) {
				other = a
			}
			if strings.EqualFold(n.Words, a) || other == a {
				c.t.Replaced = append(c.t.Replaced, n.At)
				*n = tree.Name{Words: other, DM: n.DM}
			}
		}
	}
	c.say("%s and %s have changed places.", a, b)
	return nil
}

// require makes an input required or optional.
func (c *changing) require(m []string) error {
	for i := range c.t.Inputs {
		in := &c.t.Inputs[i]
		if !phrase.MentionsWords(strings.ReplaceAll(in.Name, "_", " ")+" "+in.About, m[1]) {
			continue
		}
		in.Optional = m[2] == "optional" || strings.HasPrefix(strings.ToLower(m[2]), "not")
		c.say("%s is %s.", strings.TrimSpace(m[1]), m[2])
		return nil
	}
	return ErrNone
}

// reclock keeps the days on which the flow starts, and changes the time of day.
func (c *changing) reclock(m []string) error {
	words := m[1]
	hour, minute, ok := values.Clock(strings.TrimPrefix(strings.TrimSpace(words), "at "))
	at := slices.IndexFunc(c.t.Triggers, func(g tree.Trigger) bool { return len(strings.Fields(g.Cron)) == 5 })
	if !ok || at < 0 {
		return c.instead1(words)
	}
	g := &c.t.Triggers[at]
	c.forget(g)
	fields := strings.Fields(g.Cron)
	fields[0], fields[1] = strconv.Itoa(minute), strconv.Itoa(hour)
	g.Cron, g.At = strings.Join(fields, " "), []tree.Quote{c.quote(words)}
	c.say("It starts at %d:%02d, on the same days as before.", hour, minute)
	return nil
}

// inChannel finds a place that may also be that of what starts the flow: "in #ops instead".
var inChannel = regexp.MustCompile(`(?i)\bin #`)

// telling finds words about a message.
var telling = regexp.MustCompile(`(?i)\b(?:tell|inform|notify|message|post|send|dm)\b`)

// instead1 puts a name into the only place where it fits: "@bob instead".
func (c *changing) instead1(words string) error {
	name := c.name(words)
	if name == "" || len(strings.Fields(words)) > 1 {
		return ErrNone
	}
	tells := name[0] == '#' || telling.MatchString(c.t.Texts[c.text].Words)
	fits := c.all(func(s *tree.Step) bool {
		return tells && s.Kind == tree.Tell || !tells && (s.Kind == tree.Ask || s.Doer == tree.DoerPerson)
	})
	s, err := c.only(fits, "%[3]s can be meant in the steps %[1]s: say which, such as “%[2]s goes to %[3]s”.", name)
	if err != nil {
		return err
	}
	if at := slices.IndexFunc(c.t.Triggers, func(g tree.Trigger) bool { return g.Channel != "" }); at >= 0 && inChannel.MatchString(c.t.Texts[c.text].Words) && !telling.MatchString(c.t.Texts[c.text].Words) {
		old := c.t.Triggers[at].Channel
		return Cannot("%s can be where the flow starts, or where step %s goes: write “%s instead of %s” or “%s goes to %s”.", name, c.names[s.ID], name, old, c.names[s.ID], name)
	}
	return c.assign(s, words)
}

// reword changes the text of a message or a question.
func (c *changing) reword(m []string) error {
	p, err := c.find(m[1])
	if err != nil {
		return err
	}
	if p.Kind != tree.Tell && p.Kind != tree.Ask {
		return ErrNone
	}
	c.t.Replaced = append(c.t.Replaced, p.Said)
	p.Text, p.Said, p.Parts = strings.Trim(strings.TrimSpace(m[2]), `"“”`), c.quote(m[2]), nil
	c.say("Step %s says: “%s”.", m[1], p.Text)
	return nil
}
