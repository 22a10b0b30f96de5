package change

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// otherTerm puts one duration into the place of another, however that is written in the draft: "12h, not 24 hours".
func otherTerm(c *changing, m []string) error {
	now, ok := values.Term(strings.TrimSpace(m[1]))
	old, known := values.Term(strings.TrimSpace(m[2]))
	if !ok || !known {
		return ErrNone
	}
	found := c.all(func(s *tree.Step) bool {
		return s.Kind == tree.Wait && s.For == old || s.Deadline != nil && (s.Deadline.After == old || s.Deadline.Remind == old || s.Deadline.EscalateAfter == old)
	})
	if len(found) == 0 {
		return Cannot("Nothing lasts %s in this flow, so there is nothing to replace.", strings.TrimSpace(m[2]))
	}
	s, err := c.only(found, "The steps %[1]s say %[3]s: say which one is meant, such as “%[2]s has %[4]s”.", strings.TrimSpace(m[2]), strings.TrimSpace(m[1]))
	if err != nil {
		return err
	}
	if d := s.Deadline; d != nil && (d.After != old || d.Remind == old || d.EscalateAfter == old) {
		return c.exchangeWords(m[2], m[1])
	}
	c.term(s, m[1], now)
	c.say("Step %s: %s instead of %s.", c.names[s.ID], strings.TrimSpace(m[1]), strings.TrimSpace(m[2]))
	return nil
}

// endless takes the deadline or the reminder away from the only step that has one, or from the one that words name.
func endless(c *changing, m []string) error {
	reminds := !strings.HasPrefix(m[1]+m[2], "d") && !strings.HasPrefix(m[1], "t")
	found := slices.DeleteFunc(c.asking(m[3]), func(s *tree.Step) bool {
		return s.Deadline == nil || reminds && s.Deadline.Remind == "" || !reminds && s.Deadline.After == ""
	})
	if len(found) == 0 && (m[3] != "" || reminds && len(c.all(func(s *tree.Step) bool { return phrase.MentionsWords(s.Text, "remind") })) > 0) {
		return ErrNone
	}
	if len(found) == 0 {
		return Cannot("No step has a %s.", cmp.Or(m[1], "reminder"))
	}
	s, err := c.only(found, "The steps %[1]s have one: say which is meant, such as “remove the %[3]s in step %[2]s”.", cmp.Or(m[1], "reminder"))
	if err != nil {
		return err
	}
	c.retimed(s)
	if reminds {
		s.Deadline.Remind, s.Deadline.RemindOnce = "", false
	} else {
		s.Deadline.After = ""
	}
	if *s.Deadline == (tree.Deadline{}) {
		s.Deadline = nil
	}
	c.say("Step %s has no %s any more.", c.names[s.ID], cmp.Or(m[1], "reminder"))
	return nil
}

// waits sets how long the flow waits: in the step that m[2] names, or in the only one that waits.
func waits(c *changing, m []string) error {
	found := c.all(func(s *tree.Step) bool {
		return s.Kind == tree.Wait && s.For != "" && (len(m) < 3 || m[2] == "" || c.names[s.ID] == strings.ToLower(m[2]))
	})
	term, ok := values.Term(strings.TrimSpace(m[1]))
	if !ok {
		return ErrNone
	}
	s, err := c.only(found, "The flow waits in the steps %[1]s: say which one is meant, such as “step %[2]s is %[3]s”.", strings.TrimSpace(m[1]))
	if err != nil {
		return err
	}
	c.term(s, m[1], term)
	c.say("Step %s waits %s.", c.names[s.ID], strings.TrimSpace(m[1]))
	return nil
}

// otherName puts a person, a channel or a time of the schedule into the place of another: "#b, not #a", "Tuesday, not Monday".
func otherName(c *changing, m []string) error {
	starts := slices.ContainsFunc(c.t.Triggers, func(g tree.Trigger) bool {
		return countWord(c.starts(&g), m[2]) == 1
	})
	if !starts && (c.name(m[1]) == "" || c.present(m[2]) == "") {
		return ErrNone
	}
	return c.exchangeWords(m[2], m[1])
}

// deadlineOf sets how long the people of a step have: "the deadline for the approval is 2 days".
func deadlineOf(c *changing, m []string) error {
	if err := c.allow(m); !errors.Is(err, ErrNone) {
		return err
	}
	p, err := c.find(m[1])
	switch {
	case errors.Is(err, ErrNone):
		return Cannot("Nobody is asked about “%s”: say which step is meant by its number.", strings.TrimSpace(m[1]))
	case err == nil:
		return Cannot("Nobody answers in step %s, so it has no deadline.", c.names[p.ID])
	}
	return err
}

// partOfDraft finds words about a step of the draft and not about what is done in one.
var partOfDraft = regexp.MustCompile(`(?i)\b(?:steps?|messages?|notifications?|questions?|approvals?|reminders?|waiting|tell|ask|wait)$`)

// slackMessage is what people call a message here.
var slackMessage = regexp.MustCompile(`(?i)^(?:slack|chat) (message|notification|post)`)

// removeAt removes the first or the last step, if it is what the words say: "drop the message at the end".
func removeAt(c *changing, m []string) error {
	at := len(c.t.Steps) - 1
	if first.MatchString(m[2]) {
		at = 0
	}
	if at < 0 {
		return ErrNone
	}
	s, words := &c.t.Steps[at], slackMessage.ReplaceAllString(strings.TrimSpace(m[1]), "$1")
	if !phrase.MentionsWords(spoken(s), words) {
		if !partOfDraft.MatchString(words) { // "delete the branch at the end" is a new step
			return ErrNone
		}
		return Cannot("The step at the %s is step %s, %s: say which one is meant by its number.", strings.ToLower(m[2]), c.names[s.ID], label(s))
	}
	return c.remove([]string{"", c.names[s.ID]})
}

// retry sets how often a step is tried: "retry the import 3 times".
func retry(c *changing, m []string) error {
	if pronoun.MatchString(m[2]) {
		return ErrNone
	}
	p, err := c.find(m[2])
	if errors.Is(err, ErrNone) && strings.EqualFold(m[1], "retry") {
		return unknownStep(m[2])
	}
	if err == nil {
		err = canFail(&c.draft, p.Step)
	}
	if err != nil {
		return err
	}
	words := m[1] + " it " + strings.TrimSpace(m[3])
	if err = c.affected(c.names[p.ID], words, c.addText(words)); errors.Is(err, ErrNone) {
		return Cannot("I cannot read “%s” as how often step %s is tried: write “in step %s, retry it 3 times”.", words, c.names[p.ID], c.names[p.ID])
	}
	return err
}

// canFail refuses steps that cannot fail.
func canFail(d *draft, s *tree.Step) error {
	if s.Kind != tree.Do && s.Kind != tree.Agent || s.Doer == tree.DoerPerson {
		return Cannot("Step %s does nothing that can fail: people or a condition decide there.", d.names[s.ID])
	}
	return nil
}

// unknownStep says that words name no step.
func unknownStep(words string) error {
	return Cannot("No step is about “%s”: say which one is meant by its number.", strings.TrimSpace(words))
}

var pronoun = regexp.MustCompile(`(?i)^\s*(?:it|that|this|them)\s*$`)
