package change

import (
	"cmp"
	"errors"
	"fmt"
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

var (
	// answered are the words for an answer that no question has to name.
	answered = Pattern(`(?:(?:it|that|this|the request|they|somebody|he|she)(?: is|'s|’s| was| gets)? ?|is |was )?(?:approved|accepted|rejected|declined|denied|refused|ok|no|yes|nobody answers|no one answers)`)
	// adds begins words that say where a step comes.
	adds = regexp.MustCompile(`(?i)^(?:also )?(?:add|insert|put|move|do it|make it|run it|start it)\b`)
	// wonders is a question to somebody and no condition: "ask @ana if it is ok".
	wonders = regexp.MustCompile(`(?i)^ask .+ (?:it|that|this|they|everything|all)(?: is|'s|’s| are) (?:ok|okay)$`)
	// restricts stands in words about a step that is there: "@ana only files it when approved".
	restricts = regexp.MustCompile(`(?i)\bonly\b`)
	// agreement is an answer that is named by a noun: "@bob's approval".
	agreement = Pattern(`(?:(?:the|an?|his|her|their|(NAME)(?:'s|’s)) )?(?:approval|ok|sign-off|yes)(?: (?:of|from|by) (NAME))?`)
)

// affect changes what is said of a step that people answer: a deadline, a reminder, who else is asked, what follows an answer; and how often
// another one is tried.
func (c *changing) affect(before, words, behind string) error {
	if in, _ := c.numbered(words); in == "" && placed.MatchString(words) {
		return ErrNone
	}
	return c.affected(before+behind, words, c.quote(words))
}

// attempts finds words about a step that can fail.
var attempts = regexp.MustCompile(`(?i)^(?:(?:re)?try|(?:if|when) (?:it|that|this) (?:fails|goes wrong))\b`)

// answeredIn finds the number of a question in a condition about its answer: "if step 2a is rejected", "when 2 is answered no".
var answeredIn = Pattern(`(if|when|once|after|unless) (?:the (?:answer|reply) (?:to|in|of) )?(?:the )?(step |question )?(NUMBER) (?:(?:is|was|gets|got|has been) (?:answered )?(?:with )?|says )(.+)`)

func (c *changing) affected(number, words string, q tree.Quote) error {
	in, rest := c.numbered(words)
	if m := answeredIn.FindStringSubmatch(words); in == "" && m != nil && (m[2] != "" || c.numbers[strings.ToLower(m[3])] != "") {
		if _, err := c.find(m[3]); err != nil || len(c.answering(m[3])) == 0 {
			return cmp.Or(err, Cannot("Nobody answers in step %s.", m[3]))
		}
		in, rest = m[3], m[1]+" it is "+m[4]
	}
	if in != "" {
		if number != "" && !strings.EqualFold(number, in) {
			return Cannot("Is it about the answer in step %s or in step %s? Say one of them.", number, in)
		}
		number, words = in, rest
		if q.Text != c.text {
			c.t.Replaced = append(c.t.Replaced, q)
		}
		q = c.addText(words)
	}
	if number != "" && c.numbers[strings.ToLower(number)] == "" {
		return Cannot("There is no step %s.%s", number, c.insteadOf(number))
	}
	a, err := c.afterAnswer(number, words)
	if err == nil {
		err = follow(c, a, words, q)
	}
	if a.leads() || err == nil {
		return err
	}
	next, err := c.fitting(number, words, q)
	if err != nil {
		return err
	}
	c.setStep(next, words, q)
	return nil
}

// setStep puts a step into its place as it is with the words of the change.
func (c *changing) setStep(next *tree.Step, words string, q tree.Quote) {
	s := c.t.Step(next.ID)
	if !reflect.DeepEqual(s.Deadline, next.Deadline) {
		c.retimed(s)
	}
	*s = *next
	c.read = append(c.read, q)
	c.t.Renumber()
	c.say("In step %s: “%s”.", c.names[s.ID], words)
}

// behindAll gives the id of the step that comes behind one, also where that is the last one on a side of a condition; "" = none, or another
// round of a loop.
func (d *draft) behindAll(p spot) string {
	if p.at+1 < len(*p.list) {
		return (*p.list)[p.at+1].ID
	}
	for s := range d.t.Walk {
		for i := range s.Branches {
			if outer, ok := d.place(s.ID); ok && &s.Branches[i].Steps == p.list && (s.Kind == tree.Decide || s.Kind == tree.Ask) {
				return d.behindAll(outer)
			}
		}
	}
	return ""
}

// answering gives the step with a number that people answer, or those below one that nobody answers: "2" for "2. if it is over 100 ask @ana".
func (d *draft) answering(number string) (all []*tree.Step) {
	p, ok := d.place(d.numbers[strings.ToLower(number)])
	if !ok {
		return nil
	}
	for _, s := range d.asking("") {
		if s.ID == p.ID {
			return []*tree.Step{s}
		}
		if holds([]tree.Step{*p.Step}, s.ID) {
			all = append(all, s)
		}
	}
	return all
}

// otherwise begins words about the other side of a condition.
var otherwise = regexp.MustCompile(`(?i)^(?:otherwise|else|if not)\b`)

// answerer finds who has answered in a condition: "if @ana says no".
var answerer = Pattern(`(?:if|when|once|after) (NAME) .*`)

// fitting gives the only step of which words can be said, as it is with them. ErrNone: there is none.
func (d *draft) fitting(number, words string, q tree.Quote) (*tree.Step, error) {
	of := d.asking("")
	if attempts.MatchString(words) {
		of = d.all(func(s *tree.Step) bool { return d.canFail(s) == nil })
	}
	if otherwise.MatchString(words) {
		of = append(of, d.all(func(s *tree.Step) bool { return s.Kind == tree.Decide })...)
	}
	by := ""
	if m := answerer.FindStringSubmatch(words); m != nil {
		by = d.present(m[1])
	}
	var fits []*tree.Step
	for _, s := range of {
		if number != "" && !slices.Contains(d.answering(number), s) && d.names[s.ID] != strings.ToLower(number) || by != "" && !isName(s.Who, by) {
			continue
		}
		if next, ok := outline.Affect(d.t, q, s); ok && !idle(&next, s) {
			fits = append(fits, &next)
		}
	}
	return d.only(fits, "This can be said of the steps %[1]s: say which one is meant, such as “in step %[2]s, %[3]s”.", words)
}

// idle reports whether a step that was read again has another answer than before for which nothing is done: "after finance approved, @cfo too".
func idle(next, s *tree.Step) bool {
	n := len(next.Branches)
	return n > len(s.Branches) && len(next.Branches[n-1].Steps) == 0 && reflect.DeepEqual(next.Deadline, s.Deadline)
}

// participles are those of which the verb has other letters.
var participles = map[string]string{"sent": "send", "paid": "pay", "told": "tell", "made": "make", "written": "write", "bought": "buy", "built": "build", "shipped": "ship"}

// doneWhen finds when a step is done: "the claim is sent".
var doneWhen = Pattern(`(.+?) (?:is|are|was|were|has been|have been|gets) (\pL+)`)

// outcome adds what is done after an answer, with the answer behind the step: "tell #ops when it is rejected". It is read like the same words
// with the answer in front. "Only" puts a step that is there behind the answer.
func (c *changing) outcome(m []string) error {
	at, words, answer := m[1]+m[5], m[2], m[4]
	if strings.Count(words, `"`)%2 != 0 || adds.MatchString(words) || wonders.MatchString(words+" "+answer) || number.MatchString(answer) {
		return ErrNone
	}
	if restricts.MatchString(words) {
		return c.onlyAfter(at, strings.Join(strings.Fields(restricts.ReplaceAllString(words, " ")), " "), answer)
	}
	texts := len(c.t.Texts)
	if words = trailing.ReplaceAllString(words, ""); Speaks(words) || !outline.OnlySteps(c.t, c.quote(words)) {
		return ErrNone
	}
	turned := "if " + answer + ", " + words
	err := c.affected(at, turned, c.addText(turned))
	if m := doneWhen.FindStringSubmatch(answer); m != nil && at == "" && errors.Is(err, ErrNone) {
		if p, missed := c.find(m[1] + " " + cmp.Or(participles[strings.ToLower(m[2])], m[2])); missed == nil && p.Kind != tree.Ask { // not "if it is urgent", which a question asks
			c.t.Texts = c.t.Texts[:texts]
			return c.add("after", c.names[p.ID], words)
		}
	}
	switch {
	case errors.Is(err, ErrNone) && answered.MatchString(answer):
		return Cannot("Nobody answers “%s” in this flow.", answer)
	case errors.Is(err, ErrNone) && strings.EqualFold(m[3], "once"):
		return Cannot("No answer is “%s”. If a step is meant, write it as in “add after 2: %s”.", answer, words)
	}
	return err
}

// onlyAfter puts a step that is there behind an answer: "@ana only files it when approved", "don't file it before @ana approves".
func (c *changing) onlyAfter(at, words, answer string) error {
	which := []string{words}
	if words = strings.TrimPrefix(words, "do "); numbers.MatchString(words) {
		which = stepNumber.FindAllString(strings.ToLower(words), -1)
	}
	for _, words := range which {
		p, err := c.find(words)
		if first := stepNumber.FindString(fmt.Sprint(err)); err != nil && !errors.Is(err, ErrNone) && first != "" {
			err = Cannot("%v Write it for example as “%s only if %s”.", err, first, answer)
		}
		if err != nil || number.MatchString(answer) {
			return cmp.Or(err, ErrNone)
		}
		question, choice, err := c.answer(at, answer, words)
		if err != nil {
			return err
		}
		if err := c.putBehind(p, question, choice); err != nil {
			return err
		}
	}
	return nil
}

// somebody stands in words that are read only to see where a step behind them comes.
const somebody = "@somebody"

// answer finds the question and the answer to it that words name, such as "rejected"; then is what should follow it.
func (c *changing) answer(number, said, then string) (question, choice string, err error) {
	if m := agreement.FindStringSubmatch(said); m != nil {
		said = strings.TrimSpace(m[1] + m[2] + " approved")
	}
	probe := "if " + said + ", tell " + somebody
	other := newDraft(c.t, probe, "", c.t.Texts[c.text].People)
	next, err := other.fitting(number, "if "+said+", "+then, other.quote(probe))
	if errors.Is(err, ErrNone) {
		return "", "", Cannot("Nobody answers “%s” in this flow.", said)
	}
	if err != nil {
		return "", "", err
	}
	for _, b := range next.Branches {
		if n := len(b.Steps); n > 0 && b.Choice != "" && isName(b.Steps[n-1].To, somebody) {
			return next.ID, b.Choice, nil
		}
	}
	return "", "", Cannot("I cannot tell which answer in step %s “%s” is.", c.names[next.ID], said)
}

// putBehind moves a step behind one answer to a question.
func (c *changing) putBehind(p spot, question, choice string) error {
	moved := *p.Step
	list, at := c.t.Place(question)
	gate := &(*list)[at]
	inside := slices.ContainsFunc(gate.Branches, func(b tree.Branch) bool { return b.Choice == choice && holds(b.Steps, moved.ID) })
	switch {
	case holds([]tree.Step{moved}, question):
		return Cannot("Step %s cannot come after the answer in step %s: the question is a part of it.", c.names[moved.ID], c.names[question])
	case inside, list == p.list && p.at > at && len(gate.Choices) == 0 && gate.Doer != tree.DoerPerson && outline.Choice(gate, "approved") == choice:
		return Cannot("Step %s is done only after the answer “%s” in step %s already.", c.names[moved.ID], choice, c.names[question])
	case list == p.list && p.at > at+1:
		c.object("order", "step %v is done right after the answer in step %v, before the steps that stood between them", &moved, gate)
	}
	*p.list = slices.Delete(*p.list, p.at, p.at+1)
	gate = c.t.Step(question)
	gate.Branches = slices.DeleteFunc(gate.Branches, func(b tree.Branch) bool { return b.Choice != choice && len(b.Steps) == 0 })
	b := slices.IndexFunc(gate.Branches, func(b tree.Branch) bool { return b.Choice == choice })
	if b < 0 {
		gate.Branches, b = append(gate.Branches, tree.Branch{Choice: choice}), len(gate.Branches)
	}
	gate.Branches[b].Steps = append(gate.Branches[b].Steps, moved)
	c.prune(&c.t.Steps)
	c.t.Renumber()
	c.say("Step %s is done only if the answer in step %s is “%s”.", c.names[moved.ID], c.names[gate.ID], choice)
	return nil
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
func (d *draft) more() bool { return besides.MatchString(d.reply()) }

// twice notes a new step that does what one that is there does. The reply itself says that both are meant where it says both, and where no run does
// both.
func (d *draft) twice(before *tree.Tree) {
	was := before.Numbers()
	if d.more() {
		return
	}
	for s := range d.t.Walk {
		old := d.all(func(o *tree.Step) bool {
			return was[s.ID] == "" && was[o.ID] != "" && o.Said.Text < d.text && same(o, s) && !eitherOr(d.t, o, s) && !slices.ContainsFunc(d.t.Objections, func(q tree.Objection) bool { return slices.Contains(q.Drop, o.ID) })
		})
		if len(old) > 0 {
			d.object("twice", "step %v does the same as step %v, which stays", s, old[0])
			return
		}
	}
}

// same reports whether a new step asks for the same answer as one that is there, or does the same.
func same(old, step *tree.Step) bool {
	return does(old, step) && (old.Kind != tree.Ask || len(old.Who) == len(step.Who) && old.Quorum == step.Quorum && old.Free == step.Free &&
		slices.Equal(old.Choices, step.Choices) && reflect.DeepEqual(old.Fields, step.Fields))
}

// eitherOr reports whether no run does both of two steps: they stand on different sides of a condition. Messages may also stand behind different answers, or
// the run ends behind one before it comes to the other; that something else is done behind another answer, too, has to be confirmed.
func eitherOr(t *tree.Tree, a, b *tree.Step) bool {
	side := func(fork, s *tree.Step) int {
		return slices.IndexFunc(fork.Lists(), func(list *[]tree.Step) bool { return holds(*list, s.ID) })
	}
	for fork := range t.Walk {
		i, j := side(fork, a), side(fork, b)
		switch {
		case fork.Kind == tree.Parallel || i < 0 && j < 0 || fork.Kind != tree.Decide && a.Kind != tree.Tell:
		case i >= 0 && j >= 0 && i != j,
			i >= 0 && leaves(fork, i) && holds(t.Behind(fork), b.ID), j >= 0 && leaves(fork, j) && holds(t.Behind(fork), a.ID):
			return true
		}
	}
	return false
}

// leaves reports whether a run ends behind one of the lists below a step: that of a failure, of a no, or one that says so.
func leaves(fork *tree.Step, list int) bool {
	steps := *fork.Lists()[list]
	return list == len(fork.Branches) || steps[len(steps)-1].Kind == tree.Stop ||
		fork.Approves() && !fork.Judges && fork.Branches[list].Choice != outline.Choice(fork, "approved")
}

// besides are words that name somebody beside those who are asked, or in their place.
var besides = regexp.MustCompile(`\b(?:instead|too|also|as well|again|another|second|once more)\b`)

// skipBelow asks people only from an amount on. That weakens the question, so that a person has to confirm it.
func (c *changing) skipBelow(below string) error {
	gates := c.gates()
	if len(gates) == 0 {
		return Cannot("Nobody is asked anything in this flow.")
	}
	gate, err := c.only(gates, "There are %[3]d questions to people in this flow: write the one that is meant anew, such as “%[2]s. if the amount is over %[4]s ask ...”.", len(gates), below)
	if err != nil {
		return err
	}
	amount, ok := values.Amount(below)
	if !ok {
		return ErrNone
	}
	for s := range c.t.Walk {
		for _, when := range s.Conds() {
			if bound, number := when.Right.Literal.(float64); number && strings.HasPrefix(when.Op, ">") && amount <= bound && holds([]tree.Step{*s}, gate.ID) {
				if amount == bound {
					return Cannot("In step %s people are asked only if %s already.", c.names[gate.ID], when.Words)
				}
				return Cannot("In step %s people are asked only if %s already: say which amount is right, such as “%s instead of %s”.", c.names[gate.ID], when.Words, below, when.Right.Words)
			}
		}
	}
	if len(gate.Choices) > 0 || slices.ContainsFunc(gate.Branches, func(b tree.Branch) bool { return b.Choice == outline.Choice(gate, "approved") }) {
		return Cannot("More than an approval is said in step %s: say what is done below %s, such as “%s. if the amount is below %s ..., otherwise ask ...”.", c.names[gate.ID], below, c.names[gate.ID], below)
	}
	op, more := ">=", below+" or more"
	if strings.Contains(c.reply(), "up to") {
		op, more = ">", "more than "+below
	}
	when := tree.Cond{Op: op, Words: more, Right: tree.Value{Words: below, Literal: amount, At: c.quote(below)}}
	inner := *gate
	inner.No = 0
	*gate = tree.Step{ID: c.t.NewID(), No: gate.No, Kind: tree.Decide, Branches: []tree.Branch{{When: &when, Steps: []tree.Step{inner}}}}
	c.t.Renumber()
	c.say("In step %s people are asked only if %s.", c.names[inner.ID], when.Words)
	c.object("gate", "nobody is asked any more in step %v unless %s", &inner, when.Words)
	return nil
}

// ungated notes the steps that were done only after somebody had agreed, and that the new order puts before that.
func (d *draft) ungated(before *tree.Tree) {
	was, now := gatesBefore(before), gatesBefore(d.t)
	for s := range d.t.Walk {
		if list, _ := d.t.Place(s.ID); s.Kind == tree.Ask || s.Kind == tree.Tell && list != &d.t.Steps {
			continue
		}
		for _, gate := range was[s.ID] {
			g := d.t.Step(gate)
			if after, kept := now[s.ID]; kept && g != nil && !slices.Contains(after, gate) {
				d.object("gate."+s.ID, "step %v is done before anybody answers in step %v", s, d.t.Step(gate))
				return
			}
		}
	}
}

// gatesBefore gives for each step the questions that people answer before it. Steps at the same time do not wait for each other.
func gatesBefore(t *tree.Tree) map[string][]string {
	out := map[string][]string{}
	var visit func(list []tree.Step, gates []string) []string
	visit = func(list []tree.Step, gates []string) []string {
		for i := range list {
			s := &list[i]
			out[s.ID] = slices.Clone(gates)
			if s.Kind == tree.Ask {
				gates = append(slices.Clip(gates), s.ID)
			}
			before := gates
			for _, inner := range s.Lists() {
				gates = append(slices.Clip(gates), visit(*inner, before)[len(before):]...)
			}
		}
		return gates
	}
	visit(t.Steps, nil)
	return out
}

// drop asks a person whether steps that are there stay.
func (d *draft) drop(id string, all []tree.Step, what string) {
	var named []string
	var steps []any
	for i := range all {
		named, steps = append(named, "step %v ("+strings.ReplaceAll(label(&all[i]), "%", "%%")+")"), append(steps, &all[i])
	}
	d.object(id, areWhat(named, what), steps...)
	o := &d.t.Objections[len(d.t.Objections)-1]
	o.Drop = o.Steps
}

// object asks a person whether something is meant that the words do not name. Steps among the args stand for their numbers; the question goes
// when one of them is gone.
func (d *draft) object(id, format string, args ...any) {
	o := tree.Objection{ID: strconv.Itoa(d.text) + "." + id, Quote: tree.Quote{Text: d.text, To: len(d.t.Texts[d.text].Words)}, Change: true}
	for i, a := range args {
		if s, ok := a.(*tree.Step); ok {
			o.Steps, args[i] = append(o.Steps, s.ID), tree.NumberMark(s.ID)
		}
	}
	o.Text = fmt.Sprintf(format, args...)
	d.t.Objections = append(d.t.Objections, o)
}
