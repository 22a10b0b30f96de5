package planner

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/planner/change"
	"sluice/engine/planner/english"
	"sluice/engine/planner/lower"
	"sluice/engine/planner/match"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// counting are words in the name of an input that says how often something is done.
var counting = english.StemSet("round repetition iteration attempt cycle pass")

// askTimes asks how often a loop is done at most: when it goes on then without its end, and no words say when, or when an input may say it.
func askTimes(p *inquiry, s *tree.Step) {
	var inputs []string
	counts := false
	for _, in := range p.t.Inputs {
		if match.IsNumber(in.Type) {
			inputs = append(inputs, in.Name)
			counts = counts || slices.ContainsFunc(english.NameStems(in.Name), func(stem string) bool { return counting[stem] })
		}
	}
	if s.Max > 0 || slices.Contains(inputs, s.Times) || !s.Any && !counts {
		return
	}
	q := question(s, "times", "times", "How often is it done at most, while it is not so that %s?", english.Quote(english.Shorten(lower.CondWords(s.Until), 75)))
	q.button(optNow, fmt.Sprintf("%d times", lower.MaxRounds), func(s *tree.Step) { s.Max = lower.MaxRounds })
	for _, name := range inputs[:min(len(inputs), 4)] {
		q.button(optInput+"."+name, "As often as the input "+english.PlainName(name)+" says", func(s *tree.Step) { s.Times = name })
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

// askRounds asks whether a run goes on when something was done as often as the words allow and its end was not reached.
func (p *inquiry) askRounds(s *tree.Step) {
	if s.Any || s.Max < 1 || len(p.t.Behind(s)) == 0 {
		return
	}
	q := question(s, "behind", "behind", "What follows when it was done %d times and its end is not reached?", s.Max)
	q.button(optEitherWay, "The next step", func(s *tree.Step) { s.Any = true })
	q.button(optOnlyThen, "Nothing: the run ends as failed", nil)
	p.add(q)
}

// askNo asks what follows a no that a later condition asks about, behind other steps, or behind which something is done: a no would end the run
// before.
func (p *inquiry) askNo(s *tree.Step) {
	behind := p.t.Behind(s)
	if s.Judges || len(behind) == 0 || !match.Refused(p.t, s, &behind[0]) && !doesOnNo(s, &behind[0]) && !match.OnYes(s, behind) {
		return
	}
	q := question(s, "behind", "behind", "What follows when %s said no?", people(s))
	q.button(optEitherWay, "The next step, as after a yes", func(s *tree.Step) {
		p.settle(q.ID)
		s.Judges = true
	})
	q.button(optOnlyThen, "Nothing: the run ends", nil)
	p.bySteps(q, "in step %s, if rejected, %s")
	p.add(q)
}

// doesOnNo reports whether something is done behind the no to a question that is no approval, besides telling people where a yes has no steps and
// the next step does something else, and it is not said that the run ends.
func doesOnNo(s, next *tree.Step) bool {
	if s.Approves() && len(s.Branches) == 1 && s.Branches[0].Choice == flow.DefaultChoices()[1] { // "if she sends it back, @bob corrects it"
		return slices.ContainsFunc(s.Branches[0].Steps, func(s tree.Step) bool { return s.Kind == tree.Do && corrects.MatchString(s.Text) })
	}
	if !slices.Equal(s.Choices, []string{"yes", "no"}) {
		return false
	}
	at := slices.IndexFunc(s.Branches, func(b tree.Branch) bool { return b.Choice == "no" && len(b.Steps) > 0 })
	return at >= 0 && s.Branches[at].Steps[len(s.Branches[at].Steps)-1].Kind != tree.Stop &&
		(len(s.Branches) > 1 || next.Kind == tree.Tell || slices.ContainsFunc(s.Branches[at].Steps, func(s tree.Step) bool { return s.Kind != tree.Tell }))
}

// corrects finds a step that makes better what was not accepted.
var corrects = regexp.MustCompile(`(?i)^(?:fix|correct|revis|re-?(?:do|work|writ|mak)|chang|improv|adjust|repair|edit|updat)`)

// bySteps takes steps in words as the answer. form is a change that puts them behind the step of that number.
func (p *inquiry) bySteps(q *asking, form string) {
	q.typed = func(s *tree.Step, text string) error {
		changed, _, err := change.Apply(p.t, fmt.Sprintf(form, p.out.Numbers[s.ID], text), p.by, People(text, p.w)...)
		if why, is := errors.AsType[*change.Error](err); is {
			return wrong("words", "%s", why.Text)
		}
		if err != nil {
			return wrong("words", "%s is no step, such as “tell #team it is over”.", english.Quote(text))
		}
		p.t = changed
		p.settle(q.ID)
		return nil
	}
}

// askLateEnds asks whether the flow goes on behind what is done when somebody cannot do a step, or has not done it in time, where other steps come next.
func (p *inquiry) askLateEnds(s *tree.Step) {
	behind := p.t.Behind(s)
	at := slices.IndexFunc(s.Branches, func(b tree.Branch) bool {
		late := b.Choice == flow.ChoiceTimeout
		return len(b.Steps) > 0 && (late || b.Choice == tree.PersonChoices()[1]) && !slices.ContainsFunc(b.Steps, func(o tree.Step) bool {
			return o.Kind == tree.Stop || late && (o.Kind == tree.Ask || o.Doer == tree.DoerPerson)
		})
	})
	if at < 0 || s.Kind != tree.Do || s.Judges || len(behind) == 0 {
		return
	}
	when := map[bool]string{true: "has not done it in time", false: "cannot do it"}[s.Branches[at].Choice == flow.ChoiceTimeout]
	q := question(s, "behind", "late.behind", "What comes when %s %s, after step %s?", people(s), when, p.t.Numbers()[s.Branches[at].Steps[len(s.Branches[at].Steps)-1].ID])
	q.button(optEitherWay, "Step "+p.t.Numbers()[behind[0].ID]+", as when it is done", func(s *tree.Step) {
		s.Judges = true
		if no := s.Unable(); len(no.Steps) == 0 {
			no.Steps = []tree.Step{{ID: p.t.NewID(), Kind: tree.Stop}}
		}
	})
	q.button(optOnlyThen, "Nothing: the run ends", nil)
	p.add(q)
}

// askDone asks whether what the last approval is about is done then: "ask @ana to approve the refund" does not say so.
func (p *inquiry) askDone(s *tree.Step) {
	if !approves(s) {
		return
	}
	if other := doneOtherwise(p.t, s); other != nil {
		askDoneToo(p, s, *other)
		return
	}
	if len(p.t.Behind(s)) > 0 {
		return
	}
	last := s
	for o := range p.t.Walk {
		last = o
	}
	if last.ID != s.ID {
		return
	}
	words := slices.DeleteFunc(english.Scan(s.Text), func(w english.Word) bool { return w.Stop() }) // "the refund"
	all := p.cat.Rank(english.Stems(words))
	if len(words) == 0 || len(all) == 0 || !all[0].Verb {
		return
	}
	askThen(p, s, all[0].Entry.Does(), func() tree.Step { return call(p.t, all[0].Entry) })
}

// askThen asks whether a step follows the approval that nothing follows.
func askThen(p *inquiry, s *tree.Step, does string, next func() tree.Step) {
	q := question(s, "then", "then", "What is done after %s said yes?", people(s))
	q.button(optTool, does, func(s *tree.Step) {
		list, at := p.t.Place(s.ID)
		*list = slices.Insert(*list, at+1, next())
	})
	q.button(optNow, "Nothing more", nil)
	p.bySteps(q, "add after %s: %s")
	p.add(q)
}

// askDoneToo asks whether what is done without an approval is done behind it, too: "if it costs more than 2000 ask @fin, otherwise just book it".
func askDoneToo(p *inquiry, s *tree.Step, other tree.Step) {
	askThen(p, s, english.SentenceCase(other.Text), func() tree.Step {
		return p.t.Again([]tree.Step{other})[0]
	})
}

// doneOtherwise gives the one step that is done where the condition does not hold for which an approval is all that is done, or where nobody
// answers it; nil = there is none.
func doneOtherwise(t *tree.Tree, s *tree.Step) *tree.Step {
	if len(s.Branches) == 1 && len(t.Behind(s)) == 0 && s.Branches[0].Choice == flow.ChoiceTimeout && len(s.Branches[0].Steps) > 0 && s.Branches[0].Steps[0].Kind == tree.Do {
		return &s.Branches[0].Steps[0]
	}
	list, _ := t.Place(s.ID)
	for d := range t.Walk {
		if d.Kind != tree.Decide || len(d.Branches) != 2 || &d.Branches[0].Steps != list || len(*list) > 1 || !d.Branches[1].Else || len(d.Branches[1].Steps) != 1 {
			continue
		}
		if other := &d.Branches[1].Steps[0]; other.Kind == tree.Do && len(other.Branches)+len(other.OnError) == 0 {
			return other
		}
	}
	return nil
}

// askOnly asks whether people are asked only where a comparison holds that stands in the question to them and that the run can make itself:
// "ask @finance if the amount is over 100" and "have @finance approve amounts over 100" do not say so.
func (p *inquiry) askOnly(s *tree.Step, k match.Scope) {
	c, ok := comparison(s, k)
	if !ok {
		return
	}
	verb := "is"
	if len(s.Who) > 1 && s.Quorum > 1 {
		verb = "are"
	}
	q := question(s, "only", "only", "When %s %s asked?", verb, people(s))
	q.button(optOnlyThen, "Only when it is so: "+c.Words, func(s *tree.Step) {
		p.settle(q.ID)
		if !s.Said.Empty() {
			c.At = []tree.Quote{s.Said}
		}
		ask := *s
		ask.ID, ask.No, ask.Text, ask.Said, ask.Choices = p.t.NewID(), 0, "", tree.Quote{}, nil
		*s = tree.Step{ID: s.ID, No: s.No, Kind: tree.Decide, Branches: []tree.Branch{{When: &c, Steps: []tree.Step{ask}}}}
	})
	q.button(optEitherWay, "Each time", nil)
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
		if _, ranged := c.Range(); !ranged || c.Op == "==" || len(english.Scan(c.Subject().Words)) == 0 {
			break
		}
		if bound, _ := match.BindLeft(&c, k, tree.Ref{}); bound || whole {
			return c, true
		}
	}
	r := values.Source{Src: s.Text}
	toks = phrase.Scan(s.Text, 0, len(s.Text))
	for i := range toks { // "a delay of more than 2 weeks": a person decides whether it is one
		if c, _, ok := r.Bounds(toks[i:]); ok && i > 0 && len(c.Parts) == 0 {
			return tree.Cond{Words: s.Text}, true
		}
	}
	return tree.Cond{}, false
}

// approves reports whether a step asks for a plain approval, or for yes or no, and does not say what follows.
func approves(s *tree.Step) bool {
	plain := len(s.Choices) == 0 || slices.Equal(s.Choices, []string{"yes", "no"}) && !s.Judges
	other := func(b tree.Branch) bool { return b.Choice != flow.ChoiceTimeout }
	return s.Kind == tree.Ask && !slices.ContainsFunc(s.Branches, other) && plain && len(s.Fields) == 0 && !s.Free
}
