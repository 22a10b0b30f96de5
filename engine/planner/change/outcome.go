package change

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/outline"
	"sluice/engine/planner/tree"
)

var (
	// answered are the words for an answer that no question has to name.
	answered = compiled(`(?:(?:it|that|this|the request|they|somebody|he|she)(?: is|'s|’s| was| gets| has been| are)? ?|is |was |are )?(APPROVED|nobody answers|no one answers|nobody responds)`)
	// wonders is a question to somebody that is no condition: "ask @ana if it is ok".
	wonders = regexp.MustCompile(`(?is)^ask [^ ]+ (?:if|whether) (?:it|that|this|they|everything|all)(?: is|'s|’s| are) (?:ok|okay)$`)
	// adds begins words that say where a step comes.
	adds = regexp.MustCompile(`(?i)^(?:add|insert|put|move|do it|make it|run it|start it)\b`)
	// restricts stands in words about a step that is there: "@ana only files it when approved".
	restricts = regexp.MustCompile(`(?i)\bonly\s+|\s+only\b`)
)

// outcome adds what is done after an answer, with the answer behind the step: "tell #ops when it is rejected". It is read like the same words
// with the answer in front.
func (c *changing) outcome(m []string) error {
	at, words, answer := m[1]+m[5], strings.TrimSpace(m[2]), strings.TrimSpace(m[4])
	if strings.Count(words, `"`)%2 != 0 || wonders.MatchString(words+" "+m[3]+" "+answer) || adds.MatchString(words) || number.MatchString(answer) {
		return ErrNone
	}
	if restricts.MatchString(words) {
		return c.onlyAfter(at, strings.TrimSpace(restricts.ReplaceAllString(words, " ")), answer)
	}
	if Speaks(words) || !outline.OnlySteps(c.t, c.quote(words)) {
		return ErrNone
	}
	if same, err := c.find(words); err == nil && same.step().Kind != tree.Tell && !besides.MatchString(strings.ToLower(c.t.Texts[c.text].Words)) {
		c.object("twice", "step %s, which is about the same, stays where it is", c.names[same.step().ID])
	}
	turned := "if " + answer + ", " + words
	err := c.affected(at, turned, c.addText(turned))
	if errors.Is(err, ErrNone) && answered.MatchString(answer) {
		return cannot("Nobody answers “%s” in this flow.", answer)
	}
	return err
}

// onlyAfter puts a step that is there behind an answer: "@ana only files it when approved".
func (c *changing) onlyAfter(number, words, answer string) error {
	p, err := c.find(words)
	if errors.Is(err, ErrNone) {
		return cannot("No step is about “%s”: say which one is meant by its number, or write a new step, such as “if %s, ...”.", words, answer)
	}
	if err != nil {
		return err
	}
	turned := "if " + answer + ", " + words
	next, err := c.fitting(number, turned, c.addText(turned))
	if errors.Is(err, ErrNone) {
		return cannot("Nobody answers “%s” in this flow.", answer)
	}
	if err != nil {
		return err
	}
	moved := *p.step()
	if (&tree.Tree{Steps: []tree.Step{moved}}).Step(next.ID) != nil {
		return cannot("Step %s cannot come after the answer in step %s: the question is a part of it.", c.names[moved.ID], c.names[next.ID])
	}
	choice := longer(next, c.t.Step(next.ID))
	if choice == "" {
		return cannot("I cannot tell which answer in step %s “%s” is.", c.names[next.ID], answer)
	}
	if c.follows(p, next.ID, choice) {
		return cannot("Step %s is done only after the answer “%s” in step %s already.", c.names[moved.ID], choice, c.names[next.ID])
	}
	for _, q := range tree.Quotes(next) {
		if q.Text == len(c.t.Texts)-1 {
			c.t.Replaced = append(c.t.Replaced, q)
		}
	}
	if list, at := c.t.Place(next.ID); list == p.list && p.at > at+1 {
		c.object("order", "step %s is done right after the answer in step %s, before the steps that stood between them", c.names[moved.ID], c.names[next.ID])
	}
	*p.list = slices.Delete(*p.list, p.at, p.at+1)
	gate := c.t.Step(next.ID)
	gate.Branches = slices.DeleteFunc(gate.Branches, func(b tree.Branch) bool { return b.Choice != choice && len(b.Steps) == 0 })
	at := slices.IndexFunc(gate.Branches, func(b tree.Branch) bool { return b.Choice == choice })
	if at < 0 {
		gate.Branches, at = append(gate.Branches, tree.Branch{Choice: choice}), len(gate.Branches)
	}
	gate.Branches[at].Steps = append(gate.Branches[at].Steps, moved)
	c.prune(&c.t.Steps)
	c.t.Renumber()
	c.say("Step %s is done only if the answer in step %s is “%s”.", c.names[moved.ID], c.names[gate.ID], choice)
	return nil
}

// follows reports whether a step is done after one answer alone: below it, or behind a question that ends the run with all other answers.
func (d *draft) follows(p spot, gate, choice string) bool {
	list, at := d.t.Place(gate)
	s := &(*list)[at]
	if list == p.list {
		return p.at > at && len(s.Choices) == 0 && s.Doer != tree.DoerPerson && outline.Choice(s, "approved") == choice
	}
	for _, b := range s.Branches {
		if b.Choice == choice && (&tree.Tree{Steps: b.Steps}).Step(p.step().ID) != nil {
			return true
		}
	}
	return false
}

// longer gives the choice after which a step does more than it did before; "" = none.
func longer(next, before *tree.Step) string {
	for _, b := range next.Branches {
		at := slices.IndexFunc(before.Branches, func(o tree.Branch) bool { return o.Choice == b.Choice })
		if b.Choice != "" && (at < 0 || len(b.Steps) > len(before.Branches[at].Steps)) {
			return b.Choice
		}
	}
	return ""
}

// added reads words as steps that come behind others. A step that is done only after an answer with which the run has ended is never done.
func (d *draft) added(words string) ([]tree.Step, error) {
	steps, err := d.steps(words)
	if err != nil {
		return nil, err
	}
	for i := range steps {
		if steps[i].Kind != tree.Decide || len(steps[i].Branches) == 0 || steps[i].Branches[0].When == nil {
			continue
		}
		answer := steps[i].Branches[0].When.Words
		other := newDraft(d.t, "if "+answer+", tell @somebody", "", d.t.Texts[d.text].People)
		for _, s := range other.asking("") {
			next, ok := outline.Affect(other.t, other.quote(other.t.Texts[other.text].Words), s)
			if choice := longer(&next, s); ok && !s.Judges && choice != "" && (choice == "timeout" || choice == outline.Choice(s, "no")) {
				return nil, cannot("The run has ended there when the answer in step %s is “%s”: say what is done then, such as “in step %s, if %s, ...”.", d.names[s.ID], answer, d.names[s.ID], answer)
			}
		}
	}
	return steps, nil
}
