package planner

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/planner/change"
	"sluice/engine/planner/english"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/jumps"
	"sluice/engine/planner/lower"
	"sluice/engine/planner/match"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// mostThen is how many steps are offered after an approval.
const mostThen = 3

// askThen asks what happens after an approval whose subject is done only on another branch: "if it is below 50 refund it, otherwise @finance
// must approve the refund" does not state that the refund follows.
func (p *inquiry) askThen(decision *tree.Step) {
	var done []*tree.Step
	for i := range decision.Branches {
		for j := range decision.Branches[i].Steps {
			if s := &decision.Branches[i].Steps[j]; s.Kind == tree.Do && len(done) < mostThen {
				done = append(done, s)
			}
		}
	}
	for i := range decision.Branches {
		steps := decision.Branches[i].Steps
		if len(steps) == 0 || !approves(&steps[len(steps)-1]) {
			continue
		}
		ask := &steps[len(steps)-1]
		others := slices.DeleteFunc(slices.Clone(done), func(s *tree.Step) bool {
			return slices.ContainsFunc(steps, func(o tree.Step) bool { return o.ID == s.ID }) || !about(ask, s)
		})
		if len(others) == 0 || pointless(ask) && p.doneNext(decision) {
			continue
		}
		verb := does(ask, "approves", "approve")
		if len(ask.Choices) > 0 {
			verb = does(ask, "says yes", "say yes")
		}
		q := question(ask, "then", "then", "What happens after %s %s?", people(ask), verb)
		for _, s := range others {
			q.option(Option{ID: "then." + s.ID, Label: english.Shorten(english.SentenceCase(s.Text), 75)}, func(ask *tree.Step, _ string) {
				p.settle(q.ID)
				p.repeat(s, ask)
			})
		}
		q.option(Option{ID: "nothing", Label: "Nothing more"}, nil)
		p.add(q)
	}
}

// repeat copies a step behind another one.
func (p *inquiry) repeat(s, behind *tree.Step) {
	again := p.t.Clone().Step(s.ID)
	again.Said, again.At, again.No = tree.Quote{}, nil, 0
	copied := tree.Tree{Steps: []tree.Step{*again}}
	for s := range copied.Walk {
		s.ID = p.t.NewID()
	}
	again = &copied.Steps[0]
	for _, id := range slices.Clone(p.t.Settled) {
		if what, ok := strings.CutPrefix(id, s.ID+"."); ok {
			p.settle(again.ID + "." + what)
		}
	}
	list, at := p.t.Place(behind.ID)
	*list = slices.Insert(*list, at+1, *again)
}

// askBehind asks whether what stands behind an approval under a condition is done also when the condition does not hold: "if the tests are
// green ask @ops to approve, then deploy" does not say so. Behind a comparison with an amount it is: "if it is over 100 ask @finance, then refund it".
func (p *inquiry) askBehind(decision *tree.Step) {
	if len(decision.Branches) != 1 || !p.doneNext(decision) {
		return
	}
	b := decision.Branches[0]
	if !isFact(b.When) || len(b.Steps) == 0 || !approves(&b.Steps[len(b.Steps)-1]) {
		return
	}
	next := p.t.Behind(decision)[0]
	q := question(decision, "behind", "behind", "Is %s done also when it is not so that %s?", english.Quote(english.Shorten(next.Text, 75)), english.Quote(english.Shorten(b.When.Words, 60)))
	q.Quote = next.Text
	q.option(Option{ID: optOnlyThen, Label: "Only when it is so, and all that follows"}, func(s *tree.Step, _ string) {
		p.settle(q.ID)
		list, at := p.t.Place(s.ID)
		s.Branches[0].Steps = append(slices.Clip(s.Branches[0].Steps), (*list)[at+1:]...)
		*list = slices.Clip((*list)[:at+1])
	})
	q.option(Option{ID: optEitherWay, Label: "In either case"}, nil)
	p.add(q)
}

// askFirst asks what is done after an approval that comes "first", when nothing is: "over 50 @finance has to sign off first".
func askFirst(p *inquiry, s *tree.Step) {
	first := func(q tree.Quote) bool {
		return firstWords.MatchString(p.t.Words(q)) && !strings.Contains(p.t.Words(q), "is first")
	}
	if !approves(s) || !endsWith(p.t.Steps, s) || (!slices.ContainsFunc(s.At, first) && !strings.EqualFold(s.Text, "it first")) || slices.ContainsFunc(p.asked, func(q *asking) bool { return q.ID == s.ID+".then" }) {
		return
	}
	q := question(s, "then", "then", "What is done after %s said yes?", people(s))
	q.option(Option{ID: "nothing", Label: "Nothing more"}, nil)
	q.typed = func(s *tree.Step, text string) error {
		changed, err := change.StandIn(p.t, text, p.by, s.ID, People(text, p.w)...)
		if err != nil {
			return wrong("words", "I did not understand %s. Say it as a step, such as “@ana sends it”.", english.Quote(text))
		}
		p.t = changed
		return nil
	}
	p.add(q)
}

// askBack asks what follows an answer that sends something back to be changed: "@bob accepts it or sends it back to @ana".
func askBack(p *inquiry, s *tree.Step) {
	list, at := p.t.Place(s.ID)
	c := slices.IndexFunc(s.Choices, backWords.MatchString)
	if c < 1 || slices.ContainsFunc(s.Branches, func(b tree.Branch) bool { return b.Choice == s.Choices[c] }) {
		return
	}
	choice, made := s.Choices[c], at-1
	for i := range at {
		if slices.ContainsFunc((*list)[i].Who, func(n tree.Name) bool { return strings.Contains(choice, n.Words) }) {
			made = i
		}
	}
	q := question(s, "back", "back", "What follows when %s %s %s?", people(s), does(s, "answers", "answer"), english.Quote(choice))
	if made >= 0 {
		again := fmt.Sprintf("%s again, and what follows", english.Quote(english.Shorten((*list)[made].Text, 60)))
		q.option(Option{ID: "again", Label: english.SentenceCase(again)}, func(s *tree.Step, _ string) {
			list, _ := p.t.Place(s.ID)
			s.Branches = append(s.Branches, tree.Branch{Choice: choice, Steps: []tree.Step{{Kind: jumps.Jump, Max: cmp.Or((*list)[made].No, made+1)}}})
			jumps.Structure(p.t, list)
		})
	}
	q.option(Option{ID: "ends", Label: "Nothing: the run ends"}, func(s *tree.Step, _ string) {
		s.Branches = append(s.Branches, tree.Branch{Choice: choice, Steps: []tree.Step{{ID: p.t.NewID(), Kind: tree.Stop}}})
	})
	p.add(q)
}

// backWords find an answer by which something is made anew.
var backWords = regexp.MustCompile(`(?i)\bback\b|\bchanges?\b|\bre(?:turn|work|do|vise|write)s?\b|\bagain\b`)

// firstWords put an approval in front of what is done.
var firstWords = regexp.MustCompile(`(?i)\b(?:first|beforehand|up ?front)$`)

// endsWith reports whether steps end with one, on some way.
func endsWith(list []tree.Step, s *tree.Step) bool {
	if len(list) == 0 {
		return false
	}
	last := &list[len(list)-1]
	return last.ID == s.ID || last.Kind == tree.Decide && slices.ContainsFunc(last.Branches, func(b tree.Branch) bool { return endsWith(b.Steps, s) })
}

// textOf is the number of the text that a step was read from.
func textOf(s *tree.Step) int {
	if all := tree.Quotes(s); len(all) > 0 {
		return all[0].Text
	}
	return 0
}

// askWithin asks the same of what stands behind an approval and has been read as a part of a condition or of a missing answer, where nothing
// else of the same text follows: "if it is over 100 ask @finance, refund it" and "if nobody answers ask @bob, refund it" do not say when it is refunded. Nor
// does "if rejected tell @ana why, then ask @bob".
func (p *inquiry) askWithin(s *tree.Step) {
	if len(s.Branches) != 1 || len(s.Branches[0].Steps) < 2 {
		return
	}
	b := s.Branches[0]
	before, next := &b.Steps[0], &b.Steps[1]
	if next.Kind != tree.Do && slices.ContainsFunc(p.t.Behind(s), func(behind tree.Step) bool { return textOf(&behind) <= textOf(s) }) {
		return
	}
	only, either := "", "In either case, unless it is refused"
	asks := before.Kind == tree.Ask && (next.Kind == tree.Do || next.Kind == tree.Tell)
	switch {
	case next.No > 0:
	case asks && s.Kind == tree.Decide && !isFact(b.When):
		only = english.Shorten("Only when it is so: "+b.When.Words, 75)
	case asks && s.Kind == tree.Ask && b.Choice == idiom.Timeout:
		only = "Only when nobody answers in time"
	case s.Kind == tree.Ask && idiom.Refuses(b.Choice) && saysThen(p.t, next):
		only, either = "Only after a no", "In either case"
	}
	if only == "" {
		return
	}
	when := fmt.Sprintf("When is %s done", english.Quote(english.Shorten(next.Text, 75)))
	if next.Kind == tree.Tell {
		when = strings.ReplaceAll("When is the message "+english.Quote(english.Shorten(next.Text, 75))+" sent", "“” ", "")
	}
	q := question(s, "behind", "within", "%s, and all that follows?", when)
	q.Quote = next.Text
	q.option(Option{ID: optOnlyThen, Label: only}, nil)
	q.option(Option{ID: optEitherWay, Label: either}, func(s *tree.Step, _ string) {
		p.settle(q.ID)
		list, at := p.t.Place(s.ID)
		after := s.Branches[0].Steps[1:]
		s.Branches[0].Steps = s.Branches[0].Steps[:1:1]
		*list = slices.Insert(*list, at+1, after...)
	})
	q.Default = optEitherWay
	p.add(q)
}

// saysThen reports whether a step is said to come after another one: "tell @ana why, then ask @bob".
func saysThen(t *tree.Tree, s *tree.Step) bool {
	return slices.ContainsFunc(s.At, func(q tree.Quote) bool { return strings.Contains(strings.ToLower(t.Words(q)), "then") })
}

// askAfterNo asks whether a run goes on after a no: "ask @bob if the build is ok and tell #general" does not say so. What is done behind a
// question is done after a yes.
func (p *inquiry) askAfterNo(ask *tree.Step) {
	behind := p.t.Behind(ask)
	if !ask.Judges && len(behind) > 0 && match.Refused(p.t, ask, &behind[0]) {
		p.askNo(ask)
		return
	}
	if p.compares[ask.ID] || ask.Text == "" || len(ask.Choices) == 0 || !approves(ask) || len(behind) == 0 || behind[0].Kind != tree.Tell && behind[0].Kind != tree.Decide && !behind[0].Judges && !(behind[0].Kind == tree.Each && isNot.MatchString(behind[0].Over.Words)) {
		return
	}
	p.askNo(ask)
}

// isNot finds the words of a list that is left after a no: "every parcel that is not there".
var isNot = regexp.MustCompile(`(?i)n['’]t\b|\bnot?\b|\bwithout\b`)

// askNo asks what follows a no.
func (p *inquiry) askNo(ask *tree.Step) {
	q := question(ask, "behind", "behind", "What follows when %s %s %s with no?", people(ask), does(ask, "answers", "answer"), english.Quote(english.Shorten(ask.Text, 75)))
	askGoesOn(p, q, "The next step, as after a yes")
}

// askGoesOn adds a question whose answer is the next step, or the end of the run.
func askGoesOn(p *inquiry, q *asking, next string) {
	q.option(Option{ID: optEitherWay, Label: next}, func(s *tree.Step, _ string) {
		p.settle(q.ID)
		s.Judges = true
	})
	q.option(Option{ID: optOnlyThen, Label: "Nothing: the run ends"}, nil)
	p.add(q)
}

// askAfterWork asks whether a run goes on when something has been done about a no: "ask @bob if it is healthy. If not, @ana restarts it. Then
// tell #ops" does not say so.
func askAfterWork(p *inquiry, ask *tree.Step) {
	asked := slices.Equal(ask.Choices, []string{"yes", "no"})
	given := slices.DeleteFunc(slices.Clone(ask.Branches), func(b tree.Branch) bool { return b.Choice == idiom.Timeout })
	no := slices.IndexFunc(ask.Branches, func(b tree.Branch) bool { return idiom.Refuses(b.Choice) })
	switch {
	case ask.Judges || len(p.t.Behind(ask)) == 0 && p.t.LoopAround(ask) == nil || len(given) != 1 && !(asked && len(given) == 2):
		return
	case no < 0:
		if asked && len(given) == 1 {
			p.askNo(ask)
		}
		return
	case len(ask.Branches[no].Steps) == 0:
		return
	}
	steps := ask.Branches[no].Steps
	last := &steps[len(steps)-1]
	if !slices.Contains([]tree.Kind{tree.Do, tree.Agent, tree.Wait}, last.Kind) && (len(given) == 1 || last.Kind != tree.Tell) { // after both answers a message ends nothing, either
		return
	}
	q := question(ask, "behind", "behind", "What follows when the answer of %s was %s and %s is done?", people(ask), english.Quote(ask.Branches[no].Choice), english.Quote(english.Shorten(cmp.Or(last.Text, last.Event, "the wait"), 60)))
	next := "The next step"
	if len(p.t.Behind(ask)) == 0 {
		next = "The next round"
	}
	askGoesOn(p, q, next)
}

// counting are words in the name of an input that says how often something is done.
var counting = english.StemSet("round repetition iteration attempt cycle pass")

// askTimes asks how often a loop is done at most: when it goes on then without its end, and no words say when, or when an input may say it.
func askTimes(p *inquiry, s *tree.Step) {
	var inputs []string
	counts := false
	for _, in := range p.t.Inputs {
		if in.Type == "integer" || in.Type == "number" {
			inputs = append(inputs, in.Name)
			counts = counts || slices.ContainsFunc(english.NameStems(in.Name), func(stem string) bool { return counting[stem] })
		}
	}
	if s.Max > 0 || slices.Contains(inputs, s.Times) || !s.Any && !counts {
		return
	}
	q := question(s, "times", "times", "How often is it done at most, while it is not so that %s?", english.Quote(english.Shorten(lower.CondWords(s.Until), 75)))
	q.option(Option{ID: optNow, Label: fmt.Sprintf("%d times", lower.MaxRounds)}, func(s *tree.Step, _ string) { s.Max = lower.MaxRounds })
	for _, name := range inputs[:min(len(inputs), 4)] {
		q.option(Option{ID: optInput + "." + name, Label: english.Shorten("As often as the input "+english.PlainName(name)+" says", 75)}, func(s *tree.Step, _ string) { s.Times = name })
	}
	q.typed = func(s *tree.Step, text string) error {
		n, ok := english.ParseNumber(strings.TrimSuffix(strings.TrimSpace(text), " times"))
		if !ok || n < 1 || n > 1000 || n != float64(int(n)) {
			return wrong("words", "Write a number from 1 to 1000.")
		}
		s.Max = int(n)
		return nil
	}
	p.add(q)
}

// askNextRound asks whether a loop begins its next round when an answer within it is only told: "accept, change or drop; on drop tell the
// author" does not say so.
func askNextRound(p *inquiry, ask *tree.Step) {
	loop := p.t.LoopAround(ask)
	if loop == nil {
		return
	}
	for i, b := range ask.Branches {
		ends := slices.ContainsFunc(loop.Until.All(), func(c *tree.Cond) bool { return c.Left.Ref.Step == ask.ID && c.Right.Literal == b.Choice })
		if ends || b.Choice == idiom.Timeout || len(b.Steps) == 0 || slices.ContainsFunc(b.Steps, func(s tree.Step) bool { return s.Kind != tree.Tell }) {
			continue
		}
		q := question(ask, "behind", fmt.Sprint("round.", i), "What follows when %s %s %s, and that is told?", people(ask), does(ask, "answers", "answer"), english.Quote(b.Choice))
		q.option(Option{ID: optEitherWay, Label: "The next round"}, nil)
		q.option(Option{ID: optOnlyThen, Label: "Nothing: the run ends"}, func(s *tree.Step, _ string) {
			p.settle(q.ID)
			s.Branches[i].Steps = append(s.Branches[i].Steps, tree.Step{ID: p.t.NewID(), Kind: tree.Stop})
		})
		p.add(q)
	}
}

// askRounds asks whether a run goes on when something was done as often as the words allow and its end was not reached.
func (p *inquiry) askRounds(s *tree.Step) {
	if s.Any || s.Max < 1 || len(p.t.Behind(s)) == 0 {
		return
	}
	q := question(s, "behind", "behind", "What follows when it was done %d times and its end is not reached?", s.Max)
	q.option(Option{ID: optEitherWay, Label: "The next step"}, func(s *tree.Step, _ string) { s.Any = true })
	q.option(Option{ID: optOnlyThen, Label: "Nothing: the run ends as failed"}, nil)
	p.add(q)
}

// askAfterLate asks whether a run goes on when somebody has not done a step or answered in time and others only hear of it: "@ops restarts it
// within an hour, otherwise page @boss. Then ..." does not say so.
func (p *inquiry) askAfterLate(s *tree.Step) {
	at := slices.IndexFunc(s.Branches, func(b tree.Branch) bool { return b.Choice == idiom.Timeout })
	if s.Judges || at < 0 || len(s.Branches[at].Steps) == 0 || len(p.t.Behind(s)) == 0 || slices.ContainsFunc(s.Branches[at].Steps, func(o tree.Step) bool { return o.Kind != tree.Tell }) {
		return
	}
	q := question(s, "behind", "behind", "What follows when %s %s not answered in time?", people(s), does(s, "has", "have"))
	if s.Kind == tree.Do {
		q.Text = fmt.Sprintf("What follows when %s %s not done %s in time?", people(s), does(s, "has", "have"), english.Quote(english.Shorten(s.Text, 75)))
	}
	askGoesOn(p, q, "The next step")
}

// askOnly asks whether people are asked only where a comparison holds that stands in the question to them and that the run can make itself:
// "ask @finance if the amount is over 100" and "have @finance approve amounts over 100" do not say so.
func (p *inquiry) askOnly(s *tree.Step, k match.Scope) {
	c, ok := comparison(s, k)
	if !ok {
		return
	}
	p.compares[s.ID] = true
	q := question(s, "only", "only", "When %s %s asked?", does(s, "is", "are"), people(s))
	q.option(Option{ID: optOnlyThen, Label: english.Shorten("Only when it is so: "+c.Words, 75)}, func(s *tree.Step, _ string) {
		p.settle(q.ID)
		if !s.Said.Empty() {
			c.At = []tree.Quote{s.Said}
		}
		ask := *s
		ask.ID, ask.No, ask.Text, ask.Said, ask.Choices = p.t.NewID(), 0, "", tree.Quote{}, nil
		*s = tree.Step{ID: s.ID, No: s.No, Kind: tree.Decide, Branches: []tree.Branch{{When: &c, Steps: []tree.Step{ask}}}}
	})
	q.option(Option{ID: optEitherWay, Label: "Each time"}, nil)
	p.add(q)
}

// comparison gives the comparison with an amount that the text of an approval is, or ends with when it is one of a known value.
func comparison(s *tree.Step, k match.Scope) (tree.Cond, bool) {
	if !approves(s) || len(s.Parts) > 0 {
		return tree.Cond{}, false
	}
	toks := phrase.Scan(s.Text, 0, len(s.Text))
	for whole := true; len(toks) > 2; toks, whole = toks[1:], false { // "approve amounts over 100"
		c := values.Source{Src: s.Text}.Condition(toks)
		if _, amount := c.Right.Literal.(float64); !amount || isFact(&c) || len(c.Parts) > 0 || len(english.Scan(c.Left.Words)) == 0 {
			break
		}
		if bound, _ := bindLeft(&c, k, tree.Ref{}); bound || whole {
			return c, true
		}
	}
	return tree.Cond{}, false
}

// isFact reports whether a condition is no comparison of amounts.
func isFact(c *tree.Cond) bool {
	return c != nil && !slices.ContainsFunc(c.All(), func(c *tree.Cond) bool { return slices.Contains([]string{"<", "<=", ">", ">="}, c.Op) })
}

// approves reports whether a step asks for a plain approval, or for yes or no, and does not say what follows.
func approves(s *tree.Step) bool {
	plain := len(s.Choices) == 0 || slices.Equal(s.Choices, []string{"yes", "no"}) && !s.Judges
	return s.Kind == tree.Ask && len(s.Branches) == 0 && plain && len(s.Fields) == 0 && !s.Free
}

// pointless reports whether an approval does not name what is approved.
func pointless(s *tree.Step) bool {
	return !slices.ContainsFunc(english.Scan(s.Text), func(w english.Word) bool {
		return w.Content() && w.Low != "first" && w.Low != "before"
	})
}

// about reports whether an approval is about what another step does.
func about(ask, s *tree.Step) bool {
	return pointless(ask) || match.Shares(english.Stems(english.Scan(ask.Text)), english.Stems(english.Scan(s.Text)))
}

// doneNext reports whether something is done right behind a decision, so that its approvals are about that.
func (p *inquiry) doneNext(decision *tree.Step) bool {
	behind := p.t.Behind(decision)
	return len(behind) > 0 && behind[0].Kind == tree.Do
}
