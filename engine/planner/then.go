package planner

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/tree"
)

// mostThen is how many steps are offered after an approval.
const mostThen = 3

// askThen asks what happens after an approval whose subject is done only on another branch: "if it is below 50 refund it, otherwise @finance
// must approve the refund" does not state that the refund follows.
func (p *planning) askThen(decision *tree.Step) {
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
		id := ask.ID + ".then"
		if len(others) == 0 || slices.Contains(p.t.Settled, id) || pointless(ask) && p.doneNext(decision) {
			continue
		}
		q := Question{ID: id, Step: ask.ID, Kind: "then", Quote: ask.Text, Default: optThen + others[0].ID}
		q.Text = fmt.Sprintf("What happens after %s approves?", people(ask))
		if len(ask.Choices) > 0 {
			q.Text = fmt.Sprintf("What happens after %s says yes?", people(ask))
		}
		for _, s := range others {
			q.Options = append(q.Options, Option{ID: optThen + s.ID, Label: english.Shorten(english.SentenceCase(s.Text), 75)})
		}
		q.Options = append(q.Options, Option{ID: optNothing, Label: "Nothing more"})
		p.add(q, placeOf(ask))
	}
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
	if pointless(ask) {
		return true
	}
	words := english.Stems(english.Scan(s.Text))
	return slices.ContainsFunc(english.Stems(english.Scan(ask.Text)), func(w string) bool { return slices.Contains(words, w) })
}

// doneNext reports whether something is done right behind a decision, so that its approvals are about that.
func (p *planning) doneNext(decision *tree.Step) bool {
	behind := p.following(decision)
	return len(behind) > 0 && behind[0].Kind == tree.Do
}

// following are the steps that follow a step in its list.
func (p *planning) following(s *tree.Step) []tree.Step {
	list, at := p.t.Place(s.ID)
	return (*list)[at+1:]
}

// people lists the names of the people who are asked.
func people(s *tree.Step) string {
	var names []string
	for _, n := range s.Who {
		if n.Is != "" {
			names = append(names, n.Is)
		} else {
			names = append(names, n.Words)
		}
	}
	if len(names) == 0 {
		return "somebody"
	}
	return english.Join(names, "and")
}

// then copies the step of the other branch behind an approval, or settles that no step follows.
func (a *answering) then(ask *tree.Step) {
	a.settle(a.question.ID)
	from, ok := strings.CutPrefix(a.option.ID, optThen)
	again := a.next.Clone().Step(from)
	if !ok || again == nil {
		return
	}
	again.Said, again.At, again.No = tree.Quote{}, nil, 0
	(&tree.Tree{Steps: []tree.Step{*again}}).Walk(func(s *tree.Step) bool { s.ID = a.next.NewID(); return true })
	again.ID = a.next.NewID()
	for _, id := range slices.Clone(a.next.Settled) {
		if what, ok := strings.CutPrefix(id, from+"."); ok {
			a.settle(again.ID + "." + what)
		}
	}
	list, at := a.next.Place(ask.ID)
	*list = slices.Insert(*list, at+1, *again)
}
