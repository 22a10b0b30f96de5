package change

import (
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// exchange puts steps into the place of one. The first one keeps its id and number, so that what refers to it still does. It gives what is
// lost with the old step: what stood below it, and the deadlines that other words gave, which the new words do not say.
func (d *draft) exchange(p spot, steps []tree.Step) []tree.Lost {
	old := *p.Step
	d.t.Texts[d.text].For = tree.Span(tree.Quotes(&old))
	d.forget(p.Step)
	inherit(&steps[0], &old)
	*p.list = slices.Replace(*p.list, p.at, p.at+1, steps...)
	d.rest(&old, (*p.list)[p.at+len(steps):], d.t.Texts[textOf(&steps[0])].Words)
	if len(steps) > 1 {
		d.t.Renumber()
	}
	w := rewriting{draft: d, text: textOf(&old), now: (&tree.Tree{Steps: steps}).Walk}
	w.visit(&old)
	return w.lost
}

// rewriting compares an old step with the new ones in its place.
type rewriting struct {
	*draft
	text int // in which the old step stands
	now  func(func(*tree.Step) bool)
	lost []tree.Lost
}

// textOf is the text in which a step stands.
func textOf(s *tree.Step) int {
	own := s.Own()
	if all := tree.Quotes(&own); len(all) > 0 {
		return all[0].Text
	}
	return 0
}

// visit finds what is lost of and below an old step.
func (w *rewriting) visit(s *tree.Step) {
	own := s.Own()
	late := func(q tree.Quote) bool { return q.Text != w.text && values.HoldsTerm(w.t.Words(q)) }
	if s.Deadline != nil && slices.ContainsFunc(tree.Quotes(&own), late) {
		if n := w.instead(s); n != nil && n.Deadline == nil {
			what := "deadline"
			if s.Deadline.After == "" {
				what = "reminder"
			}
			w.lost = append(w.lost, tree.Lost{Name: "the " + what + " of step " + w.names[s.ID], Below: n.ID, Deadline: s.Deadline})
		}
	}
	for i, list := range s.Lists() {
		for at := range *list {
			if below := &(*list)[at]; w.said(below) || len(below.Branches) > 0 && below.Kind != tree.Ask && slices.ContainsFunc(slices.Collect(below.Walk), w.said) {
				w.visit(below)
			} else if !w.ends(s, i, below) {
				w.lost = append(w.lost, w.place(s, i, at, *below))
			}
		}
	}
}

// said reports whether a new step does what an old one does, or stands in the place of one from the same text.
func (w *rewriting) said(old *tree.Step) bool {
	for n := range w.now {
		if does(old, n) || n.ID == old.ID && n.Kind == old.Kind && old.Said.Text == w.text {
			return true
		}
	}
	return false
}

// ends reports whether a step ends the run behind an answer that ends it anyway.
func (w *rewriting) ends(s *tree.Step, i int, below *tree.Step) bool {
	n := w.instead(s)
	return below.Kind == tree.Stop && n != nil && n.Approves() && i < len(s.Branches) && s.Branches[i].Choice == "reject"
}

// instead gives the new step that stands for an old one; nil = none does.
func (w *rewriting) instead(old *tree.Step) (found *tree.Step) {
	kind := 0
	for n := range w.now {
		if does(old, n) {
			return n
		}
		if n.Kind == old.Kind && n.Doer == old.Doer {
			kind++
			if found == nil || n.ID == old.ID {
				found = n
			}
		}
	}
	if found != nil && (kind == 1 || found.ID == old.ID) {
		return found
	}
	return nil
}

// place says where a lost step can stand again: behind the same answer, on the same side of a condition, where the same step fails.
func (w *rewriting) place(s *tree.Step, list, at int, lost tree.Step) tree.Lost {
	l := tree.Lost{List: list, At: at, Steps: []tree.Step{lost}}
	n := w.instead(s)
	if n == nil {
		return l
	}
	switch {
	case list == len(s.Branches):
		if l.List = len(n.Branches); w.canFail(n) == nil {
			l.Below = n.ID
		}
	case s.Branches[list].Choice != "":
		l.Choice = s.Branches[list].Choice
		if l.Choice == "timeout" && n.Deadline == nil {
			l.Deadline = s.Deadline
		}
		if l.Choice == "timeout" || slices.Equal(s.Choices, n.Choices) && s.Free == n.Free && len(s.Fields) == len(n.Fields) {
			l.Below = n.ID
		}
	case list < len(n.Branches) && len(s.Branches) == len(n.Branches) && alikeSides(&s.Branches[list], &n.Branches[list]):
		l.Below = n.ID
	}
	return l
}

// alikeSides reports whether two sides of a condition are for the same value and the same comparison, with whichever bound.
func alikeSides(a, b *tree.Branch) bool {
	if a.When == nil || b.When == nil {
		return a.When == b.When && a.Else == b.Else
	}
	return a.When.Op == b.When.Op && strings.EqualFold(a.When.Left.Words, b.When.Left.Words) && (a.When.Op != "" || strings.EqualFold(a.When.Words, b.When.Words))
}

// rest asks whether steps go that stand behind a rewritten one and came from the same sentence: all of them where that has a number, by which the
// whole is meant, else those that the new words say again.
func (d *draft) rest(old *tree.Step, behind []tree.Step, words string) {
	end := tree.Span(tree.Quotes(old))
	var same []tree.Step
	for i := range behind {
		said := tree.Span(tree.Quotes(&behind[i]))
		if said.Text != end.Text || said.From < end.To {
			break
		}
		if between := d.t.Texts[end.Text].Words[end.To:said.From]; strings.ContainsAny(between, ".;!?\n") || listMark.MatchString(between+d.t.Words(said)) {
			break
		}
		if end.To = said.To; old.No > 0 || phrase.MentionsWords(words, behind[i].Text) {
			same = append(same, behind[i])
		}
	}
	if len(same) > 0 {
		d.drop("rest", same, "still there, from the same words as step "+d.names[old.ID]+" before")
	}
}

// confirm asks a person about what is lost with a step.
func (d *draft) confirm(all []tree.Lost) {
	if len(all) == 0 {
		return
	}
	var named []string
	for i := range all {
		l := &all[i]
		if len(l.Steps) == 0 {
			named = append(named, l.Name)
			continue
		}
		s := &l.Steps[0]
		l.Name = "step " + d.names[s.ID]
		name := l.Name + " (" + label(s) + ")"
		if len(slices.Collect(s.Walk)) > 1 {
			name += " with all below it"
		}
		named = append(named, name)
	}
	d.object("gone", "%s", areWhat(named, "gone"))
	d.t.Objections[len(d.t.Objections)-1].Lost = all
}

// areWhat says something of one thing or of several: "step 2 is gone", "step 2 and step 3 are gone".
func areWhat(named []string, what string) string {
	if len(named) > 1 {
		return english.Join(named, "and") + " are " + what
	}
	return named[0] + " is " + what
}

// inherit gives a step that was read again the id of the old one, and the answers that people gave about it and about the steps below it.
func inherit(s, was *tree.Step) {
	s.ID, s.No = was.ID, was.No
	if s.Kind != was.Kind {
		return
	}
	if s.Doer == tree.DoerOpen && s.Text == was.Text {
		s.Doer, s.Tool, s.Params = was.Doer, was.Tool, was.Params
		if len(s.Who) == 0 {
			s.Who = was.Who
		}
	}
	for k := range s.Who { // who is meant was answered
		if j := slices.IndexFunc(was.Who, func(n tree.Name) bool { return n.Words == s.Who[k].Words }); j >= 0 {
			s.Who[k].Is = was.Who[j].Is
		}
	}
	for k := range s.Branches {
		at := k
		if choice := s.Branches[k].Choice; choice != "" {
			at = slices.IndexFunc(was.Branches, func(b tree.Branch) bool { return b.Choice == choice })
		}
		if at >= 0 && at < len(was.Branches) {
			inheritAll(s.Branches[k].Steps, was.Branches[at].Steps)
		}
	}
	if len(s.OnError) == 0 {
		s.OnError = was.OnError
	}
}

// inheritAll is inherit for lists: each new step with the old one that does the same, else with the next one of its kind.
func inheritAll(steps, old []tree.Step) {
	paired, taken := map[int]bool{}, map[int]bool{}
	for _, fits := range []func(was, s *tree.Step) bool{does, func(was, s *tree.Step) bool { return was.Kind == s.Kind }} {
		for i := range steps {
			for j := range old {
				if !paired[i] && !taken[j] && fits(&old[j], &steps[i]) {
					paired[i], taken[j] = true, true
					inherit(&steps[i], &old[j])
				}
			}
		}
	}
}
