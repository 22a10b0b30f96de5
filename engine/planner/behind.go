package planner

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/tree"
)

// askBehind asks whether what stands behind an approval under a condition is done also when the condition does not hold: "if the tests are
// green ask @ops to approve, then deploy" does not say so. Behind a comparison with an amount it is: "if it is over 100 ask @finance, then refund it".
func (p *planning) askBehind(decision *tree.Step) {
	id := decision.ID + ".behind"
	if len(decision.Branches) != 1 || slices.Contains(p.t.Settled, id) || !p.doneNext(decision) {
		return
	}
	b := decision.Branches[0]
	if !isFact(b.When) || len(b.Steps) == 0 || !approves(&b.Steps[len(b.Steps)-1]) {
		return
	}
	next := p.following(decision)[0]
	p.add(Question{
		ID: id, Step: decision.ID, Kind: "behind", Quote: next.Text, Default: optOnlyThen,
		Text: fmt.Sprintf("Is %s done also when it is not so that %s?", english.Quote(english.Shorten(next.Text, 75)), english.Quote(english.Shorten(b.When.Words, 60))),
		Options: []Option{
			{ID: optOnlyThen, Label: "Only when it is so, and all that follows"},
			{ID: optEitherWay, Label: "In either case"},
		},
	}, placeOf(decision))
}

// askWithin asks the same of what stands behind an approval and has been read as a part of a condition or of a missing answer, where nothing
// else follows: "if it is over 100 ask @finance, refund it" and "if nobody answers ask @bob, refund it" do not say when it is refunded. Nor
// does "if rejected tell @ana why, then ask @bob".
func (p *planning) askWithin(s *tree.Step) {
	id := s.ID + ".within"
	if len(s.Branches) != 1 || slices.Contains(p.t.Settled, id) || len(p.following(s)) > 0 {
		return
	}
	b := s.Branches[0]
	amount, late := s.Kind == tree.Decide && !isFact(b.When), s.Kind == tree.Ask && b.Choice == "timeout"
	refused := s.Kind == tree.Ask && idiom.Refuses(b.Choice) && len(b.Steps) > 1 && p.saysThen(&b.Steps[1])
	asks := len(b.Steps) > 1 && b.Steps[0].Kind == tree.Ask && (b.Steps[1].Kind == tree.Do || b.Steps[1].Kind == tree.Tell)
	if !refused && (!amount && !late || !asks) || b.Steps[1].No > 0 {
		return
	}
	only := "Only when nobody answers in time"
	switch {
	case amount:
		only = english.Shorten("Only when it is so: "+b.When.Words, 75)
	case refused:
		only = "Only after a no"
	}
	next := &b.Steps[1]
	when := fmt.Sprintf("When is %s done", english.Quote(english.Shorten(next.Text, 75)))
	if next.Kind == tree.Tell {
		when = strings.ReplaceAll("When is the message "+english.Quote(english.Shorten(next.Text, 75))+" sent", "“” ", "")
	}
	p.add(Question{
		ID: id, Step: s.ID, Kind: "behind", Quote: next.Text, Default: optEitherWay,
		Text:    when + ", and all that follows?",
		Options: []Option{{ID: optOnlyThen, Label: only}, {ID: optEitherWay, Label: map[bool]string{true: "In either case", false: "In either case, unless it is refused"}[refused]}},
	}, placeOf(s))
}

// saysThen reports whether a step is said to come after another one: "tell @ana why, then ask @bob".
func (p *planning) saysThen(s *tree.Step) bool {
	return slices.ContainsFunc(s.At, func(q tree.Quote) bool { return strings.HasPrefix(strings.ToLower(p.t.Words(q)), "then") })
}

// askAfterNo asks whether a run goes on after a no: "ask @bob if the build is ok and tell #general" does not say so. What is done behind a
// question is done after a yes.
func (p *planning) askAfterNo(ask *tree.Step) {
	id := ask.ID + ".behind"
	behind := p.following(ask)
	if _, asked := p.compared[ask.ID+".only"]; asked || ask.Text == "" || len(ask.Choices) == 0 || !approves(ask) || len(behind) == 0 || behind[0].Kind != tree.Tell && behind[0].Kind != tree.Decide || slices.Contains(p.t.Settled, id) {
		return
	}
	p.add(Question{
		ID: id, Step: ask.ID, Kind: "behind", Quote: ask.Text, Default: optEitherWay,
		Text:    fmt.Sprintf("What follows when %s answers %s with no?", people(ask), english.Quote(english.Shorten(ask.Text, 75))),
		Options: []Option{{ID: optEitherWay, Label: "The next step, as after a yes"}, {ID: optOnlyThen, Label: "Nothing: the run ends"}},
	}, placeOf(ask))
}

// isFact reports whether a condition is no comparison of amounts.
func isFact(c *tree.Cond) bool {
	if c == nil {
		return false
	}
	return !slices.Contains([]string{"<", "<=", ">", ">="}, c.Op) && !slices.ContainsFunc(c.Parts, func(part tree.Cond) bool { return !isFact(&part) })
}

// behind puts what follows a decision into its branch, or settles that it is done in either case.
func (a *answering) behind(decision *tree.Step) {
	a.settle(a.question.ID)
	if decision.Kind == tree.Ask && len(decision.Branches) == 0 {
		decision.Judges = a.option.ID == optEitherWay
		return
	}
	list, at := a.next.Place(decision.ID)
	b := &decision.Branches[0]
	if within := strings.HasSuffix(a.question.ID, ".within"); within && a.option.ID == optEitherWay {
		after := b.Steps[1:]
		b.Steps = b.Steps[:1:1]
		*list = slices.Insert(*list, at+1, after...)
	} else if within {
		return
	}
	if a.option.ID != optOnlyThen {
		return
	}
	b.Steps = append(slices.Clip(b.Steps), (*list)[at+1:]...)
	*list = slices.Clip((*list)[:at+1])
}
