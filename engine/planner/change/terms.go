package change

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/planner/outline"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/quantity"
	"sluice/engine/planner/times"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// allow sets how long people have. then is what follows when nobody answers by then.
func (c *changing) allow(who, words, step, then string) error {
	term, ok := values.Term(words)
	if !ok {
		return ErrNone
	}
	who = strings.TrimPrefix(strings.ToLower(who), "step ")
	s, err := c.one(who)
	if at := c.t.Step(c.numbers[who]); s == nil && at != nil {
		if at.Kind == tree.Wait && then == "" {
			c.term(at, words, term)
			c.say("Step %s waits %s.", who, words)
			return nil
		}
		return Cannot("Nobody does step %s, so that it has no deadline.", who)
	}
	if step != "" {
		var p spot
		if p, err = c.find(step); err == nil && !slices.Contains(c.asking(who), p.Step) {
			err = Cannot("%s does not answer in step %s.", who, step)
		}
		s = p.Step
	}
	if err != nil {
		return err
	}
	number := c.names[s.ID]
	c.term(s, words, term)
	c.say("In step %s people have %s.", number, words)
	if then == "" {
		return nil
	}
	then = "if nobody answers within " + words + ", " + then
	if err := c.affected(number, then, c.addText(then)); !errors.Is(err, ErrNone) {
		return err
	}
	return Cannot("I cannot read what is done when nobody answers in step %s within %s.", number, words)
}

// within is allow for words that say nothing else.
func within(c *changing, who, words string) error { return c.allow(who, words, "", "") }

// allowUntil refuses a time of day or a date as a deadline, which is how long people have from when they are asked.
func allowUntil(c *changing, who, when string) error {
	if term, ok := values.Term(when); ok {
		return c.allow(who, term, "", "")
	}
	of := c.asking(who)
	if len(of) == 0 {
		return ErrNone
	}
	name := "step " + c.names[of[0].ID]
	if len(of) == 1 && len(of[0].Who) > 0 {
		name = of[0].Who[0].Words
	}
	return Cannot("A deadline is how long people have from when they are asked, and no time such as “%s”: write for example “%s has 2 days to answer” or “%s has 4 hours to answer”.", when, name, name)
}

// term sets how long a step lasts, and accounts for the words of the time before.
func (c *changing) term(s *tree.Step, words, term string) {
	c.retimed(s)
	switch {
	case s.Kind == tree.Wait:
		if s.For = term; s.Side == "" {
			c.forget(&s.Over)
			s.Over = tree.Value{}
		}
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
		if _, counts := quantity.Of(d.t.Words(q)); counts || values.HoldsTerm(d.t.Words(q)) {
			d.t.Replaced = append(d.t.Replaced, q)
		}
	}
}

// endless takes the deadline or the reminder away from the only step that has one.
func endless(c *changing, of string) error {
	what := cmp.Or(strings.ToLower(of), "reminder")
	found := slices.DeleteFunc(c.asking(""), func(s *tree.Step) bool {
		return s.Deadline == nil || what == "reminder" && s.Deadline.Remind == "" || what != "reminder" && s.Deadline.After == ""
	})
	if len(found) == 0 && (what != "reminder" || len(c.all(func(s *tree.Step) bool { return phrase.MentionsWords(s.Text, "remind") })) == 0) {
		return Cannot("No step has a %s.", what)
	}
	s, err := c.only(found, "The steps %[1]s have one: write the one that is meant anew, such as “%[2]s. …”.")
	if err != nil {
		return err
	}
	c.retimed(s)
	if what == "reminder" {
		s.Deadline.Remind, s.Deadline.RemindOnce = "", false
	} else {
		s.Deadline.After = ""
	}
	if *s.Deadline == (tree.Deadline{}) {
		s.Deadline = nil
	}
	c.say("Step %s has no %s any more.", c.names[s.ID], what)
	return nil
}

// reminder adds a reminder to the only step that people answer: "add a reminder after 4 hours".
func reminder(c *changing, when, term string) error {
	words := "remind them " + when + " " + term
	return c.affected("", words, c.addText(words))
}

func (c *changing) noTrigger() error {
	if len(c.t.Triggers) == 0 {
		return Cannot("Nothing starts this flow by itself.")
	}
	c.forget(&c.t.Triggers)
	c.t.Triggers = []tree.Trigger{{By: true}} // so that the flow that is revised gives none either
	c.say("Nothing starts it by itself any more.")
	return nil
}

// trailing says that something is done beside what is there.
var trailing = regexp.MustCompile(`(?i),? (?:too|as well)$`)

// retime sets a trigger, which replaces the schedule and open triggers of the flow; with "instead", the only one.
func (c *changing) retime(words string) error {
	g, ok := readDay(&c.draft, words)
	if !ok {
		g, ok = outline.Trigger(c.t, c.quote(words))
	}
	if !ok {
		return c.reclock(words)
	}
	if trailing.MatchString(words) { // beside the one that is there
		return ErrNone
	}
	kept := c.t.Triggers[:0:0]
	only := len(c.t.Triggers) == 1 && strings.Contains(c.reply(), "instead")
	for i := range c.t.Triggers {
		event := len(c.t.Triggers) == 1 && !g.By && g.Cron == "" && c.t.Triggers[i].Cron == ""
		if old := &c.t.Triggers[i]; old.Cron != "" && (g.Cron != "" || g.By) || old.Open() || only || event {
			g.Cron = SameClock(g.Cron, old.Cron, words)
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
	c.say("It starts %s.", words)
	return nil
}

// readDay reads a day as that of the schedule that there is: "Thursday at 4pm", "on Monday", "the 5th" of a month.
func readDay(d *draft, words string) (tree.Trigger, bool) {
	day := strings.TrimPrefix(strings.ToLower(words), "on ")
	said, fits := "every "+day, dayOfWeek.MatchString(day)
	if dayOfMonth.MatchString(day) {
		said, fits = day+" of every month", true
	}
	scheduled := slices.ContainsFunc(d.t.Triggers, func(g tree.Trigger) bool {
		return g.Cron != "" && (!dayOfMonth.MatchString(day) || monthly.MatchString(g.Cron))
	})
	toks := phrase.Scan(said, 0, len(said))
	s, n := times.At(toks)
	return tree.Trigger{Words: words, Cron: s.Cron, At: []tree.Quote{d.quote(words)}}, scheduled && fits && n == len(toks)
}

var (
	dayOfWeek  = regexp.MustCompile(`^(?:mon|tues|wednes|thurs|fri|satur|sun)day\b`)
	onlyDays   = regexp.MustCompile(`(?i)^(?:mon|tues|wednes|thurs|fri|satur|sun)day(?:(?:, | and | & )(?:mon|tues|wednes|thurs|fri|satur|sun)day)*$`)
	dayOfMonth = regexp.MustCompile(`^the [0-9]+(?:st|nd|rd|th)$`)
	monthly    = regexp.MustCompile(`^[0-9]+ [0-9]+ [0-9L]`) // a schedule that names a day of the month
)

// timeToo adds another schedule: "also on Fridays".
func (c *changing) timeToo(words string) error {
	g, ok := outline.Trigger(c.t, c.quote(words))
	old := slices.IndexFunc(c.t.Triggers, func(g tree.Trigger) bool { return g.Cron != "" })
	if !ok || g.Cron == "" || old < 0 {
		return ErrNone
	}
	g.Cron = SameClock(g.Cron, c.t.Triggers[old].Cron, words)
	c.t.Triggers = append(c.t.Triggers, g)
	c.say("It starts %s, too.", words)
	return nil
}

var clocked = regexp.MustCompile(`(?i)[0-9]|\b(?:noon|midday|midnight|hour|hourly|minutes?|morning|afternoon|evening|night)`)

// SameClock gives a schedule the time of day of another one, when its words name none.
func SameClock(cron, other, words string) string {
	to, from := strings.Fields(cron), strings.Fields(other)
	if len(to) != 5 || len(from) != 5 || clocked.MatchString(words) || strings.ContainsAny(from[0]+from[1], "*/-") {
		return cron
	}
	return strings.Join(append(from[:2], to[2:]...), " ")
}

// schedule sets a schedule that the words are, and nothing else: "daily"; or what else starts the flow, where that is open.
func (c *changing) schedule(words string) error {
	g, ok := outline.Trigger(c.t, c.quote(words))
	open := slices.ContainsFunc(c.t.Triggers, func(g tree.Trigger) bool { return g.Open() })
	timed := g.Cron != "" || g.Open() && len(times.Nearest(g.Words)) > 0
	event := slices.IndexFunc(c.t.Triggers, func(g tree.Trigger) bool { return g.Cron == "" && !g.Open() && !g.By })
	switch {
	case !ok && (dayOfMonth.MatchString(strings.ToLower(words)) || onlyDays.MatchString(words)):
		return c.retime(words)
	case !ok && timeOfDay.MatchString(words):
		return c.reclock(words)
	case !ok || !timed && !open:
		return ErrNone
	case event >= 0:
		return Cannot("Something else than the time starts this flow. To start it at times instead, write “remove the trigger” first.")
	}
	return c.retime(words)
}

// timeOfDay finds a time of day alone.
var timeOfDay = regexp.MustCompile(`(?i)^at [0-9]+(?:[:.][0-9]+)?(?: ?[ap]m| in the (?:morning|afternoon|evening)| at night)?$|^at (?:noon|midnight)$|^[0-9]+(?:[:.][0-9]+)? ?[ap]m$`)

// reclock keeps the days on which the flow starts, and changes the time of day: "at 10 instead".
func (c *changing) reclock(words string) error {
	hour, minute, ok := values.Clock(strings.TrimPrefix(words, "at "))
	at := slices.IndexFunc(c.t.Triggers, func(g tree.Trigger) bool { return len(strings.Fields(g.Cron)) == 5 })
	if !ok || at < 0 {
		return ErrNone
	}
	g := &c.t.Triggers[at]
	c.forget(g)
	fields := strings.Fields(g.Cron)
	fields[0], fields[1] = strconv.Itoa(minute), strconv.Itoa(hour)
	g.Cron, g.At = strings.Join(fields, " "), []tree.Quote{c.quote(words)}
	c.say("It starts at %d:%02d, on the same days as before.", hour, minute)
	return nil
}

// restart puts another trigger, with these words, into the place of one.
func (c *changing) restart(i int, g tree.Trigger, words string) error {
	c.forget(&c.t.Triggers[i])
	c.t.Triggers[i] = g
	c.say("It starts %s.", words)
	return nil
}
