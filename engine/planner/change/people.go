package change

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

// name gives the @name or #channel that words of the change are: "@bob", "to #ops", "bob" where that is a person; "" = they are something else.
func (d *draft) name(words string) string {
	fields := strings.Fields(strings.Trim(words, " \t\n.,!"))
	for len(fields) > 1 && leading[strings.ToLower(fields[0])] {
		fields = fields[1:]
	}
	switch {
	case len(fields) != 1:
		return ""
	case len(fields[0]) > 1 && (fields[0][0] == '@' || fields[0][0] == '#'):
		return fields[0]
	case slices.Contains(d.t.Texts[d.text].People, strings.ToLower(fields[0])):
		return "@" + strings.ToLower(fields[0])
	}
	return ""
}

// leading are words before a name that say nothing of their own in an exchange of names.
var leading = english.WordSet("ask tell to in on by post it send the use notify")

// present gives the @name or #channel of the draft that words are: "finance" where @finance is asked, "the supervisor" of a longer name;
// "" = it has none, or several.
func (d *draft) present(words string) string {
	words = strings.TrimSpace(words)
	if name := d.name(words); name != "" || d.named(words) {
		return cmp.Or(name, words)
	}
	rest, longer := strings.CutPrefix(strings.ToLower(words), "the ")
	var part []string
	for s := range d.t.Walk {
		for _, n := range s.Names() {
			switch {
			case strings.EqualFold(strings.TrimLeft(n.Is, "@#"), words):
				return n.Is
			case strings.EqualFold(strings.TrimLeft(n.Words, "@#"), words):
				return n.Words
			case longer && phrase.MentionsWords(n.Words, rest) && !slices.Contains(part, n.Words):
				part = append(part, n.Words)
			}
		}
	}
	if len(part) != 1 {
		return ""
	}
	return part[0]
}

// named reports whether a person is asked or told under just these words.
func (d *draft) named(words string) bool {
	return len(d.all(func(s *tree.Step) bool {
		return slices.ContainsFunc(s.Names(), func(n *tree.Name) bool { return strings.EqualFold(n.Words, words) })
	})) > 0
}

// isName reports whether one of some people or channels is called so.
func isName(all []tree.Name, name string) bool {
	return slices.ContainsFunc(all, func(n tree.Name) bool { return called(&n, name) })
}

func called(n *tree.Name, name string) bool {
	return strings.EqualFold(n.Is, name) || strings.EqualFold(n.Words, name)
}

// give sets the people who answer a question, do a step or get a message: "3 goes to @ana", "the summary goes to @ana".
func (c *changing) give(what, to string) error {
	if !number.MatchString(what) && !strings.ContainsAny(to, "@#<") {
		return ErrNone
	}
	p, err := c.find(what)
	if err != nil {
		return err
	}
	return c.assign(p.Step, to)
}

// otherChannel sends the only message that goes to a channel to another one: "in #ops instead". Where a channel starts the flow, that one may be meant.
func otherChannel(c *changing, to string) error {
	if slices.ContainsFunc(c.t.Triggers, func(g tree.Trigger) bool { return g.Channel != "" }) {
		return ErrNone
	}
	told := c.all(func(s *tree.Step) bool {
		return s.Kind == tree.Tell && slices.ContainsFunc(s.To, func(n tree.Name) bool { return strings.HasPrefix(n.Words, "#") })
	})
	s, err := c.only(told, "Messages go to channels in the steps %[1]s: say which one goes to %[3]s, such as “%[2]s goes to %[3]s”.", to)
	if err != nil {
		return err
	}
	return c.assign(s, to)
}

func (c *changing) assign(s *tree.Step, to string) error {
	names, quorum, ok := outline.Who(c.t, c.quote(to))
	if !ok {
		return Cannot("I cannot read “%s” as people or a channel.", to)
	}
	switch {
	case s.Kind == tree.Tell:
		c.forget(&s.To)
		s.To = names
	case s.Kind == tree.Ask || s.Kind == tree.Do && s.Doer != tree.DoerTool && s.Doer != tree.DoerFlow:
		c.forget(&s.Who)
		s.Who, s.Quorum = names, quorum
		if s.Kind == tree.Do {
			s.Doer = tree.DoerPerson
		}
	default:
		return Cannot("Nobody is asked or told anything in step %s.", c.names[s.ID])
	}
	c.say("Step %s goes to %s.", c.names[s.ID], to)
	return nil
}

// corrects finds words that say that something else is meant than stands in the draft.
var corrects = regexp.MustCompile(`(?i)^\s*(?:no|nope|wait|actually|sorry|oops)\b|\b(?:instead|approver)\b`)

// askOther puts somebody into the place of the only one who is asked: "no wait, ask bob".
func (c *changing) askOther(who string) error {
	gates := c.gates()
	names, _, _ := outline.Who(c.t, c.quote(who))
	if len(gates) != 1 || len(names) == 0 || slices.ContainsFunc(names, func(n tree.Name) bool { return !strings.HasPrefix(n.Words, "@") }) {
		return ErrNone
	}
	return c.handOver(gates[0], who, false)
}

// handOver puts somebody into the place of those who answer or do a step. A person confirms that, unless the words are sure or correct something.
func (c *changing) handOver(s *tree.Step, names string, sure bool) error {
	was := s.Who
	if err := c.assign(s, names); err != nil {
		return err
	}
	if !sure && !corrects.MatchString(c.t.Texts[c.text].Words) && len(was) > 0 {
		c.object("other", "step %v goes to %s instead of %s", s, names, was[0].Words)
	}
	return nil
}

// takeOver gives a step that somebody answers or does to another person: "@dan should do the accounts, not @it".
func takeOver(c *changing, m []string) error {
	p, err := c.find(m[2])
	if err != nil && m[3]+m[4] != "" && decides.MatchString(m[2]) { // "@cfo signs, not @bob": the only approval
		if all := c.all((*tree.Step).Approves); len(all) == 1 {
			p, err = c.find(c.names[all[0].ID])
		}
	}
	if err != nil || !strings.HasPrefix(c.name(m[1]), "@") {
		return ErrNone
	}
	if p.Kind != tree.Ask && (p.Kind != tree.Do || p.Doer == tree.DoerTool || p.Doer == tree.DoerFlow) || isName(p.Who, c.name(m[1])) {
		return ErrNone
	}
	if m[3] != "" && !isName(p.Who, c.present(m[3])) {
		return ErrNone
	}
	return c.handOver(p.Step, m[1], m[3]+m[4] != "")
}

// decides finds words for what somebody does who is asked for an approval.
var decides = regexp.MustCompile(`(?i)^(?:signs?|signs? (?:it )?off|approves?|decides?|confirms?)(?: (?:it|this|that))?$`)

// spared takes a step away from somebody: "@bob doesn't need to check it".
func spared(c *changing, who, what string) error {
	name := c.present(who)
	of := c.all(func(s *tree.Step) bool {
		return name != "" && isName(s.Who, name) && phrase.MentionsWords(spoken(s), what)
	})
	if len(of) != 1 {
		return ErrNone
	}
	if len(of[0].Who) > 1 {
		return c.oneOf(of[0], name)
	}
	return c.remove(c.names[of[0].ID])
}

// oneOf takes a name away from the people or channels of a step that has others: "without @bob".
func (c *changing) oneOf(s *tree.Step, name string) error {
	for _, list := range []*[]tree.Name{&s.Who, &s.To} {
		at := slices.IndexFunc(*list, func(n tree.Name) bool { return called(&n, name) })
		if at >= 0 && len(*list) > 1 {
			c.forget(&(*list)[at])
			*list = slices.Delete(slices.Clone(*list), at, at+1)
			s.Quorum = min(s.Quorum, len(*list))
			c.say("Step %s goes to %s no more.", c.names[s.ID], name)
			return nil
		}
	}
	return Cannot("%s is only a part of step %s: write the step anew, “%s. …”.", name, c.names[s.ID], c.names[s.ID])
}

// approvers sets who is asked for the only approval, or for that of a step: "both @ana and @bob must approve", "two people must approve".
func (c *changing) approvers(who, step string) error {
	if c.more() {
		return c.askToo(who)
	}
	s, err := c.one("")
	if all := c.all((*tree.Step).Approves); len(all) == 1 { // not who only says something
		s, err = all[0], nil
	}
	if step != "" {
		var p spot
		if p, err = c.find(step); err == nil {
			c.question(p)
		}
		s = p.Step
	}
	if err != nil {
		return err
	}
	n := several.FindStringSubmatch(who)
	if n == nil {
		return c.assign(s, who)
	}
	count, _ := strconv.Atoi(strings.Replace(n[1], "one", "1", 1))
	count = max(count, int(english.Numerals[strings.ToLower(n[1])]))
	if s.Kind != tree.Ask || s.Free || len(s.Fields) > 0 || count < 1 {
		return ErrNone
	}
	s.Quorum = count
	c.say("In step %s %s must agree.", c.names[s.ID], who)
	return nil
}

// question makes an approval of a step whose words say that somebody agrees, and of which it is not known who does it.
func (c *changing) question(p spot) {
	if p.Kind == tree.Do && p.Doer == tree.DoerOpen && len(p.Branches) == 0 && agreeing.MatchString(p.Text) {
		c.exchange(p, []tree.Step{{Kind: tree.Ask}})
	}
}

var agreeing = regexp.MustCompile(`(?i)\b(?:agrees?|approves?|signs? off|confirms?|says? (?:yes|ok))\b`)

// several finds how many of those who are asked must agree: "two people", "two of them".
var several = regexp.MustCompile(`(?i)^(?:at least |only )?([0-9]{1,2}|[a-z]+) (?:people|of them)$`)

// askToo adds a person to those who are asked already: each of them has to agree.
func (c *changing) askToo(who string) error {
	s, err := c.one("")
	if err != nil {
		return err
	}
	names, _, ok := outline.Who(c.t, c.quote(who))
	if !ok || s.Kind != tree.Ask {
		return ErrNone
	}
	if !s.Approves() && len(s.Branches) > 0 {
		return Cannot("The answers in step %s lead to steps of their own, so nothing has changed: say which answer counts, such as “%[1]s. ask ... and %[2]s, both must agree”.", c.names[s.ID], who)
	}
	p, _ := c.place(s.ID)
	c.insert(p, "after", []tree.Step{{ID: c.t.NewID(), Kind: tree.Ask, Text: s.Text, Choices: s.Choices, Fields: s.Fields, Free: s.Free, Who: names}})
	c.say("After step %s, %s is asked, too: both have to agree.", c.names[p.ID], who)
	return nil
}

// tellToo sends a message to somebody else as well: the only one, or that of a step: "tell #ops too".
func (c *changing) tellToo(step, one, other string) error {
	who := one + other
	tells := c.all(func(s *tree.Step) bool {
		return s.Kind == tree.Tell && (step == "" || c.names[s.ID] == strings.ToLower(step))
	})
	names, _, ok := outline.Who(c.t, c.quote(who))
	if !ok {
		return ErrNone
	}
	s, err := c.only(tells, "Messages are sent in the steps %[1]s: say which one %[3]s gets, such as “%[2]s goes to ...”, "+
		"or add a step, such as “add after %[2]s: tell %[3]s ...”.", who)
	if err != nil {
		return err
	}
	s.To = append(s.To, names...)
	c.say("Step %s tells %s, too.", c.names[s.ID], who)
	return nil
}

// swapNames exchanges two people or channels, or two steps that words name.
func swapNames(c *changing, first, second string) error {
	a, b := c.present(first), c.present(second)
	if !c.named(a) || !c.named(b) {
		return c.swap(first, second)
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

// exchangeNames replaces the name of a person or a channel wherever they are asked or told; with words that say where, in that step.
func (c *changing) exchangeNames(of, old, said string) (bool, error) {
	now := c.name(said)
	if !c.named(old) { // not "the supervisor", as the words name somebody
		old = c.present(old)
	}
	if old == "" || now == "" {
		return false, nil
	}
	fields := strings.Fields(strings.TrimRight(said, " .,!"))
	names, _, ok := outline.Who(c.t, c.quote(fields[len(fields)-1]))
	if !ok || len(names) != 1 {
		return false, Cannot("I cannot read “%s” as a person or a channel.", now)
	}
	posts := func(p tree.Param) bool {
		text, _ := p.Value.Literal.(string)
		return strings.EqualFold(text, old)
	}
	steps := c.all(func(s *tree.Step) bool {
		return slices.ContainsFunc(s.Names(), func(n *tree.Name) bool { return called(n, old) }) || slices.ContainsFunc(s.Params, posts)
	})
	if of != "" && len(steps) > 0 {
		s, err := c.meant(steps, nil, of, old, now)
		if err != nil {
			return false, err
		}
		steps = []*tree.Step{s}
	}
	var where []string
	for _, s := range steps {
		for _, n := range s.Names() {
			if called(n, old) {
				c.forget(n)
				names[0].DM = n.DM
				*n = names[0]
				where = append(where, c.names[s.ID])
			}
		}
		for i := range s.Params {
			if posts(s.Params[i]) {
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
