package planner

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/planner/english"
	"sluice/engine/planner/env"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/match"
	"sluice/engine/planner/tree"
)

// AnswerError gives the reason why an answer is refused.
type AnswerError struct {
	Code string // stale: the question or the option is not there any more; name, tool, value: what was chosen cannot be; words: typed words are not understood
	Text string
}

// Error gives the sentence.
func (e *AnswerError) Error() string { return e.Text }

func wrong(code, format string, args ...any) error {
	return &AnswerError{code, fmt.Sprintf(format, args...)}
}

// Answer gives the tree in which a question is answered. option is the id of the chosen option, or "" for a typed answer; value is what the
// option needs, or the typed answer. by is the user id of the one who answers. The error is an *[AnswerError].
func Answer(t *tree.Tree, w env.World, question, option, value, by string) (*tree.Tree, error) {
	p := plan(t, w)
	p.by = by
	stale := wrong("stale", "This question has been answered or the draft has changed since. Nothing was changed; answer the questions that the draft shows now.")
	i := slices.IndexFunc(p.asked, func(q *asking) bool { return q.ID == question })
	if i < 0 {
		return nil, stale
	}
	q, value := p.asked[i], strings.TrimSpace(value)
	s := p.t.Step(q.Step)
	if i = slices.IndexFunc(q.Options, func(o Option) bool { return o.Needs == "name" }); option == "" && i >= 0 && isName(value) {
		option = q.Options[i].ID
	}
	if option == "" {
		if q.typed == nil || value == "" {
			return nil, stale
		}
		err := q.typed(s, value)
		for _, twin := range twins(p.asked, q) {
			err = cmp.Or(err, twin.typed(p.t.Step(twin.Step), value))
		}
		return p.t, err
	}
	if i = slices.IndexFunc(q.Options, func(o Option) bool { return o.ID == option }); i < 0 {
		return nil, stale
	}
	if q.Options[i].Needs == "name" && !isName(value) && q.steps != nil {
		err := q.steps(s, value)
		return p.t, err
	}
	if err := p.mayChoose(q, q.Options[i], value); err != nil {
		return nil, err
	}
	p.choose(q, option, value)
	for _, twin := range twins(p.asked, q) {
		if p.mayChoose(twin, twin.Options[i], value) == nil { // else it is asked next
			p.choose(twin, option, value)
		}
	}
	return p.t, nil
}

// choose does what an option of a question is for.
func (p *planning) choose(q *asking, option, value string) {
	if do := q.do[option]; do != nil {
		do(p.t.Step(q.Step), value)
		return
	}
	p.settle(q.ID)
}

// twins are the questions about the same words that ask the same and have the same answers: they are asked once, for all steps, unless a value that
// one of them offers is none for another.
func twins(asked []*asking, q *asking) (out []*asking) {
	for _, other := range asked {
		if other != q && other.isTwin(q) {
			out = append(out, other)
		}
	}
	return out
}

// isTwin reports whether two questions ask the same about the same words, with the same options.
func (q *asking) isTwin(of *asking) bool {
	same := func(a, b Option) bool { return a.ID == b.ID }
	return q.Kind == of.Kind && q.Text == of.Text && q.at == of.at && !q.at.Empty() && (q.typed == nil) == (of.typed == nil) && slices.EqualFunc(q.Options, of.Options, same)
}

// mayChoose checks that an answer has what its option needs.
func (p *inquiry) mayChoose(q *asking, o Option, value string) error {
	switch o.Needs {
	case "name":
		return p.mayName(q, o, value)
	case "tool":
		if p.cat.Find(value) == nil {
			return wrong("tool", "There is no tool %s that may be used. Choose one of the list.", english.Quote(value))
		}
	case "value":
		if !slices.ContainsFunc(o.Values, func(c Choice) bool { return c.Value == value }) {
			return wrong("value", "%s is none of the values that can be chosen here. Choose one of the list.", english.Quote(value))
		}
	}
	return nil
}

// mayName checks that a chosen name exists and can stand where it is asked for.
func (p *inquiry) mayName(q *asking, o Option, name string) error {
	if !isName(name) {
		return wrong("name", "%s is no name. Write one with @ or #, such as @finance.", english.Quote(name))
	}
	use := p.names[q.ID]
	channel := o.ID == optChannel || use.channel
	if why := p.unfit(name, channel || use.tell); why != "" {
		return wrong("name", "%s. Choose another name.", english.SentenceCase(why))
	}
	if channel && !isChannel(p, name) {
		return wrong("name", "%s is no channel. Choose a channel, such as #orders.", name)
	}
	return nil
}

// typed is a typed answer as a value of a parameter.
func typed(prm env.Param, text string) (any, error) {
	if v, ok := match.LiteralOf(prm, english.Word{Text: text, Low: strings.ToLower(text)}); ok {
		return v, nil
	}
	want := cmp.Or(typeWords[prm.Typ], "a text")
	if len(prm.Enum) > 0 {
		var all []string
		for _, e := range prm.Enum {
			all = append(all, fmt.Sprint(e))
		}
		want = english.Join(all, "or")
	}
	return nil, wrong("value", "The %s must be %s, and %s is none.", english.PlainName(prm.Name), want, english.Quote(text))
}

// typeWords describe what people type for a parameter.
var typeWords = map[string]string{"number": "a number", "integer": "a number", "boolean": "yes or no"}

// newInput declares an input that words name, or finds it.
func (p *inquiry) newInput(words, typ, about string) tree.Ref {
	var kept []string
	for _, w := range english.Scan(words) {
		if w.Kind == english.PlainWord && !match.Determiners[w.Low] {
			kept = append(kept, w.Low)
		}
	}
	name := idiom.InputName(cmp.Or(strings.Join(kept[:min(len(kept), 5)], "_"), "value"))
	name, _ = p.t.Declare(tree.Input{Name: name, Type: typ, About: about})
	return tree.Ref{Input: name}
}

func (p *inquiry) settle(id string) {
	if !slices.Contains(p.t.Settled, id) {
		p.t.Settled = append(p.t.Settled, id)
	}
}

func (p *inquiry) leave(quotes ...tree.Quote) {
	for _, q := range quotes {
		if !q.Empty() {
			p.t.Left = append(p.t.Left, tree.LeftOut{Quote: q, By: p.by})
		}
	}
}

// with says for the label of an option that removes steps which ones below go, too.
func with(t *tree.Tree, below []tree.Step) string {
	if gone := stepNames(t, below); gone != "" {
		return ", with " + gone
	}
	return ""
}

// stepNames names steps and those below them by their numbers; "" = there is none.
func stepNames(t *tree.Tree, list []tree.Step) string {
	var all []string
	for s := range (&tree.Tree{Steps: list}).Walk {
		all = append(all, t.Numbers()[s.ID])
	}
	switch {
	case len(all) == 0:
		return ""
	case len(all) == 1:
		return "step " + all[0]
	case len(all) > mostNamed:
		return fmt.Sprintf("the %d steps below it", len(all))
	}
	return "the steps " + english.Join(all, "and")
}

// mostNamed is how many steps a button names.
const mostNamed = 5

// below lists the steps of all branches of a step.
func below(s *tree.Step) (out []tree.Step) {
	for _, list := range s.Lists() {
		out = append(out, *list...)
	}
	return out
}

// objectLater asks whether steps that are removed with another one are meant, too, when a later reply had added them.
func objectLater(t *tree.Tree, s *tree.Step, removed []tree.Step) {
	for r := range (&tree.Tree{Steps: removed}).Walk {
		if r.Stands().Text <= s.Stands().Text {
			continue
		}
		said := r.Stands()
		for _, q := range tree.Quotes(r) {
			said.From, said.To = min(said.From, q.From), max(said.To, q.To)
		}
		text := fmt.Sprintf("step %s is gone, too, which came later: %s", t.Numbers()[r.ID], english.Quote(cmp.Or(t.Words(said), r.Text)))
		t.Objections = append(t.Objections, tree.Objection{ID: "left." + r.ID, Text: text, Change: true})
	}
}

// leaveStep removes a step with all steps below it, and marks its words as left out.
func (p *inquiry) leaveStep(s *tree.Step) {
	objectLater(p.t, s, below(s))
	p.leave(tree.Quotes(s)...)
	p.t.Exchange(s)
}

// dropInputs removes the inputs that nothing uses and no words declare: those that an answer or a <name> in other words has added, and those
// whose words were left out.
func (p *inquiry) dropInputs() {
	used, named := match.InputsUsed(p.t), map[string]bool{}
	for _, text := range p.t.Texts {
		match.AddInputs(named, text.Words)
	}
	p.t.Inputs = slices.DeleteFunc(p.t.Inputs, func(in tree.Input) bool {
		return !used[in.Name] && (in.Added || named[in.Name] || len(in.At) > 0) && !slices.ContainsFunc(in.At, func(q tree.Quote) bool {
			return !slices.ContainsFunc(p.t.Left, func(l tree.LeftOut) bool { return l.Quote.Overlaps(q) })
		})
	})
}
