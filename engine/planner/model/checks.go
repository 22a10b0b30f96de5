package model

import (
	"cmp"
	"slices"

	"sluice/engine/planner/english"
	"sluice/engine/planner/tree"
)

// checks hold the tree of an answer against the words, in this order. What one finds goes back to the model, and what it takes out of the
// tree is asked about. What stands in one quote is held against it where it is read:
//
//	need                             the quote itself stands in the words           find.go
//	duration clock count cron zone   the quote says this number or time             said.go
//	agrees answered                  the quote says this condition, this answer     cond.go
//	name does params gives           it was listed, and the words name it           fill_step.go, cond.go
var checks = []func(*fill){
	(*fill).numberedStepsAreInOrder,
	(*fill).branchesAreInTheirPlace,
	(*fill).onlySomeWaysAreSaid,
	(*fill).quotesAreOfOneElement,
	(*fill).stepsHaveWords,
	(*fill).refusalsAreRead, // of loops that are left
	(*fill).messagesSaySomething,
	(*fill).valuesAreGiven,
	(*fill).replacedWordsAreAccounted,
	(*fill).requestsNameTheBase,
}

// informs are words that say that somebody is told, and not what.
var informs = english.StemSet("tell inform notify know")

// messagesSaySomething leaves the text of a message unread that holds the words for who is told: "post the amount in #support", "is informed".
func (f *fill) messagesSaySomething() {
	for s := range f.t.Walk {
		named := slices.ContainsFunc(s.To, func(n tree.Name) bool { return s.Said.Overlaps(n.At) })
		words := slices.DeleteFunc(english.Scan(s.Text), english.Word.Stop)
		says := len(words) == 0 || slices.ContainsFunc(words, func(w english.Word) bool { return !informs[w.Stem] })
		if s.Kind != tree.Tell || f.stands(s) || s.Said.Empty() || len(s.To) == 0 || says && !named {
			continue
		}
		f.problem("The text %q of a message holds who is told, or only that they are: text is only what the message says, the other words stand in also.", english.Shorten(s.Text, 60))
		s.Said, s.Text, s.Parts = tree.Quote{}, "", nil
	}
}

// valuesAreGiven takes away values of steps that are not in the tree: people are asked for them.
func (f *fill) valuesAreGiven() {
	for s := range f.t.Walk {
		for _, r := range s.Uses() {
			if r.Step == "" || f.t.Step(r.Step) != nil {
				continue
			}
			if *r = (tree.Ref{}); !f.kept[s.ID] {
				f.problem("The step %q uses a value of a step that is not there.", english.Shorten(s.Text, 60))
			}
		}
	}
}

// refusalsAreRead has the run go on after a refusal that a condition reads which does not stand directly behind its question: that of a loop
// around it, or one behind questions at the same time.
func (f *fill) refusalsAreRead() {
	for s := range f.t.Walk {
		var conds []*tree.Cond
		switch {
		case s.Kind == tree.Repeat && !f.kept[s.ID]:
			conds = s.Until.All()
		case s.Kind == tree.Parallel:
			for other := range f.t.Walk {
				conds = append(conds, other.Conds()...)
			}
		}
		for ask := range s.Walk {
			if ask.Kind == tree.Ask && ask.ID != s.ID && slices.ContainsFunc(conds, func(c *tree.Cond) bool { return c.Left.Ref.Step == ask.ID }) {
				ask.Judges = true
			}
		}
	}
}

// numberedStepsAreInOrder finds steps that the author numbered in another order. Of several behind one number, the first has it.
func (f *fill) numberedStepsAreInOrder() {
	last := 0
	for i := range f.t.Steps {
		s := &f.t.Steps[i]
		if s.No > 0 && s.No == last {
			s.No = 0
		}
		if f.base == nil && s.No > 0 && s.No < last {
			f.problem("Step %d of the description stands behind step %d in the answer.", s.No, last)
		}
		last = max(last, s.No)
	}
}

// branchesAreInTheirPlace finds two branches each of whose first steps stands behind the words of the other, and of no other branch.
func (f *fill) branchesAreInTheirPlace() {
	for s := range f.t.Walk {
		for i := range s.Branches {
			if j := branchBefore(s.Branches, i); j < i && branchBefore(s.Branches, j) == i {
				f.problem("The steps of %q and of %q have changed places.", english.Shorten(f.t.Words(s.Branches[j].At[0]), 60), english.Shorten(f.t.Words(s.Branches[i].At[0]), 60))
			}
		}
	}
}

// branchBefore is the branch whose words stand nearest before the first step of a branch; itself = there is none.
func branchBefore(all []tree.Branch, of int) int {
	nearest, from := of, -1
	for k, b := range all {
		if len(all[of].Steps) == 0 || len(b.At) == 0 {
			continue
		}
		if first, at := all[of].Steps[0].Said, b.At[0]; at.Text == first.Text && at.From <= first.From && at.From > from {
			nearest, from = k, at.From
		}
	}
	return nearest
}

// failing begin words that say what is done when a step fails.
var failing = english.StemSet("if when unless otherwise else fail failure error problem wrong broken unavailable instead cannot")

// onlySomeWaysAreSaid finds steps that stand under an answer, an otherwise or a failure that no words say. Those that stand elsewhere, too,
// do so in either case.
func (f *fill) onlySomeWaysAreSaid() {
	said := map[tree.Quote]int{}
	for s := range f.t.Walk {
		said[s.Said]++
	}
	under := func(steps []tree.Step, what string) {
		if len(steps) > 0 && !steps[0].Said.Empty() && said[steps[0].Said] == 1 && !f.stands(&steps[0]) {
			f.problem("No words say that %q is done %s only. Quote those that do; without them the step stands behind.", english.Shorten(steps[0].Text, 60), what)
		}
	}
	for s := range f.t.Walk {
		for _, b := range s.Branches {
			if len(b.At) == 0 && (b.Else || b.Choice != "" && b.Choice != "approve" && !slices.Contains(s.Choices, b.Choice)) {
				under(b.Steps, "under "+cmp.Or(b.Choice, "else"))
			}
		}
		if all := english.Scan(f.wordsOf(s)); !slices.ContainsFunc(all, func(w english.Word) bool { return failing[w.Stem] || english.Denials[w.Low] }) {
			under(s.OnError, "on an error")
		}
	}
}

// stands reports whether a step is one of the base.
func (f *fill) stands(s *tree.Step) bool { return f.kept[s.ID] || f.changed[s.ID] }

// stepsHaveWords takes away new steps that no words say by themselves: those that stand twice in a list, and those whose words others have.
func (f *fill) stepsHaveWords() {
	f.dropInvented(&f.t.Steps)
	if f.limited {
		f.dropInvented(&f.t.Deadline.Steps)
	}
}

// dropInvented takes them out of a list. at are the words of the branch that it is.
func (f *fill) dropInvented(list *[]tree.Step, at ...tree.Quote) {
	seen := map[string]bool{}
	for i := 0; i < len(*list); i++ {
		s := &(*list)[i]
		for k := range s.Branches {
			f.dropInvented(&s.Branches[k].Steps, s.Branches[k].At...)
		}
		f.dropInvented(&s.OnError)
		own := s.Own()
		own.ID, own.No, own.At = "", 0, nil
		key := asJSON(own)
		twice := !s.Said.Empty() && seen[key]
		last := s.Kind == tree.Stop && i == len(*list)-1
		if seen[key] = true; f.stands(s) || f.hasWords(s) && !twice || last && f.endsThere((*list)[:i], at) {
			continue
		}
		why := "A step that is done twice quotes other words each time."
		if s.Kind == tree.Stop {
			why = "The run goes on there, unless words say that it ends."
		}
		f.problem("No words of the description are left for the step %q of kind %s, or it holds no steps: it is dropped. %s", english.Shorten(f.wordsOf(s), 60), s.Kind, why)
		var inside []tree.Step
		if s.Kind == tree.Repeat { // its steps are done once
			for _, b := range s.Branches {
				inside = append(inside, b.Steps...)
			}
		}
		*list = slices.Replace(*list, i, i+1, inside...)
		i += len(inside) - 1
	}
}

// endings are words for the end of a run, which may stand in a choice or a message: "whether to cancel", "then it is dropped".
var endings = english.StemSet("stop end cancel close abort drop withdraw finish terminate quit")

// endsThere reports whether the words of a branch, or of the steps in it, say that the run ends behind them.
func (f *fill) endsThere(steps []tree.Step, at []tree.Quote) bool {
	for i := range steps {
		at = append(at, append(steps[i].At, steps[i].Said)...)
	}
	return slices.ContainsFunc(at, func(q tree.Quote) bool {
		return slices.ContainsFunc(english.Scan(f.t.Words(q)), func(w english.Word) bool { return endings[w.Stem] })
	})
}

// hasWords reports whether words say a step by itself. A decision, a loop over items and branches have those of their conditions and steps.
func (f *fill) hasWords(s *tree.Step) bool {
	own, inside := s.Own(), tree.Tree{Steps: []tree.Step{*s}}
	all := append(tree.Quotes(own.Until), s.At...)
	content := func(all []tree.Quote) bool {
		return slices.ContainsFunc(all, func(q tree.Quote) bool { return slices.ContainsFunc(english.Scan(f.t.Words(q)), english.Word.Content) })
	}
	switch s.Kind {
	case tree.Decide, tree.Each, tree.Parallel:
		return slices.ContainsFunc(s.Branches, func(b tree.Branch) bool { return len(b.Steps) > 0 })
	case tree.Ask, tree.Set:
		all = tree.Quotes(&own)
	case tree.Tell: // "-> #ops"
		for _, n := range s.To {
			others := func(o *tree.Step) bool {
				own := o.Own()
				return o.ID != s.ID && slices.ContainsFunc(tree.Quotes(&own), n.At.Overlaps)
			}
			if !n.At.Empty() && !slices.ContainsFunc(slices.Collect(f.t.Walk), others) {
				return true
			}
		}
	case tree.Stop:
		return content(s.At) || content(f.ends[s.ID]) && f.told(f.ends[s.ID])
	case tree.Repeat: // the condition of a step around it says no loop
		for other := range f.t.Walk {
			for _, c := range other.Conds() {
				if inside.Step(other.ID) == nil {
					all = slices.DeleteFunc(all, func(q tree.Quote) bool { return slices.ContainsFunc(c.At, q.Overlaps) })
				}
			}
		}
	}
	return !s.Said.Empty() || content(all)
}

// told reports whether no step but messages has words: "the matter is closed" may be what is told and the end.
func (f *fill) told(all []tree.Quote) bool {
	for s := range f.t.Walk {
		if s.Kind != tree.Tell && slices.ContainsFunc(all, s.Said.Overlaps) {
			return false
		}
	}
	return true
}
