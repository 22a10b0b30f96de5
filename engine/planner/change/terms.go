package change

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/planner/outline"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/times"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// allow sets how long people have.
func (c *changing) allow(who, words string) error {
	term, ok := values.Term(words)
	if !ok {
		return ErrNone
	}
	s, err := c.one(strings.TrimPrefix(strings.ToLower(who), "step "))
	if err != nil {
		return err
	}
	c.term(s, words, term)
	c.say("In step %s people have %s.", c.names[s.ID], words)
	return nil
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
		if values.HoldsTerm(d.t.Words(q)) {
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
	g, ok := outline.Trigger(c.t, c.quote(words))
	if !ok {
		return c.reclock(words)
	}
	if trailing.MatchString(words) { // beside the one that is there
		return ErrNone
	}
	kept := c.t.Triggers[:0:0]
	only := len(c.t.Triggers) == 1 && strings.Contains(c.reply(), "instead")
	for i := range c.t.Triggers {
		if old := &c.t.Triggers[i]; old.Cron != "" && (g.Cron != "" || g.By) || old.Open() || only {
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
	case !ok || !timed && !open:
		return ErrNone
	case event >= 0:
		return Cannot("Something else than the time starts this flow. To start it at times instead, write “remove the trigger” first.")
	}
	return c.retime(words)
}

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
