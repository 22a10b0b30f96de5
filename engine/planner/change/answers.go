package change

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/idiom"
	"sluice/engine/planner/jumps"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/reply"
	"sluice/engine/planner/tree"
)

// after is what words say behind an answer to a question.
type after struct {
	*tree.Step
	choice, term string // term: nobody answers within this time
	then         string
	steps        []tree.Step // that are done before the run goes back or on
}

var (
	// goesBack finds the step from which on everything is done again.
	goesBack = Pattern(`(?:it |we )?(?:go(?:es)?|jumps?|returns?|starts?|begins?) (?:back )?(?:(?:again )?(?:to|at|from|with) )?(?:the )?(?:step )?(NUMBER|first step|start|beginning)(?: again)?|(?:repeat|redo) (?:from )?(?:step )?(NUMBER)(?: again)?`)
	// goesOn finds that the flow just goes on, or with which step.
	goesOn = Pattern(`(?:it |we |just |still )*(?:go(?:es)?|continues?|carr(?:y|ies)|moves?|proceeds?|skips?|jumps?)(?: (?:on|ahead|forward))?(?:(?: (?:to|with|at))? (?:the )?(?:step )?(NUMBER|next (?:step|one))| anyway)?`)
	// jumpsBehind finds what stands before words that lead to another step.
	jumpsBehind = regexp.MustCompile(`(?i)^(?:(.+?)(?:[,;]| and| then)+ )?((?:just |it |we )*(?:go(?:es)?|continues?|jumps?|returns?|starts? again|proceeds?|skips?)\b(?: [a-z]+)* (?:step )?[0-9]+[0-9a-z]*.*)$`)
	// stepIn finds the number of a question inside a condition: "if nobody answers step 2a within 4 hours, ...".
	stepIn  = regexp.MustCompile(`(?is)^((?:if|when|once|in case|after)\b[^,;]*?)(?: (?:in|to|at|on|of|for))?(?: the)? (?:step|question) (` + aNumber + `)\b(.*)$`)
	answers = regexp.MustCompile(`(?i)\b(?:answer|repl|respon)`)

	conditional = regexp.MustCompile(`(?i)\b(?:if|when|once|unless)\b`)
	// leadsOn are words between an answer and what follows it.
	leadsOn = regexp.MustCompile(`(?i)^[\s,:;-]*(?:(?:then|just|also|please)\b[\s,]*)*`)
)

// afterAnswer reads words as an answer to the only question that can have it, and what follows. ErrNone: they are something else.
func (d *draft) afterAnswer(number, words string) (after, error) {
	toks := phrase.Trim(phrase.Scan(words, 0, len(words), d.t.Texts[d.text].People...))
	var fits []after
	var steps []*tree.Step
	for _, s := range d.asking("") {
		if number != "" && !slices.Contains(d.answering(number), s) {
			continue
		}
		asked := *s
		reply.YesNo(&asked, toks)
		choice, term, n := reply.OrSilence(&asked, toks)
		if choice == "" && s.Doer == tree.DoerPerson {
			asked.Kind, asked.Choices = tree.Ask, tree.PersonChoices()
			choice, n = reply.Of(&asked, toks)
		}
		if choice == "" || n >= len(toks) || !reply.IsAsked(&asked, reply.Answerer(toks)) {
			continue
		}
		fits = append(fits, after{Step: s, choice: choice, term: term, then: leadsOn.ReplaceAllString(words[toks[n-1].To:], "")})
		steps = append(steps, s)
	}
	if asks := d.gates(); len(steps) > 1 && len(asks) == 1 && fits[0].choice == "timeout" && answers.MatchString(words) { // a task is done, and a question answered
		if i := slices.Index(steps, asks[0]); i >= 0 {
			return fits[i], nil
		}
	}
	if _, err := d.only(steps, "This can be said of the steps %[1]s: say which one is meant, such as “in step %[2]s, %[3]s”.", words); err != nil {
		return append(fits, after{})[0], err
	}
	return fits[0], nil
}

// numbered takes the number of the question out of a condition about its answer, wherever it stands there.
func (d *draft) numbered(words string) (number, without string) {
	m := stepIn.FindStringSubmatch(words)
	if m == nil {
		return "", words
	}
	if a, err := d.afterAnswer(m[2], m[1]+", stop"); err != nil || a.then != "stop" {
		return "", words
	}
	return m[2], m[1] + m[3]
}

// leads reports whether the words behind an answer lead to another step.
func (a after) leads() bool {
	return a.Step != nil && (goesBack.MatchString(a.then) || goesOn.MatchString(a.then) || jumpsBehind.MatchString(a.then))
}

// follow lets the run go back or on behind an answer, or adds steps there. ErrNone: the words say something else.
func follow(c *changing, a after, words string, q tree.Quote) error {
	m := jumpsBehind.FindStringSubmatch(a.then)
	jump := a.then
	if m != nil {
		jump = m[2]
	}
	back, on := goesBack.FindStringSubmatch(jump), goesOn.FindStringSubmatch(jump)
	if m != nil && m[1] != "" && (back != nil || on != nil) {
		steps, err := c.steps(m[1])
		if err != nil || conditional.MatchString(m[1]) {
			return ErrNone
		}
		a.steps = steps
	}
	to := ""
	for _, found := range [][]string{back, on} {
		to = cmp.Or(to, strings.Join(found[min(1, len(found)):], ""))
	}
	var err error
	switch {
	case (back != nil || on != nil && number.MatchString(to)) && c.before(to, a.Step):
		err = goBack(c, a, to)
	case on != nil:
		err = goOn(c, a, strings.ToLower(on[1]))
	case m != nil:
		return ErrNone
	default:
		return addAfter(c, a, words, q)
	}
	if err == nil {
		c.t.Replaced = append(c.t.Replaced, q.Without(c.read...)...)
	}
	return err
}

// target finds a step by its number, or the first one.
func (d *draft) target(name string) (spot, error) {
	if !number.MatchString(name) && len(d.t.Steps) > 0 {
		return spot{&d.t.Steps[0], &d.t.Steps, 0}, nil
	}
	return d.find(name)
}

// before reports whether a step stands at or before another one.
func (d *draft) before(name string, s *tree.Step) bool {
	p, err := d.target(name)
	if err != nil {
		return false
	}
	for o := range d.t.Walk {
		if o.ID == p.ID {
			return true
		}
		if o.ID == s.ID {
			break
		}
	}
	return false
}

// branch is where the steps behind an answer stand; -1 = there are none.
func (a *after) branch(choice string) int {
	return slices.IndexFunc(a.Branches, func(b tree.Branch) bool { return b.Choice == choice })
}

// choose adds the steps behind an answer, and asks what becomes of those that stand there. It gives the step the choices and the deadline that
// the answer needs. ends: the run still ends there if it did.
func choose(c *changing, a after, ends bool) {
	if a.Free && a.choice != "timeout" {
		a.Free, a.Choices = false, []string{"yes", "no"}
	}
	if a.term != "" {
		c.retimed(a.Step)
		a.Deadline = &tree.Deadline{After: a.term}
	}
	at := a.branch(a.choice)
	if at < 0 {
		at, a.Branches = len(a.Branches), append(a.Branches, tree.Branch{Choice: a.choice})
	}
	b := &a.Branches[at]
	c.stays(b.Steps)
	n := len(b.Steps)
	if n == 0 || b.Steps[n-1].Kind != tree.Stop {
		b.Steps = append(b.Steps, a.steps...)
		return
	}
	end := b.Steps[n-1]
	if b.Steps = append(slices.Clip(b.Steps[:n-1]), a.steps...); ends {
		b.Steps = append(b.Steps, end)
	} else {
		c.forget(&end)
	}
}

// goBack makes a loop of the steps from one on up to a question, one of whose answers goes back.
func goBack(c *changing, a after, name string) error {
	p, err := c.target(name)
	if err != nil {
		return err
	}
	to := slices.IndexFunc(*p.list, func(s tree.Step) bool { return holds([]tree.Step{s}, a.ID) })
	if to < p.at || a.choice == "timeout" {
		return Cannot("The run can go back to step %s after an answer in a step behind it, and not when there is none.", c.names[p.ID])
	}
	until, ok := unasked(&(*p.list)[to], a.ID)
	if !ok {
		return Cannot("The run cannot go back to step %s from the answer in step %s, which not every round asks: only an amount may decide about that.", c.names[p.ID], c.names[a.ID])
	}
	choose(c, a, false)
	c.say("After the answer “%s” in step %s the run goes back to step %s.", a.choice, c.names[a.ID], c.names[p.ID])
	jumps.Back(c.t, p.list, p.at, to, a.Step, a.choice)
	if loop := &(*p.list)[p.at]; len(until) > 0 {
		loop.Until = &tree.Cond{Op: tree.OpOr, Parts: append(until, *loop.Until)}
	}
	c.t.Renumber()
	return nil
}

// contrary are comparisons that hold where others do not, and neither where there is no value.
var contrary = map[string]string{"<": ">=", "<=": ">", ">": "<=", ">=": "<"}

// unasked gives the conditions under which a round passes a step by without asking the question below it: an answer of an earlier round does not
// count then. false: it cannot be told.
func unasked(s *tree.Step, id string) (out []tree.Cond, ok bool) {
	if s.ID == id {
		return nil, true
	}
	for i := range s.Branches {
		if !holds(s.Branches[i].Steps, id) {
			continue
		}
		if s.Kind != tree.Decide || i > 0 || s.Branches[i].When == nil {
			return nil, false
		}
		when := *s.Branches[i].When
		if when.Op, ok = contrary[when.Op]; !ok {
			return nil, false
		}
		when.Words, when.At = "not "+when.Words, nil
		at := slices.IndexFunc(s.Branches[i].Steps, func(s tree.Step) bool { return holds([]tree.Step{s}, id) })
		below, ok := unasked(&s.Branches[i].Steps[at], id)
		return append(below, when), ok
	}
	return nil, false
}

// goOn lets the flow go on behind an answer that ends it otherwise. to is the step that comes next; "" = that one, whichever it is.
func goOn(c *changing, a after, to string) error {
	p, _ := c.place(a.ID)
	next := c.names[c.behindAll(p)]
	switch {
	case to != "" && !strings.HasPrefix(to, "next") && to != next:
		return skipTo(c, a, p, to, next)
	case next == "":
		return Cannot("No step stands behind step %s.", c.names[a.ID])
	}
	goesOnAfter(c, a)
	c.say("After the answer “%s” in step %s the flow goes on with step %s.", a.choice, c.names[a.ID], next)
	return nil
}

// goesOnAfter lets the flow go on behind an answer, also where that is a refusal.
func goesOnAfter(c *changing, a after) {
	if choose(c, a, false); idiom.Refuses(a.choice) {
		jumps.Refusals(c.t, a.Step, a.choice)
	}
}

// skipTo lets the flow go on with a later step behind one answer: the steps before that one are done only after the other one.
func skipTo(c *changing, a after, p spot, to, next string) error {
	far, err := c.find(to)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(reply.All(a.Step), func(choice string) bool {
		ends := func(b tree.Branch) bool {
			return b.Choice == choice && len(b.Steps) > 0 && b.Steps[len(b.Steps)-1].Kind == tree.Stop
		}
		return choice == a.choice || choice == "timeout" || a.Approves() && idiom.Refuses(choice) || slices.ContainsFunc(a.Branches, ends)
	})
	if far.list != p.list || far.at <= p.at || len(others) != 1 {
		return Cannot("After an answer in step %s the flow can go on with the step behind it%s, and not with step %s.", c.names[a.ID], strings.TrimSuffix(", step "+next, ", step "), to)
	}
	between := slices.Clone((*p.list)[p.at+1 : far.at])
	goesOnAfter(c, a)
	c.say("After the answer “%s” in step %s the flow goes on with step %s. The steps between them are done only after the answer “%s”.", a.choice, c.names[a.ID], to, others[0])
	at := a.branch(others[0])
	if at < 0 {
		at, a.Branches = len(a.Branches), append(a.Branches, tree.Branch{Choice: others[0]})
	}
	a.Branches[at].Steps = append(a.Branches[at].Steps, between...)
	*p.list = slices.Delete(*p.list, p.at+1, far.at)
	c.t.Renumber()
	return nil
}

// addAfter adds steps behind an answer, as the same words in a description do. What stands there already stays until a person says that it goes.
func addAfter(c *changing, a after, words string, q tree.Quote) error {
	for _, part := range apart(a.then)[1:] {
		if other, _ := c.afterAnswer("", part); other.Step != nil && other.ID != a.ID {
			return ErrNone
		}
	}
	var had []tree.Step
	if at := a.branch(a.choice); at >= 0 {
		had = a.Branches[at].Steps
	}
	if next, ok := outline.Affect(c.t, q, a.Step); ok && !idle(&next, a.Step) {
		at := (&after{Step: &next}).branch(a.choice)
		if n := len(had); at >= 0 && n > 0 && len(next.Branches[at].Steps) > n {
			if all := next.Branches[at].Steps; had[n-1].Kind == tree.Stop { // the new steps come before the end
				next.Branches[at].Steps = append(slices.Concat(all[:n-1], all[n:]), all[n-1])
			}
			c.stays(had)
		}
		c.setStep(&next, words, q)
		return nil
	}
	steps, err := c.steps(a.then)
	if err != nil || slices.ContainsFunc(apart(a.then), Speaks) || !outline.OnlySteps(c.t, c.quote(a.then)) && steps[0].Kind != tree.Stop {
		return ErrNone
	}
	a.steps = steps
	choose(c, a, true)
	c.t.Renumber()
	c.say("In step %s: “%s”.", c.names[a.ID], words)
	return nil
}

// stays asks what becomes of the steps that stand behind an answer already.
func (d *draft) stays(had []tree.Step) {
	had = slices.DeleteFunc(slices.Clone(had), func(s tree.Step) bool { return s.Kind == tree.Stop })
	if len(had) > 0 && !d.more() {
		d.drop("stays", had, "done after that answer, too, and first")
	}
}
