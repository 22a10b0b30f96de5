package change

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

func (c *changing) rename(m []string) error {
	name := strings.Trim(strings.TrimSpace(m[1]), `"'“”.`)
	if goesOn.MatchString(name) { // "call it refund and run it daily"
		return ErrNone
	}
	if name == "" || len(strings.Fields(name)) > 8 {
		return Cannot("“%s” is no name for a flow.", name)
	}
	c.say("The flow is called %s.", name)
	c.t.Name = name
	return nil
}

var goesOn = regexp.MustCompile(`(?i)(?:,| and| then) (?:run|start|make|ask|tell|remove|drop|change|add|move|swap)\b`)

func (c *changing) noTrigger([]string) error {
	if len(c.t.Triggers) == 0 {
		return Cannot("Nothing starts this flow by itself.")
	}
	c.forget(&c.t.Triggers)
	c.t.Triggers = []tree.Trigger{{By: true}} // so that the flow that is revised gives none either
	c.say("Nothing starts it by itself any more.")
	return nil
}

// retime sets a trigger, which replaces the schedule and open triggers of the flow; with "instead", the only one.
func (c *changing) retime(m []string) error {
	g, ok := outline.Trigger(c.t, c.source(m[1]))
	if !ok {
		return c.reclock(m)
	}
	if trailing.MatchString(m[1]) { // beside the one that is there
		return ErrNone
	}
	kept := c.t.Triggers[:0:0]
	only := len(c.t.Triggers) == 1 && strings.HasSuffix(strings.TrimRight(m[0], ".! "), "instead")
	for i := range c.t.Triggers {
		if old := &c.t.Triggers[i]; old.Cron != "" && (g.Cron != "" || g.By) || old.Open() || only {
			sameClock(&g, old.Cron, m[1])
			c.forget(old)
		} else {
			kept = append(kept, *old)
		}
	}
	c.t.Triggers = append(kept, g)
	if g.By {
		c.say("Somebody starts it.")
		return nil
	}
	c.say("It starts %s.", strings.TrimSpace(m[1]))
	return nil
}

var numbers = compiled(`NUMBERS`)

var stepNumber = regexp.MustCompile(`[0-9]+[0-9a-z]*`)

func (c *changing) remove(m []string) error {
	all := stepNumber.FindAllString(strings.ToLower(m[1]), -1)
	if !numbers.MatchString(m[1]) {
		all = []string{m[1]}
	}
	for _, n := range all {
		if done, err := noInput(c, n); done || err != nil {
			return err
		}
		p, err := c.find(n)
		if err != nil {
			return err
		}
		if done, err := c.oneOf(p.Step, n); done || err != nil {
			return err
		}
		if len(c.t.Steps) == 1 && p.list == &c.t.Steps {
			return Cannot("Step %s is the only one: a flow without steps does nothing.", c.names[p.ID])
		}
		if !numbers.MatchString(n) && (p.Kind == tree.Ask && c.holdsName(n) != "" || commas.MatchString(p.Text)) {
			c.object("gone", "all of step %s is gone: %s", c.names[p.ID], label(p.Step))
		}
		c.forget(p.Step)
		c.say("Step %s is gone: %s.", c.names[p.ID], label(p.Step))
		*p.list = slices.Delete(*p.list, p.at, p.at+1)
		c.prune(&c.t.Steps)
	}
	if len(c.t.Steps) == 0 {
		return Cannot("Nothing would be left: a flow without steps does nothing.")
	}
	c.t.Renumber()
	return nil
}

// noInput removes a value that a run is given: "drop the reason". A step must not use it.
func noInput(c *changing, words string) (bool, error) {
	name := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(strings.TrimSpace(words)), " input"), " field")
	at := slices.IndexFunc(c.t.Inputs, func(in tree.Input) bool { return strings.ReplaceAll(in.Name, "_", " ") == name })
	if at < 0 {
		return false, nil
	}
	for s := range c.t.Walk {
		if phrase.MentionsWords(spoken(s), name) || slices.Contains(tree.Refs(s), tree.Ref{Input: c.t.Inputs[at].Name}) {
			return true, Cannot("Step %s uses the %s of a run: change that step first, such as “%s. …”.", c.names[s.ID], name, c.names[s.ID])
		}
	}
	c.forget(&c.t.Inputs[at])
	c.t.Inputs = slices.Delete(c.t.Inputs, at, at+1)
	c.say("A run is given no %s any more.", name)
	return true, nil
}

// oneOf takes a name alone away from the people and channels of a step, where the step has others: "without @bob".
func (c *changing) oneOf(s *tree.Step, words string) (done bool, err error) {
	name := c.holdsName(words)
	if name == "" {
		return false, nil
	}
	for _, list := range []*[]tree.Name{&s.Who, &s.To} {
		at := slices.IndexFunc(*list, func(n tree.Name) bool { return called(&n, name) })
		if at >= 0 && len(*list) > 1 {
			c.forget(&(*list)[at])
			*list = slices.Delete(slices.Clone(*list), at, at+1)
			s.Quorum = min(s.Quorum, len(*list))
			c.say("Step %s goes to %s no more.", c.names[s.ID], name)
			return true, nil
		}
	}
	if !isName(slices.Concat(s.Who, s.To), name) {
		return true, Cannot("%s is only a part of step %s: write the step anew, “%s. …”.", name, c.names[s.ID], c.names[s.ID])
	}
	return false, nil
}

// holdsName gives the @name or #channel of the draft that some words are or hold; "" = none.
func (d *draft) holdsName(words string) string {
	for w := range strings.FieldsSeq(words) {
		if name := d.name(w); name != "" {
			return name
		}
	}
	return d.present(words)
}

// label is how a change names a step.
func label(s *tree.Step) string {
	if s.Kind == tree.Ask && len(s.Who) > 0 {
		return "the question to " + s.Who[0].Words
	}
	if s.Text != "" {
		return "“" + s.Text + "”"
	}
	return string(s.Kind)
}

func (c *changing) swap(m []string) error {
	a, b, err := c.findBoth(m[1], m[2])
	if err != nil {
		return err
	}
	if a.list != b.list {
		return Cannot("Steps %s and %s do not stand beside each other: one is inside another step.", m[1], m[2])
	}
	c.say("Steps %s and %s have changed places.", c.names[a.ID], c.names[b.ID])
	*a.Step, *b.Step = *b.Step, *a.Step
	c.t.Renumber()
	return nil
}

func (c *changing) move(m []string) error {
	from, err := c.find(m[1])
	if errors.Is(err, ErrNone) {
		return unknownStep(m[1])
	}
	if err != nil {
		return err
	}
	moved := *from.Step
	beside, err := c.find(m[3])
	if errors.Is(err, ErrNone) {
		return unknownStep(m[3])
	}
	if err != nil {
		return err
	}
	if beside.ID == moved.ID {
		return Cannot("There is no place %s step %s.", m[2], m[3])
	}
	id := beside.ID
	if holds([]tree.Step{moved}, id) {
		return Cannot("Step %s is inside step %s.", m[3], m[1])
	}
	*from.list = slices.Delete(*from.list, from.at, from.at+1)
	to, _ := c.place(id)
	if from.list != to.list && from.list != &c.t.Steps {
		c.object("moved", "step %s stood below another step, and does not depend on that any more", c.names[moved.ID])
	}
	c.insert(to, m[2], []tree.Step{moved})
	c.prune(&c.t.Steps)
	c.say("Step %s stands %s step %s.", c.names[moved.ID], m[2], c.names[id])
	return nil
}

// add puts new steps before or after one that is there: "add after 2: tell #ops".
func (c *changing) add(m []string) error {
	at, err := c.find(m[2])
	if err != nil {
		return err
	}
	if aboutDraft.MatchString(m[3]) {
		return ErrNone
	}
	steps, err := c.added(m[3])
	if err != nil {
		return err
	}
	beside := c.names[at.ID]
	c.insert(at, m[1], steps)
	c.say("New %s step %s: “%s”.", strings.ToLower(m[1]), beside, strings.TrimSpace(m[3]))
	return nil
}

func (c *changing) addLast(m []string) error {
	steps, err := c.added(m[1])
	if err != nil {
		return err
	}
	c.t.Steps = append(c.t.Steps, steps...)
	c.t.Renumber()
	c.say("New at the end: “%s”.", strings.TrimSpace(m[1]))
	return nil
}

func (c *changing) onError(m []string) error {
	p, steps, err := c.at(m[1], m[2])
	if err == nil {
		err = canFail(&c.draft, p.Step)
	}
	if err != nil {
		return err
	}
	c.forget(&p.OnError)
	p.OnError = steps
	c.say("If step %s fails: “%s”.", c.names[p.ID], strings.TrimSpace(m[2]))
	return nil
}

// atFirst is add in front of all steps: "first ask @ana".
func atFirst(c *changing, m []string) error { return c.add([]string{"", "before", "1", m[1]}) }

// beside is add with the step behind the words: "ask @ana to approve before 3".
func beside(c *changing, m []string) error { return c.add([]string{"", m[2], m[3], m[1]}) }

// giveNamed is give for a step that words name: "the summary goes to @ana".
func giveNamed(c *changing, m []string) error {
	p, err := c.find(m[1] + m[3])
	if to := m[2] + m[4]; err == nil && strings.ContainsAny(to, "@#<") {
		return c.give([]string{"", c.names[p.Step.ID], to})
	}
	return cmp.Or(err, ErrNone)
}

// give sets the people who answer a question, do a step or get a message.
func (c *changing) give(m []string) error {
	p, err := c.find(m[1])
	if err != nil {
		return err
	}
	return c.assign(p.Step, m[2])
}

func (c *changing) assign(s *tree.Step, to string) error {
	names, quorum, ok := outline.Who(c.t, c.quote(to))
	if !ok {
		return Cannot("I cannot read “%s” as people or a channel.", strings.TrimSpace(to))
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
	c.say("Step %s goes to %s.", c.names[s.ID], strings.TrimSpace(to))
	return nil
}

// rewrite reads a step anew. What its words do not say, and an answer said before, stays.
func (c *changing) rewrite(m []string) error {
	if quoted.MatchString(m[2]) { // a text and no step
		if err := c.reword(m); !errors.Is(err, ErrNone) {
			return err
		}
	}
	p, steps, err := c.at(m[1], m[2])
	if err != nil {
		return err
	}
	c.exchange(p, steps)
	c.say("Step %s: “%s”.", m[1], strings.TrimSpace(m[2]))
	return nil
}

var quoted = regexp.MustCompile(`^\s*["“][^"“”]+["”][.!]?\s*$`)

// changeTo is "change 3 to WORDS" for a step, and "change 100 to 300" for a number.
func (c *changing) changeTo(m []string) error {
	if _, step := c.numbers[strings.ToLower(m[1])]; step && !english.IsNumber(m[2]) {
		return c.rewrite(m)
	}
	return c.replace(m)
}
