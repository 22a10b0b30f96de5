package change

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/outline"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

var (
	// answered are the words for an answer that no question has to name.
	answered = compiled(`(?:(?:it|that|this|the request|they|somebody|he|she)(?: is|'s|’s| was| gets| has been| are)? ?|is |was |are )?(APPROVED|nobody answers|no one answers|nobody responds)`)
	// wonders is a question to somebody that is no condition: "ask @ana if it is ok".
	wonders = regexp.MustCompile(`(?is)^ask [^ ]+ (?:if|whether) (?:it|that|this|they|everything|all)(?: is|'s|’s| are) (?:ok|okay)$`)
	// adds begins words that say where a step comes.
	adds = regexp.MustCompile(`(?i)^(?:also )?(?:add|insert|put|move|do it|make it|run it|start it)\b`)
	// restricts stands in words about a step that is there: "@ana only files it when approved".
	restricts = regexp.MustCompile(`(?i)\bonly\b`)
	// happens are words for doing a step that is named by a noun: "the filing only happens when approved".
	happens = regexp.MustCompile(`(?i)\s+(?:happens?|is done|takes? place|comes?|starts?)\s*$`)
	// agreement is an answer that is named by a noun: "@bob's approval".
	agreement = compiled(`(?:(?:the|an?|his|her|their|(NAME)(?:'s|’s)) )?(?:approval|ok|okay|sign-off|go-ahead|yes)(?: (?:of|from|by) (NAME))?`)
)

// outcome adds what is done after an answer, with the answer behind the step: "tell #ops when it is rejected". It is read like the same words
// with the answer in front. Words about a step that is there put it behind the answer.
func (c *changing) outcome(m []string) error {
	at, words, answer := m[1]+m[5], strings.TrimSpace(m[2]), strings.TrimSpace(m[4])
	if strings.Count(words, `"`)%2 != 0 || wonders.MatchString(words+" "+m[3]+" "+answer) || adds.MatchString(words) || number.MatchString(answer) {
		return ErrNone
	}
	if restricts.MatchString(words) && !strings.EqualFold(words, "only") {
		return c.onlyAfter(at, strings.Join(strings.Fields(restricts.ReplaceAllString(words, " ")), " "), answer, true)
	}
	if Speaks(words) {
		return ErrNone
	}
	words = strings.TrimSpace(trailing.ReplaceAllString(words, ""))
	if p, err := c.find(answer); err == nil && !strings.EqualFold(m[3], "if") && p.Kind == tree.Do && p.Doer != tree.DoerPerson { // "when it is deployed"
		return c.add([]string{"", "after", answer, words})
	}
	if !outline.OnlySteps(c.t, c.quote(words)) {
		if p, err := c.find(words); err != nil || p.Kind == tree.Tell {
			return ErrNone
		}
		return c.onlyAfter(at, words, answer, false)
	}
	turned := "if " + answer + ", " + words
	err := c.affected(at, turned, c.addText(turned))
	if errors.Is(err, ErrNone) && answered.MatchString(answer) {
		return Cannot("Nobody answers “%s” in this flow.", answer)
	}
	return err
}

// trailing says that somebody is told beside others: besides finds it in the whole reply.
var trailing = regexp.MustCompile(`(?i),? (?:too|as well)$`)

// notBefore puts a step that is there behind an answer: "don't file it before @ana approves".
func notBefore(c *changing, m []string) error {
	if _, err := c.find(m[2]); err != nil || number.MatchString(strings.TrimSpace(m[3])) {
		return ErrNone
	}
	return c.onlyAfter("", m[1]+m[2], m[3], true)
}

// onlyAfter puts a step that is there behind an answer: "@ana only files it when approved". A person confirms it unless the words are sure.
func (c *changing) onlyAfter(number, words, answer string, sure bool) error {
	words, said := happens.ReplaceAllString(words, ""), strings.TrimSpace(answer)
	p, err := c.find(words)
	if errors.Is(err, ErrNone) {
		return Cannot("No step is about “%s”: say which one is meant by its number, or write a new step, such as “if %s, ...”.", words, said)
	}
	if err != nil {
		return err
	}
	question, choice, err := c.answer(number, said, words)
	if err != nil {
		return err
	}
	return putBehind(c, p, question, choice, sure)
}

// answer finds the question and the answer to it that words name, such as "rejected"; then is what should follow it.
func (c *changing) answer(number, said, then string) (question, choice string, err error) {
	if m := agreement.FindStringSubmatch(said); m != nil {
		said = strings.TrimSpace(m[1] + m[2] + " approved")
	}
	probe := "if " + said + ", tell @somebody"
	other := newDraft(c.t, probe, "", c.t.Texts[c.text].People)
	next, err := other.fitting(number, "if "+said+", "+then, other.quote(probe))
	if errors.Is(err, ErrNone) {
		return "", "", Cannot("Nobody answers “%s” in this flow.", said)
	}
	if err != nil {
		return "", "", err
	}
	if choice = longer(next, c.t.Step(next.ID)); choice == "" {
		return "", "", Cannot("I cannot tell which answer in step %s “%s” is.", c.names[next.ID], said)
	}
	return next.ID, choice, nil
}

// branchOf gives the branch of an answer, which is made if there is none. Branches of other answers that hold no step go.
func branchOf(gate *tree.Step, choice string) *tree.Branch {
	gate.Branches = slices.DeleteFunc(gate.Branches, func(b tree.Branch) bool { return b.Choice != choice && len(b.Steps) == 0 })
	at := slices.IndexFunc(gate.Branches, func(b tree.Branch) bool { return b.Choice == choice })
	if at < 0 {
		gate.Branches, at = append(gate.Branches, tree.Branch{Choice: choice}), len(gate.Branches)
	}
	return &gate.Branches[at]
}

// putBehind moves a step behind one answer to a question. A person confirms it unless the words are sure.
func putBehind(c *changing, p spot, question, choice string, sure bool) error {
	moved := *p.Step
	switch {
	case holds([]tree.Step{moved}, question):
		return Cannot("Step %s cannot come after the answer in step %s: the question is a part of it.", c.names[moved.ID], c.names[question])
	case c.follows(p, question, choice):
		return Cannot("Step %s is done only after the answer “%s” in step %s already.", c.names[moved.ID], choice, c.names[question])
	}
	if list, at := c.t.Place(question); list == p.list && p.at > at+1 {
		c.object("order", "step %v is done right after the answer in step %v, before the steps that stood between them", &moved, c.t.Step(question))
	} else if !sure {
		c.object("moved", "step %v is done there and no longer where it stood", &moved)
	}
	*p.list = slices.Delete(*p.list, p.at, p.at+1)
	gate := c.t.Step(question)
	b := branchOf(gate, choice)
	b.Steps = append(b.Steps, moved)
	c.prune(&c.t.Steps)
	c.t.Renumber()
	c.say("Step %s is done only if the answer in step %s is “%s”.", c.names[moved.ID], c.names[gate.ID], choice)
	return nil
}

// movedBehind puts a step that is there behind an answer, where the only new step is the same: "if approved, ask @ana to file it". ErrNone:
// none is, or it may be meant as well as that one.
func movedBehind(c *changing, next *tree.Step, choice string) error {
	before := c.t.Step(next.ID)
	var added []*tree.Step
	for _, b := range next.Branches {
		for i := range b.Steps {
			if b.Choice == choice && before.ID != b.Steps[i].ID && c.names[b.Steps[i].ID] == "" {
				added = append(added, &b.Steps[i])
			}
		}
	}
	if choice == "" || len(added) != 1 || added[0].Kind == tree.Tell || more(&c.draft) {
		return ErrNone
	}
	old := c.all(func(s *tree.Step) bool { return does(s, added[0]) })
	if len(old) != 1 {
		return ErrNone
	}
	p, _ := c.place(old[0].ID)
	if list, at := c.t.Place(next.ID); list == p.list && p.at > at && !c.follows(p, next.ID, choice) { // it is done after another answer, too
		return ErrNone
	}
	return putBehind(c, p, next.ID, choice, false)
}

// does reports whether a new step is what one that is there does.
func does(old, step *tree.Step) bool {
	shares := func(a, b []tree.Name) bool {
		return slices.ContainsFunc(a, func(n tree.Name) bool { return isName(b, n.Words) || n.Is != "" && isName(b, n.Is) })
	}
	switch {
	case old.Kind != step.Kind:
		return false
	case old.Kind == tree.Tell:
		return step.Text != "" && strings.EqualFold(old.Text, step.Text) && shares(old.To, step.To)
	case old.Kind == tree.Ask:
		return shares(old.Who, step.Who) && (step.Text == "" || phrase.MentionsWords(spoken(old), step.Text))
	case old.Kind == tree.Do || old.Kind == tree.Agent:
		return (len(old.Who) == 0 || len(step.Who) == 0 || shares(old.Who, step.Who)) && phrase.MentionsWords(spoken(old), step.Text)
	}
	return false
}

// more reports whether the reply asks for something beside what is there.
func more(d *draft) bool { return besides.MatchString(strings.ToLower(d.t.Texts[d.text].Words)) }

// twice notes a new step that is what one that is there does.
func twice(d *draft, before *tree.Tree) {
	was := before.Numbers()
	if more(d) {
		return
	}
	for s := range d.t.Walk {
		old := d.all(func(o *tree.Step) bool { return was[s.ID] == "" && was[o.ID] != "" && does(o, s) })
		if len(old) > 0 {
			d.object("twice", "step %v is about the same as step %v, which stays", s, old[0])
			return
		}
	}
}

// follows reports whether a step is done after one answer alone: below it, or behind a question that ends the run with all other answers.
func (d *draft) follows(p spot, gate, choice string) bool {
	list, at := d.t.Place(gate)
	s := &(*list)[at]
	if list == p.list {
		return p.at > at && len(s.Choices) == 0 && s.Doer != tree.DoerPerson && outline.Choice(s, "approved") == choice
	}
	return slices.ContainsFunc(s.Branches, func(b tree.Branch) bool { return b.Choice == choice && holds(b.Steps, p.ID) })
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
				return nil, Cannot("The run has ended there when the answer in step %s is “%s”: say what is done then, such as “in step %s, if %s, ...”.", d.names[s.ID], answer, d.names[s.ID], answer)
			}
		}
	}
	return steps, nil
}
