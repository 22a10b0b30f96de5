package planner

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/env"
	"sluice/engine/planner/match"
	"sluice/engine/planner/tree"
)

// Ids of options that several questions have.
const (
	optPerson    = "person"
	optAll       = "all" // one person for this and all other open steps
	optTool      = "tool"
	optAgent     = "agent"
	optLeave     = "leave"
	optLeaveThen = "leave.then"
	optInput     = "input"
	optValue     = "value"
	optWords     = "words"   // the words themselves are the value or the text
	optChannel   = "channel" // a message in a channel starts it
	optNow       = "now"     // as it is
	optOnlyThen  = "only"
	optEitherWay = "either"
)

// leaveOut is the label of an option that several questions have.
const leaveOut = "Leave it out"

// asking is a question, its place in the words, by which questions are ordered, and what its answers do to the step that it is about.
type asking struct {
	Question
	at    tree.Quote
	near  bool                                        // a tool may do it
	do    map[string]func(s *tree.Step, value string) // by option; an option without one settles the question
	typed func(s *tree.Step, value string) error      // nil = no typed answer is taken
	steps func(s *tree.Step, value string) error      // takes steps where a name is asked for
}

// inquiry asks about a tree, and applies the answer to a question.
type inquiry struct {
	t       *tree.Tree
	w       env.World
	cat     *match.Catalogue
	kind    func(name string) string // what a name is, as in the world
	out     *Proposal
	asked   []*asking
	hidden  int                // above 0, questions wait for another one
	inside  int                // above 0, steps are done for each item of a list: what one needs is rather in the item than the same for all
	waiting []*asking          // those of them that a person probably answers
	open    []tree.Quote       // places that a question asks about
	names   map[string]nameUse // by question: where the name stands
	by      string             // user id of the one who answers
}

// question begins a question about a step; what tells it from others about the step.
func question(s *tree.Step, kind, what, format string, args ...any) *asking {
	return &asking{Question: Question{ID: s.ID + "." + what, Step: s.ID, Kind: kind, Quote: s.Text, Text: fmt.Sprintf(format, args...)}, at: s.Stands()}
}

const maxLabel = 75 // letters on a button, or of an entry of a select

// option adds an option. The first one is the default.
func (q *asking) option(o Option, do func(s *tree.Step, value string)) {
	o.Label = english.Shorten(o.Label, maxLabel)
	if q.Default = cmp.Or(q.Default, o.ID); q.do == nil {
		q.do = map[string]func(*tree.Step, string){}
	}
	q.Options, q.do[o.ID] = append(q.Options, o), do
}

// button adds an option that needs nothing but a press. do is nil where the press alone settles the question.
func (q *asking) button(id, label string, do func(s *tree.Step)) {
	if do == nil {
		q.option(Option{ID: id, Label: label}, nil)
		return
	}
	q.option(Option{ID: id, Label: label}, func(s *tree.Step, _ string) { do(s) })
}

// leavable offers to leave a step out, with those below it.
func (p *inquiry) leavable(q *asking, s *tree.Step) {
	q.button(optLeave, leaveOut+with(p.t, below(s)), p.leaveStep)
}

// person offers somebody; words say who is near.
func (p *inquiry) person(q *asking, label, words string, do func(s *tree.Step, who tree.Name)) {
	q.option(Option{ID: optPerson, Label: label, Needs: "name", Values: p.near(words, isName)}, func(s *tree.Step, value string) {
		do(s, tree.Name{Words: value, Is: value})
	})
}

// value offers values of the run, when there are some.
func (q *asking) value(all []match.Candidate, do func(s *tree.Step, r tree.Ref)) {
	if len(all) == 0 {
		return
	}
	all = all[:min(len(all), maxChoices)]
	o := Option{ID: optValue, Label: "A value...", Needs: "value"}
	for _, c := range all {
		o.Values = append(o.Values, Choice{Value: refText(c.Ref), Label: english.Shorten(c.Label(), maxLabel)})
	}
	q.option(o, func(s *tree.Step, value string) {
		do(s, all[slices.IndexFunc(o.Values, func(c Choice) bool { return c.Value == value })].Ref)
	})
}

// add asks a question that is not settled, once. It waits while another open question may remove the step. The question of the doer comes
// again when the tool that was chosen is gone.
func (p *inquiry) add(q *asking) {
	if q.Kind != "doer" && slices.Contains(p.t.Settled, q.ID) {
		return
	}
	if q.Step != "" {
		p.out.Open[q.Step] = true
		if q.at.Empty() {
			q.at = p.t.Step(q.Step).Stands()
		}
	}
	if !q.at.Empty() {
		p.open = append(p.open, q.at)
	}
	if p.hidden > 0 && q.Default == optPerson && !q.near {
		p.waiting = append(p.waiting, q)
	}
	if p.hidden > 0 || slices.ContainsFunc(p.asked, func(old *asking) bool { return old.ID == q.ID }) {
		return
	}
	if q.at.Empty() && len(p.asked) > 0 {
		last := p.asked[len(p.asked)-1].at
		q.at = tree.Quote{Text: last.Text, From: last.From}
	}
	p.asked = append(p.asked, q)
}

// order puts the questions in the order of the words.
func (p *inquiry) order() {
	slices.SortStableFunc(p.asked, func(a, b *asking) int {
		return cmp.Or(cmp.Compare(a.at.Text, b.at.Text), cmp.Compare(a.at.From, b.at.From))
	})
	p.forAll()
	for i, q := range p.asked {
		if slices.ContainsFunc(p.asked[:i], q.isTwin) {
			continue
		}
		q.Free = q.typed != nil
		p.out.Questions = append(p.out.Questions, q.Question)
	}
}

// forAll offers one person for all steps and conditions that people probably do or decide, when there are several, also below open conditions.
func (p *inquiry) forAll() {
	var asked []*asking
	for _, q := range p.asked {
		if q.Default == optPerson {
			asked = append(asked, q)
		}
	}
	open := append(slices.Clone(asked), p.waiting...)
	if len(open) < 2 {
		return
	}
	all := "both"
	if len(open) > 2 {
		all = fmt.Sprintf("all %d", len(open))
	}
	for _, q := range asked {
		one := Option{ID: optAll, Label: "One person for " + all + " open steps...", Needs: "name", Values: q.Options[0].Values}
		q.Options = slices.Insert(q.Options, 1, one)
		q.do[optAll] = func(_ *tree.Step, value string) {
			for _, each := range open {
				each.do[optPerson](p.t.Step(each.Step), value)
			}
		}
	}
}

func first(at []tree.Quote) (q tree.Quote) {
	if len(at) > 0 {
		q = at[0]
	}
	return q
}

const (
	maxNear    = 30  // names that are suggested
	maxChoices = 100 // entries of one select
)

// near suggests names of the directory that fit.
func (p *inquiry) near(words string, fits func(name string) bool) (out []Choice) {
	if p.w.Names == nil {
		return nil
	}
	for _, n := range p.w.Names(words) {
		if c := (Choice{Value: n, Label: n}); len(out) < maxNear && !slices.Contains(out, c) && fits(n) {
			out = append(out, c)
		}
	}
	return out
}

// people lists the names of the people who are asked: all of them, or as many as must answer.
func people(s *tree.Step) string {
	var names []string
	for _, n := range s.Who {
		names = append(names, cmp.Or(n.Is, n.Words))
	}
	switch {
	case len(names) > 1 && s.Quorum < 2:
		return english.Join(names, "or")
	case s.Quorum > 1 && s.Quorum < len(names):
		return fmt.Sprintf("%d of %s", s.Quorum, english.Join(names, "and"))
	}
	return cmp.Or(english.Join(names, "and"), "somebody")
}

func (p *inquiry) note(step, code, format string, args ...any) {
	p.out.Notes = tree.AddNote(p.out.Notes, tree.Note{Step: step, Code: code, Text: fmt.Sprintf(format, args...)})
}

// refText writes a reference as one word, for the value of a choice.
func refText(r tree.Ref) string {
	kind := "input"
	switch {
	case r.Step != "":
		kind = "step"
	case r.Item != "":
		kind = "item"
	case r.Event != "":
		kind = "event"
	}
	return strings.TrimRight(kind+":"+cmp.Or(r.Step, r.Item, r.Event, r.Input)+":"+r.Field, ":")
}
