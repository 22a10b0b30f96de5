package planner

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/lower"
	"sluice/engine/planner/match"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/reply"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// askCond asks who decides a condition that is not understood.
func (p *planning) askCond(s *tree.Step, c *tree.Cond, where string, k match.Scope, offered []match.Candidate) {
	words := lower.CondWords(c)
	q := question(s, "condition", where, "Who decides whether %s?", english.Quote(words))
	q.Quote, q.at = words, cmp.Or(first(c.At), c.Left.At, q.at)
	restricts := len(s.Branches) == 1 && s.Branches[0].Label != "" && s.Branches[0].Label == words && len(s.Branches[0].Steps) > 0
	if restricts {
		q.Text = fmt.Sprintf("Is step %s done only then (%s: who decides that?), or always?", p.t.Numbers()[s.Branches[0].Steps[0].ID], english.Quote(words))
	}
	asks, b := words, p.t.Before(s)
	if onlyAnswers(words) {
		askWhose(&p.inquiry, q, s, words)
		if b != nil {
			asks = cmp.Or(b.Text, words)
		}
	}
	meant, offer := askAnswer(&p.inquiry, q, s, c, k)
	if late := askInTime(&p.inquiry, q, s, words); late != nil {
		meant, offer = false, late
	}
	if meant {
		offer()
	}
	agrees := phrase.Answers[strings.ToLower(words[strings.LastIndex(words, " ")+1:])] == "approve" && len(s.Branches) == 1 && len(p.t.Behind(s)) > 0 // what follows a no is asked then
	decidedBy := func(s *tree.Step, who tree.Name) {
		ask := tree.Step{Kind: tree.Ask, Text: english.SentenceCase(asks) + "?", Who: []tree.Name{who}, Choices: []string{"yes", "no"}, Judges: !agrees}
		p.decideBy(s, c, ask, tree.Cond{Op: "==", Right: tree.Value{Literal: "yes"}})
	}
	deciders, answered := p.deciders(s, words), len(q.Options) > 0
	p.person(q, "A person decides...", "", decidedBy)
	for _, who := range deciders {
		if !answered { // nobody is asked the same twice
			q.button(optPerson+"."+english.Snake(who.Is), who.Is+" decides", func(s *tree.Step) { decidedBy(s, who) })
		}
	}
	if !meant && (len(deciders) == 0 || b != nil && slices.Equal(deciders, b.Who)) {
		offer()
	}
	askValue(p, q, s, c, k, offered)
	if _, amount := c.Right.Literal.(float64); c.Op != "" && needsRight(c.Op) && !c.Right.Open() && (amount || c.Left.Words != "") && p.byPeople() {
		starterKnows(&p.inquiry, q, c, words)
	} else if p.w.Model {
		q.button(optAgent, "An AI agent decides", func(s *tree.Step) {
			agent := tree.Step{Kind: tree.Agent, Text: "Decide whether this holds: " + words, Fields: []tree.Field{{Name: "holds", Type: "boolean", Required: true}}}
			p.decideBy(s, c, agent, tree.Cond{Op: tree.OpTrue, Left: tree.Value{Ref: tree.Ref{Field: "holds"}}})
		})
	}
	otherMeanings(p, q, s, c, k, restricts)
	q.typed = inWords(p, q, c, k, q.typed)
	p.add(q)
}

// otherMeanings offers what a condition may say that nobody decides: for which entries of a list it holds, what starts the flow, and nothing. restricts says that
// one step is done only then.
func otherMeanings(p *planning, q *asking, s *tree.Step, c *tree.Cond, k match.Scope, restricts bool) {
	words := lower.CondWords(c)
	if lists := k.All(isList); s.Kind == tree.Decide && p.inside == 0 && len(lists) > 0 && ofAll.MatchString(words) {
		q.button("each", "It is asked for each of "+lists[0].Label(), func(s *tree.Step) {
			within := []tree.Branch{{Steps: []tree.Step{*s}}}
			p.t.Exchange(s, tree.Step{ID: p.t.NewID(), Kind: tree.Each, No: s.No, As: "entry", Over: tree.Value{Ref: lists[0].Ref}, Branches: within})
		})
	}
	if restricts {
		q.button(optEitherWay, "It is always done", func(s *tree.Step) { p.t.Exchange(s, s.Branches[0].Steps...) })
	}
	if mayStartFlow(p.t, s, c) {
		q.button("starts", "Somebody starts it when that is so", func(s *tree.Step) {
			p.t.Triggers = []tree.Trigger{{By: true, Words: words, At: slices.Concat(s.At, s.Branches[0].At, c.At)}}
			p.t.Exchange(s, s.Branches[0].Steps...)
		})
	}
	if s.Kind == tree.Decide {
		leaveChoices(&p.inquiry, q, s, c)
	}
}

// mayStartFlow reports whether a condition may say what starts the flow: it stands first, compares nothing, and nothing is done otherwise.
func mayStartFlow(t *tree.Tree, s *tree.Step, c *tree.Cond) bool {
	return s.Kind == tree.Decide && len(t.Steps) > 0 && t.Steps[0].ID == s.ID && len(t.Triggers) == 0 && c.Op == "" && len(s.Branches) == 1 && s.Branches[0].When == c && len(s.Branches[0].Steps) > 0
}

// ofAll finds words about all that a step before found: “they are not assigned”.
var ofAll = regexp.MustCompile(`(?i)\b(?:they|them|these|those|any|one|each|all)\b`)

// askValue offers the values that a condition may be about: those that fit, the tools that read one, what people give in the branch of an earlier step,
// else all of the type.
func askValue(p *planning, q *asking, s *tree.Step, c *tree.Cond, k match.Scope, offered []match.Candidate) {
	if len(offered) == 0 {
		lookUpCond(p, q, c)
		offered = formsBefore(p.t, s).Named(english.Scan(c.Left.Words), match.WantedType(c))
	}
	if len(offered) > 0 {
		q.Default = optValue
	} else {
		want := match.WantedType(c)
		if c.Op == "" {
			want = func(typ string) bool { return typ == "boolean" }
		}
		offered = k.All(want)
	}
	if c.Op == "" || !needsRight(c.Op) || !c.Right.Open() {
		q.value(offered, func(_ *tree.Step, r tree.Ref) { c.Left.Ref, c.Op = r, cmp.Or(c.Op, tree.OpTrue) })
	}
}

// formsBefore makes the fields known that people fill in before a step.
func formsBefore(t *tree.Tree, s *tree.Step) (k match.Scope) {
	for _, o := range t.Earlier(s) {
		if o.Kind == tree.Ask && len(o.Fields) > 0 {
			k = k.With(match.FormSource(o, "the answer in step "+t.Numbers()[o.ID], resultWords(o)))
		}
	}
	return k
}

// inWords takes what people write in place of a button: how long people have, who decides, an answer, or a comparison of values that
// are there.
func inWords(p *planning, q *asking, c *tree.Cond, k match.Scope, other func(s *tree.Step, text string) error) func(s *tree.Step, text string) error {
	return func(s *tree.Step, text string) error {
		if other != nil && other(s, text) == nil {
			return nil
		}
		if isName(text) {
			if err := p.mayName(q, q.Options[slices.IndexFunc(q.Options, func(o Option) bool { return o.ID == optPerson })], text); err != nil {
				return err
			}
			q.do[optPerson](s, text)
			return nil
		}
		toks := phrase.Scan(text, 0, len(text))
		toks = toks[phrase.Starting(toks, phrase.Ifs):]
		if all := reply.SaidOf(p.t.Before(s), p.t.Numbers(), phrase.Lows(toks)); len(all) == 1 {
			onAnswer(&p.inquiry, s, c, all[0])
			return nil
		}
		is := values.Source{Src: text}.Condition(toks)
		for _, part := range is.All() {
			part.Left.At, part.Right.At, part.At = tree.Quote{}, tree.Quote{}, nil
			if ok, _ := p.bind(part, k, tree.Ref{}); len(part.Parts) == 0 && (!ok || match.Judged(part, k)) {
				return wrong("words", "%s is no name, such as @finance, and compares no value that is known there, as “the amount is over 500” does.", english.Quote(text))
			}
		}
		is.Words, is.At = c.Words, c.At
		*c = is
		return nil
	}
}

// lookUpCond offers the tools that read the value of a condition.
func lookUpCond(p *planning, q *asking, c *tree.Cond) {
	p.lookUps(q, func(k match.Scope) (match.Candidate, bool) {
		bound := *c
		ok, offered := p.bind(&bound, k, tree.Ref{})
		if len(offered) == 1 {
			return offered[0], true
		}
		read, _ := k.Value(bound.Left.Ref)
		return read, ok && !match.Judged(&bound, k) && len(english.Stems(english.Scan(cmp.Or(c.Left.Words, c.Words)))) > 0
	}, func(_ *tree.Step, r tree.Ref) {
		if c.Op != "" {
			c.Left.Ref = r
		}
	})
}

// starterKnows offers that the person who starts a run gives the value of a comparison, or says whether it holds: “the bill is paid” compares
// nothing.
func starterKnows(p *inquiry, q *asking, c *tree.Cond, words string) {
	asked, text, typ := c.Left.Words, english.Scan(c.Right.Words), ""
	left := english.Scan(asked)
	if _, number := c.Right.Literal.(float64); number {
		if typ = "number"; asked == "" || match.Pronoun(left) { // "under 50"
			asked, left = "amount", nil
		}
	}
	what := slices.ContainsFunc(left, func(w english.Word) bool { return match.Outcomes[w.Low] })
	named := slices.ContainsFunc(text, func(w english.Word) bool { return w.Kind != english.PlainWord || w.Text != w.Low })
	clause := slices.ContainsFunc(left, func(w english.Word) bool {
		return w.Kind == english.PlainWord && (english.Pronouns[w.Low] || persons[w.Low] || match.Finite[w.Low] || match.QuestionWords[w.Low])
	})
	if typ != "" && !clause || typ == "" && (what || named) {
		q.button(optInput, english.Shorten("The person who starts it gives “"+asked, 74)+"”", func(*tree.Step) { c.Left.Ref = p.newInput(asked, typ, c.Left.Words) })
		return
	}
	q.button(optInput, "The person who starts it says whether "+words, func(*tree.Step) {
		c.Op, c.Left.Ref, c.Right = tree.OpTrue, p.newInput(words, "boolean", words), tree.Value{At: c.Right.At}
	})
}

// onlyAnswers reports whether words are an answer and nothing else: “if yes”.
func onlyAnswers(words string) bool {
	return !slices.ContainsFunc(english.Scan(words), func(w english.Word) bool { return !yesNo[w.Low] })
}

var yesNo = english.WordSet("yes no yep yeah nope")

// askWhose asks which step a yes or no answers that no question asks for: the nearest one of people can ask for it.
func askWhose(p *inquiry, q *asking, s *tree.Step, words string) {
	q.Text = fmt.Sprintf("No step asks for a yes or a no: whose answer is %s?", english.Quote(words))
	list, at := p.t.Place(s.ID)
	for i := at - 1; i >= 0 && len(q.Options) == 0; i-- {
		if ask := &(*list)[i]; ask.ReadByPeople() && ask.Kind != tree.Tell && len(ask.Branches) == 0 {
			q.button("answer.yes", fmt.Sprintf("Step %s asks %s for a yes or a no", p.t.Numbers()[ask.ID], people(ask)), func(*tree.Step) {
				ask.Kind, ask.Doer, ask.Free, ask.Choices, ask.Judges = tree.Ask, "", false, []string{"yes", "no"}, true
			})
		}
	}
}

// slowly are words about what is not done in time, and answering, with a denial, those about what people do then.
var slowly, answering = english.StemSet("time late long slow soon deadline lapsed expired elapsed window period"), english.StemSet("answer reply respond react acknowledge ack do done month")

// askInTime takes how long people have as an answer, where a condition behind what they do may say that they are late: “if he doesn't do it in
// time”. late offers the time that they name; nil = they say nothing of the kind.
func askInTime(p *inquiry, q *asking, s *tree.Step, words string) (late func()) {
	list, at := p.t.Place(s.ID)
	said := english.Scan(words)
	denied := slices.ContainsFunc(said, func(w english.Word) bool { return english.Denials[w.Low] || strings.HasSuffix(w.Low, "n't") })
	slow := slices.ContainsFunc(said, func(w english.Word) bool { return slowly[w.Stem] || denied && answering[w.Stem] })
	wait := p.t.Before(s)
	waits := at > 1 && wait.Kind == tree.Wait && denied && strings.Contains(words, cmp.Or(p.t.Words(first(wait.At)), "-")) // "if it is not there within 60 days"
	if waits {
		at, slow = at-1, true
	}
	if at < 1 || s.Kind != tree.Decide || len(s.Branches) != 1 || !slow {
		return nil
	}
	ask := &(*list)[at-1]
	if ask.Kind == tree.Tell && waits && len(ask.To) == 1 && len(p.t.Behind(s)) == 0 { // "page @raj. If nobody acknowledges within 15 minutes, ..."
		return func() {
			q.button("late", fmt.Sprintf("Step %s asks whether it was seen, and nobody says so %s", p.t.Numbers()[ask.ID], p.t.Words(first(wait.At))), func(s *tree.Step) {
				askSeen(ask)
				ask.SetDeadline(wait.For)
				onAnswer(p, s, s.Branches[0].When, reply.Answer{Step: ask, Choice: flow.ChoiceTimeout})
				p.t.Replaced = append(p.t.Replaced, wait.At...)
				p.t.Exchange(wait)
			})
		}
	}
	if !ask.ReadByPeople() || ask.Kind == tree.Tell || ask.Deadline != nil && ask.Deadline.After != "" {
		return nil
	}
	q.Text = strings.TrimSuffix(q.Text, "?") + fmt.Sprintf(", or how long does %s have (write it, such as “2 hours”)?", people(ask))
	has := func(s *tree.Step, term string) {
		ask.SetDeadline(term)
		onAnswer(p, s, s.Branches[0].When, reply.Answer{Step: ask, Choice: flow.ChoiceTimeout})
		if waits {
			p.t.Replaced = append(p.t.Replaced, wait.At...)
			p.t.Exchange(wait)
		}
	}
	q.typedTerm(has)
	return func() {
		if waits {
			q.button("late", fmt.Sprintf("It is the deadline of step %s: %s", p.t.Numbers()[ask.ID], p.t.Words(first(wait.At))), func(s *tree.Step) { has(s, wait.For) })
		}
	}
}

// deciders are the people who probably know whether words are true: those that they name, else the one person who does the step before.
func (p *inquiry) deciders(s *tree.Step, words string) (out []tree.Name) {
	named := People(words, p.w)
	for _, w := range english.Scan(words) {
		name := w.Text
		if slices.Contains(named, w.Low) {
			name = "@" + w.Low
		}
		if p.answers(name) {
			out = append(out, tree.Name{Words: w.Text, Is: name})
		}
	}
	if b := p.t.Before(s); len(out) == 0 && b != nil && len(b.Who) == 1 && p.answers(b.Who[0].Is) {
		return b.Who
	}
	return out
}

// answers reports whether a name is one of people who can be asked.
func (p *inquiry) answers(name string) bool {
	return strings.HasPrefix(name, "@") && p.unfit(name, false) == ""
}

// askAnswer finds the answers to the questions right in front of a decision that its words may mean: “ask @bob whether the order is small. If we
// do, refund it”. offer adds them, meant says that the condition seems to be about one of them. What follows a no is asked after that.
func askAnswer(p *inquiry, q *asking, s *tree.Step, c *tree.Cond, k match.Scope) (meant bool, offer func()) {
	list, at := p.t.Place(s.ID)
	words := english.Scan(lower.CondWords(c))
	if all := reply.Said(p.t.Before(s), words); len(all) > 0 && len(all) <= mostAnswers {
		q.Text = fmt.Sprintf("What is meant by %s?", english.Quote(lower.CondWords(c)))
		return true, func() { offerSaid(p, q, s, c, all) }
	}
	asked := k.Asked()
	if _, amount := c.Right.Literal.(float64); amount || asked == nil || at < 1 || (*list)[at-1].ID != asked.Ref.Step || len(asked.Choices) > mostAnswers {
		return false, func() {}
	}
	ask, choices := &(*list)[at-1], slices.Clone(asked.Choices)
	known := append(append(english.Stems(english.Scan(ask.Text+" "+strings.Join(choices, " "))), asked.Voters...), asked.About...)
	other := func(w english.Word) bool { return w.Content() && !w.Matters() && !slices.Contains(known, w.Stem) }
	meant = slices.ContainsFunc(words, func(w english.Word) bool {
		return english.Pronouns[w.Low] || persons[w.Low] || slices.Contains(asked.Voters, english.Stem(strings.TrimPrefix(w.Low, "@")))
	}) || len(words) > 0 && !slices.ContainsFunc(words, other) // “if the order is large” behind “ask @bob whether the moon is full” means another
	if !meant && len(choices) > 2 {
		return false, func() {}
	}
	var all []reply.Answer
	for _, choice := range choices {
		if !slices.ContainsFunc(ask.Branches, func(b tree.Branch) bool { return b.Choice == choice }) {
			all = append(all, reply.Answer{Step: ask, Choice: choice})
		}
	}
	return meant, func() { offerSaid(p, q, s, c, all) }
}

// offerSaid offers answers as what a condition means; of several steps in the branches of one decision first all of them together.
func offerSaid(p *inquiry, q *asking, s *tree.Step, c *tree.Cond, all []reply.Answer) {
	numbers := p.t.Numbers()
	same := !slices.ContainsFunc(all, func(a reply.Answer) bool { return a.Choice != all[0].Choice })
	if b := p.t.Before(s); len(all) > 1 && same && b.Kind == tree.Decide && single(s, c) && len(s.Branches) == 1 {
		var names []string
		for _, a := range all {
			names = append(names, numbers[a.Step.ID])
		}
		q.button("answer.each", reply.Answer{Choice: all[0].Choice}.Label(english.Join(names, "or")), func(s *tree.Step) {
			for _, a := range all[1:] {
				a.Step.Branches = append(a.Step.Branches, tree.Branch{Choice: a.Choice, Steps: p.t.Again(s.Branches[0].Steps)})
			}
			onAnswer(p, s, c, all[0])
		})
	}
	for _, a := range all {
		id := "answer." + english.Snake(a.Choice)
		if slices.ContainsFunc(q.Options, func(o Option) bool { return o.ID == id }) {
			id += "." + a.Step.ID
		}
		q.button(id, a.Label(numbers[a.Step.ID]), func(s *tree.Step) { onAnswer(p, s, c, a) })
		p.asked = slices.DeleteFunc(p.asked, func(other *asking) bool { return q.Default == id && other.ID == a.Step.ID+".behind" })
	}
}

// onAnswer makes a decision one about an answer to a question in front of it: a branch of the question, where nothing else hangs on the decision.
func onAnswer(p *inquiry, s *tree.Step, c *tree.Cond, a reply.Answer) {
	ask, choices := a.Step, reply.Choices(a.Step)
	two := len(choices) == 2 && len(ask.Branches) == 0 && slices.Contains(choices, a.Choice)
	if !single(s, c) || len(s.Branches) > 1 && !two || len(choices) > 2 && len(ask.Branches) == 0 && p.t.Before(s) == ask {
		p.t.Replaced = append(p.t.Replaced, tree.Quotes(c)...)
		*c = tree.Cond{Op: "==", Left: tree.Value{Words: c.Words, Ref: tree.Ref{Step: ask.ID}}, Right: tree.Value{Literal: a.Choice}, Words: c.Words}
		return
	}
	p.t.Replaced = append(append(p.t.Replaced, s.At...), tree.Quotes(c)...)
	for j, b := range s.Branches {
		p.t.Replaced = append(p.t.Replaced, b.At...)
		choice := a.Choice
		if j > 0 {
			choice = choices[(slices.Index(choices, a.Choice)+1)%len(choices)]
		}
		ask.Branches = append(ask.Branches, tree.Branch{Choice: choice, Steps: b.Steps})
	}
	list, at := p.t.Place(s.ID)
	*list = slices.Delete(*list, at, at+1)
	p.t.Renumber()
}

// persons are words for people that name nobody.
var persons = english.WordSet("he she they them him her we us i me you one ones somebody someone anybody anyone everybody everyone nobody")

// mostAnswers is how many answers of one question are offered.
const mostAnswers = 4

// single reports whether a condition is the only one of a decision.
func single(s *tree.Step, c *tree.Cond) bool {
	return s.Kind == tree.Decide && s.Branches[0].When == c && (len(s.Branches) == 1 || len(s.Branches) == 2 && s.Branches[1].Else)
}

// decideBy inserts a step whose answer the condition reads, as is says: in front of a decision, or at the end of each round of a loop.
func (p *inquiry) decideBy(s *tree.Step, c *tree.Cond, by tree.Step, is tree.Cond) {
	by.ID = p.t.NewID()
	by.At = slices.SortedStableFunc(slices.Values(tree.Quotes(c)), func(a, b tree.Quote) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(b.To, a.To)) })
	is.Words, is.Left.Words, is.Left.Ref.Step = c.Words, c.Words, by.ID
	*c = is
	p.t.InsertFor(s, by)
}

// leaveChoices offers to leave a condition out, with the steps behind it. Where it is the only one, those of its other side can stay.
func leaveChoices(p *inquiry, q *asking, s *tree.Step, c *tree.Cond) {
	branch := slices.IndexFunc(s.Branches, func(b tree.Branch) bool { return slices.Contains(b.When.All(), c) })
	if slices.ContainsFunc(s.Branches, func(b tree.Branch) bool { return b.When != nil && b.When != s.Branches[branch].When }) {
		q.button(optLeave, leaveOut+with(p.t, s.Branches[branch].Steps), func(s *tree.Step) { leaveBranch(p, s, branch) })
		return
	}
	if last := s.Branches[len(s.Branches)-1]; last.Else && len(last.Steps) > 0 {
		label := leaveOut + " and always do " + stepNames(p.t, last.Steps)
		if first := stepNames(p.t, s.Branches[0].Steps); first != "" {
			label += ", without " + first
		}
		q.button(optLeaveThen, label, func(s *tree.Step) { leaveFirstSide(p, s) })
	}
	p.leavable(q, s)
}

// leaveBranch removes one of several conditions with its steps.
func leaveBranch(p *inquiry, s *tree.Step, branch int) {
	objectLater(p.t, s, s.Branches[branch].Steps)
	p.leave(tree.Quotes(&s.Branches[branch])...)
	s.Branches = slices.Delete(s.Branches, branch, branch+1)
	p.t.Forget()
}

// leaveFirstSide removes the only condition of a decision with its steps, and puts those of its other side into the place of the decision.
func leaveFirstSide(p *inquiry, s *tree.Step) {
	gone, other := s.Own(), s.Branches[1].Steps
	gone.Branches[0].Steps = s.Branches[0].Steps
	objectLater(p.t, s, gone.Branches[0].Steps)
	p.leave(tree.Quotes(&gone)...)
	other[0].No = s.No
	p.t.Exchange(s, other...)
}
