package change

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"sluice/engine/planner/english"
	"sluice/engine/planner/lower"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/tree"
)

// StandIn puts words into the place of some that were not understood: what starts the flow, what is said of the step before, or steps. Where the
// older words stood behind what is done in some cases only, new steps are done in all of them until a person says where they belong. ErrNone:
// the words are none of these.
func StandIn(t *tree.Tree, text, author string, gap tree.Quote, people ...string) (*tree.Tree, error) {
	d := newDraft(t, text, author, people)
	d.t.Texts[d.text].For = gap
	whole := d.quote(text)
	if g, ok := outline.Trigger(d.t, whole); ok {
		d.t.Triggers = append(d.t.Triggers, g)
		return d.t, nil
	}
	beside, before := d.t.Beside(gap)
	if beside == nil || !before {
		return d.t, d.inFront(beside, gap, whole)
	}
	all := placesFor(&d, beside.ID, d.t.Ended(beside, gap) || ifs.MatchString(text)) // a condition is a sentence of its own
	outer := all[len(all)-1].Step
	told := []*tree.Step{outer, beside} // as a reader of the whole sees it
	if otherwise.MatchString(text) {
		told = append(told, enclosing(&d, beside.ID)...)
	}
	for _, s := range told {
		if next, ok := outline.Affect(d.t, whole, s); ok {
			*s = next
			return d.t, nil
		}
	}
	if otherwise.MatchString(text) {
		return nil, Cannot("I cannot tell what “%s” is the other side of: say it with its condition, such as “if the amount is over 100, tell @ana”.", text)
	}
	steps := outline.Steps(d.t, whole)
	if len(steps) == 0 {
		return nil, ErrNone
	}
	after := beside.ID // the insertion moves it
	d.insert(all[len(all)-1], "after", steps)
	if len(all) > 1 {
		d.t.Objections = append(d.t.Objections, tree.Objection{ID: strconv.Itoa(d.text) + ".place", Quote: whole, Text: text, Steps: idsOf(steps), Behind: after})
	}
	return d.t, nil
}

// ifs finds words that begin with a condition.
var ifs = regexp.MustCompile(`(?i)^(?:and |but |only )*(?:otherwise|else|if|when|unless)\b`)

// enclosing gives the steps around one, the innermost first.
func enclosing(d *draft, id string) (all []*tree.Step) {
	for p, ok := d.place(id); ok; p, ok = d.place(all[len(all)-1].ID) {
		outer := around(d, p)
		if outer == nil {
			break
		}
		all = append(all, outer)
	}
	return all
}

// Reply puts words into the place of some that were not understood, or changes a tree by them where there are no such words.
func Reply(t *tree.Tree, text, author string, gap tree.Quote, people ...string) (*tree.Tree, error) {
	if !gap.Empty() {
		if next, err := StandIn(t, text, author, gap, people...); !errors.Is(err, ErrNone) {
			return next, err
		}
	}
	next, _, err := Apply(t, text, author, people...)
	return next, err
}

// inFront puts steps in front of one, and of each step around it whose own words stand behind the older words, too; nil = of all. Where nothing
// starts the flow yet, words may say what does.
func (d *draft) inFront(s *tree.Step, gap, words tree.Quote) error {
	if len(d.t.Triggers) == 0 && (s == nil || s.ID == d.t.Steps[0].ID) {
		words = outline.Start(d.t, words)
	}
	steps := outline.Steps(d.t, words)
	if len(steps) == 0 {
		return ErrNone
	}
	next, id := spot{list: &d.t.Steps}, ""
	if s != nil {
		id = s.ID
		next, _ = d.place(id)
		for _, outer := range enclosing(d, id) {
			if own := outer.Own(); next.at > 0 || slices.ContainsFunc(tree.Quotes(&own), func(q tree.Quote) bool { order, _ := d.t.Order(q, gap); return order <= 0 }) {
				break
			}
			next, _ = d.place(outer.ID)
		}
	}
	d.insert(next, "before", steps)
	for i, o := range d.t.Objections {
		if o.Behind != "" && slices.Contains(o.Steps, id) { // they belong together
			d.t.Objections[i].Steps = append(idsOf(steps), o.Steps...)
		}
	}
	return nil
}

func idsOf(steps []tree.Step) (ids []string) {
	for i := range steps {
		ids = append(ids, steps[i].ID)
	}
	return ids
}

// placesFor gives the steps behind which words may belong that stand behind those of a step, the innermost first: that step, and the steps of which
// it is the last one in some cases. ended says that its sentence ended before the words.
func placesFor(d *draft, id string, ended bool) (all []spot) {
	p, ok := d.place(id)
	for ok {
		p = outside(d, p, ended)
		outer := around(d, p)
		if p.Kind != tree.Stop || !ended || outer == nil {
			all = append(all, p)
		}
		if !ended || outer == nil || p.at < len(*p.list)-1 {
			break
		}
		p, ok = d.place(outer.ID)
	}
	return all
}

// around gives the step of which a step stands in a list; nil = there is none.
func around(d *draft, p spot) (outer *tree.Step) {
	for s := range d.t.Walk {
		if slices.Contains(s.Lists(), p.list) {
			outer = s
		}
	}
	return outer
}

// Place is where steps may belong: behind a step.
type Place struct{ Behind, Label string }

// Places gives where the steps of an answer may belong, first where they stand. None: that is certain, or they or the step before them are gone.
func Places(t *tree.Tree, o tree.Objection) (out []Place) {
	d := &draft{t: t.Clone(), names: t.Numbers()}
	steps, stands := lift(d, o.Steps)
	if len(steps) == 0 || len(d.t.Steps) == 0 {
		return nil
	}
	for _, p := range placesFor(d, o.Behind, true) {
		out = append(out, Place{p.ID, placeName(d, p)})
	}
	last := d.t.Steps[len(d.t.Steps)-1]
	if len(out) > 0 && out[len(out)-1].Behind != last.ID && last.Kind != tree.Stop {
		out = append(out, Place{last.ID, "At the end"})
	}
	slices.SortStableFunc(out, func(a, b Place) int {
		switch stands {
		case a.Behind:
			return -1
		case b.Behind:
			return 1
		}
		return 0
	})
	if len(out) < 2 {
		return nil
	}
	return out
}

// Put moves the steps of an answer behind another step.
func Put(t *tree.Tree, o tree.Objection, behind string) {
	d := &draft{t: t}
	steps, _ := lift(d, o.Steps)
	if p, ok := d.place(behind); ok {
		d.insert(p, "after", steps)
	}
}

// lift takes steps out of the tree, and gives them and the step that stood before them.
func lift(d *draft, ids []string) (steps []tree.Step, before string) {
	for _, id := range ids {
		p, ok := d.place(id)
		if !ok {
			continue
		}
		if len(steps) == 0 && p.at > 0 {
			before = (*p.list)[p.at-1].ID
		}
		steps = append(steps, *p.Step)
		*p.list = slices.Delete(*p.list, p.at, p.at+1)
	}
	return steps, before
}

// placeName says where steps behind another one are.
func placeName(d *draft, p spot) string {
	outer, behind := around(d, p), "behind step "+d.names[p.ID]
	if outer == nil {
		return english.SentenceCase(behind)
	}
	when := "when it fails"
	for i := range outer.Branches {
		switch b := &outer.Branches[i]; {
		case &b.Steps != p.list:
		case b.When != nil:
			when = "when " + english.Quote(lower.CondWords(b.When))
		case b.Choice == "timeout":
			when = "when nobody answers"
		case b.Choice != "":
			when = "after " + english.Quote(b.Choice)
		default:
			when = "otherwise"
		}
	}
	return fmt.Sprintf("In step %s %s, %s", d.names[outer.ID], when, behind)
}

// outside gives the parallel step, or the loop that has ended, of which a step is the last one; else the step.
func outside(d *draft, p spot, ended bool) spot {
	for s := range d.t.Walk {
		n := len(s.Branches)
		whole := s.Kind == tree.Parallel || ended && (s.Kind == tree.Each || s.Kind == tree.Repeat)
		if whole && n > 0 && p.list == &s.Branches[n-1].Steps && p.at == len(*p.list)-1 {
			outer, _ := d.place(s.ID)
			return outside(d, outer, ended)
		}
	}
	return p
}
