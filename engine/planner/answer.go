package planner

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/planner/change"
	"sluice/engine/planner/english"
	"sluice/engine/planner/env"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/match"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/times"
	"sluice/engine/planner/tree"
)

// AnswerError gives the reason why an answer is refused.
type AnswerError struct {
	Code string // stale: the question or the option is not there any more; name, tool, value: what was chosen cannot be; words: typed words are not understood
	Text string
}

// Error gives the sentence.
func (e *AnswerError) Error() string { return e.Text }

func stale() error {
	return &AnswerError{"stale", "This question has been answered or the draft has changed since. Nothing was changed; answer the questions that the draft shows now."}
}

func wrong(code, format string, args ...any) error {
	return &AnswerError{code, fmt.Sprintf(format, args...)}
}

// answering is one answer that is applied to a copy of a tree.
type answering struct {
	*planning
	next     *tree.Tree
	question Question
	option   Option
	value    string
	by       string
}

// Answer gives the tree in which a question is answered. option is the id of the chosen option, or "" for a typed answer; value is what the
// option needs, or the typed answer. by is the user id of the one who answers. The error is an *[AnswerError].
func Answer(t *tree.Tree, w env.World, question, option, value, by string) (*tree.Tree, error) {
	p := plan(t, w)
	i := slices.IndexFunc(p.out.Questions, func(q Question) bool { return q.ID == question })
	if i < 0 {
		return nil, stale()
	}
	a := &answering{planning: p, next: p.t.Clone(), question: p.out.Questions[i], value: strings.TrimSpace(value), by: by}
	if err := a.choose(option); err != nil {
		return nil, err
	}
	if err := a.apply(); err != nil {
		return nil, err
	}
	if a.option.ID == optLeave {
		a.dropInputs()
	}
	return a.next, nil
}

// choose finds the option and checks that the answer has what the option needs.
func (a *answering) choose(id string) error {
	if id == "" {
		if !a.question.Free || a.value == "" {
			return stale()
		}
		return nil
	}
	i := slices.IndexFunc(a.question.Options, func(o Option) bool { return o.ID == id })
	if i < 0 {
		return stale()
	}
	a.option = a.question.Options[i]
	switch a.option.Needs {
	case "name":
		return a.checkName()
	case "tool":
		if a.cat.Find(a.value) == nil {
			return wrong("tool", "There is no tool %s that may be used. Choose one of the list.", english.Quote(a.value))
		}
	case "value":
		if !slices.ContainsFunc(a.option.Values, func(c Choice) bool { return c.Value == a.value }) {
			return wrong("value", "%s is none of the values that can be chosen here. Choose one of the list.", english.Quote(a.value))
		}
	}
	return nil
}

// checkName checks that a chosen name exists and can stand where it is asked for.
func (a *answering) checkName() error {
	if !isName(a.value) {
		return wrong("name", "%s is no name. Write one with @ or #, such as @finance.", english.Quote(a.value))
	}
	slot := a.names[a.question.ID]
	channel := a.option.ID == optChannel || slot != nil && slot.channel
	if ok, why := a.nameFits(a.value, channel || slot != nil && slot.tell); !ok {
		return wrong("name", "%s. Choose another name.", english.SentenceCase(why))
	}
	if channel && (a.value[0] != '#' || a.w.Kind != nil && a.w.Kind(a.value) != "channel") {
		return wrong("name", "%s is no channel. Choose a channel, such as #orders.", a.value)
	}
	return nil
}

// apply changes the tree according to the answer.
func (a *answering) apply() error {
	if a.option.ID == optAll {
		return a.all()
	}
	s := a.next.Step(a.question.Step)
	if s == nil && a.question.Step != "" {
		return stale()
	}
	if a.option.ID == optLeave && s != nil && a.question.Kind != "clause" && a.question.Kind != "condition" && a.question.Kind != "rule" {
		a.leaveStep(s)
		return nil
	}
	switch a.question.Kind {
	case "doer":
		a.doer(s)
	case "event":
		a.event(s)
	case "who":
		a.who()
	case "condition":
		return a.condition(s)
	case "trigger":
		a.trigger()
	case "param":
		return a.param(s)
	case "value":
		return a.meaning(s)
	case "clause":
		return a.clause()
	case "checked":
		a.checkedValue(s)
	case "then":
		a.then(s)
	case "behind":
		a.behind(s)
	case "only":
		a.only(s)
	case "rule":
		a.rule(s)
	case "late":
		return a.late(s)
	case "confirm":
		a.settle(a.question.ID)
	}
	return nil
}

// late sets how long people have before what happens then.
func (a *answering) late(s *tree.Step) error {
	term, ok := strings.CutPrefix(a.option.ID, optTerm)
	if !ok {
		if term, ok = outline.Term(a.value); !ok {
			return wrong("words", "%s is no length of time. Write one such as “2 hours” or “3 working days”.", english.Quote(a.value))
		}
	}
	if s.Deadline == nil {
		s.Deadline = &tree.Deadline{}
	}
	if s.Deadline.EscalateTo != nil && s.Deadline.EscalateAfter == "" {
		s.Deadline.EscalateAfter = term
		return nil
	}
	s.Deadline.After = term
	return nil
}

// all assigns all steps and conditions of the option to one person.
func (a *answering) all() error {
	for _, q := range a.out.Questions {
		i := slices.IndexFunc(q.Options, func(o Option) bool { return o.ID == optAll })
		if i < 0 {
			continue
		}
		a.question, a.option = q, Option{ID: optPerson, Needs: "name"}
		if err := a.apply(); err != nil {
			return err
		}
	}
	return nil
}

func (a *answering) settle(id string) {
	if !slices.Contains(a.next.Settled, id) {
		a.next.Settled = append(a.next.Settled, id)
	}
}

func (a *answering) leave(quotes ...tree.Quote) {
	for _, q := range quotes {
		if !q.Empty() {
			a.next.Left = append(a.next.Left, tree.LeftOut{Quote: q, By: a.by})
		}
	}
}

// chosen is the name that was chosen.
func (a *answering) chosen() tree.Name { return tree.Name{Words: a.value, Is: a.value} }

func (a *answering) doer(s *tree.Step) {
	switch a.option.ID {
	case optPerson:
		s.Kind, s.Doer, s.Who, s.Tool, s.Params = tree.Do, tree.DoerPerson, []tree.Name{a.chosen()}, "", nil
	case optTool:
		s.Kind, s.Doer, s.Tool = tree.Do, tree.DoerTool, a.value
		a.settle(a.question.ID)
	case optAgent:
		s.Kind, s.Doer, s.Tool, s.Params = tree.Agent, "", "", nil
		a.settle(a.question.ID)
	}
}

// event turns a wait into a question to a person, or keeps it.
func (a *answering) event(s *tree.Step) {
	if a.option.ID != optPerson {
		a.settle(a.question.ID)
		return
	}
	s.Kind, s.Doer, s.Who = tree.Do, tree.DoerPerson, []tree.Name{a.chosen()}
	s.Text, s.Event = "say when this has happened: "+s.Event, ""
}

// newInput declares an input that words name, or finds it.
func (a *answering) newInput(words, typ, about string) string {
	var kept []string
	for _, w := range english.Scan(words) {
		if w.Kind == english.PlainWord && !match.Determiners[w.Low] {
			kept = append(kept, w.Low)
		}
	}
	name := idiom.InputName(cmp.Or(strings.Join(kept[:min(len(kept), 5)], "_"), "value"))
	name, _ = a.next.Declare(tree.Input{Name: name, Type: typ, About: about})
	return name
}

// who writes the chosen name to all places that have the same words.
func (a *answering) who() {
	slot := a.names[a.question.ID]
	if slot == nil {
		return
	}
	to := a.chosen()
	if a.option.ID == optInput {
		to = tree.Name{Ref: tree.Ref{Input: a.newInput(slot.words, "", "@name of a person, group or channel")}}
	}
	set := func(n *tree.Name) {
		if n.Open() && nameKey(cmp.Or(n.Is, n.Words)) == nameKey(slot.words) || n.Is == slot.words {
			n.Is, n.Ref = to.Is, to.Ref
		}
	}
	a.next.Walk(func(s *tree.Step) bool {
		for _, n := range s.Names() {
			set(n)
		}
		return true
	})
	for i := range a.next.Triggers {
		if g := &a.next.Triggers[i]; g.Channel == slot.words && to.Is != "" {
			g.Channel = to.Is
		}
	}
}

func (a *answering) trigger() {
	at, err := strconv.Atoi(strings.TrimPrefix(a.question.ID, "trigger."))
	if err != nil || at >= len(a.next.Triggers) {
		return
	}
	g := &a.next.Triggers[at]
	if i, ok := strings.CutPrefix(a.option.ID, optNear); ok {
		n, _ := strconv.Atoi(i)
		near := times.Nearest(g.Words)[n]
		a.leave(g.At...)
		g.Words, g.Cron = near.Words, near.Cron
		return
	}
	switch a.option.ID {
	case optStart:
		g.By = true
	case optChannel:
		g.Channel, g.Match = a.value, cmp.Or(g.Match, `\S`)
	case optWebhook:
		g.Path = strings.ReplaceAll(idiom.InputName(english.Shorten(strings.TrimPrefix(g.Words, "when "), 40)), "_", "-")
	case optLeave:
		a.leave(g.At...)
		a.next.Triggers = slices.Delete(a.next.Triggers, at, at+1)
	}
}

// param gives a parameter the value that was chosen or typed.
func (a *answering) param(s *tree.Step) error {
	if name, ok := strings.CutPrefix(a.question.ID, "input."); ok {
		return a.inputDefault(name)
	}
	name := strings.TrimPrefix(a.question.ID, s.ID+".param.")
	e := a.cat.Find(s.Tool)
	if e == nil {
		return stale()
	}
	i := slices.IndexFunc(e.Params, func(p env.Param) bool { return p.Name == name })
	if i < 0 {
		return stale()
	}
	prm := e.Params[i]
	v := tree.Value{}
	switch a.option.ID {
	case optWords:
		f := a.fills[s.ID]
		r := f.Unexplained()[0]
		v = tree.Value{Words: a.question.Quote, Literal: a.question.Quote, At: f.Quote(r[0], r[1])}
	case optInput:
		v.Ref.Input = a.planning.input(s, prm)
		a.next.Inputs = slices.Clone(a.t.Inputs)
	case optValue:
		v.Ref, _ = refOf(a.value)
	default:
		literal, err := a.typed(prm)
		if err != nil {
			return err
		}
		v.Literal, v.Words = literal, a.value
	}
	s.Params = slices.DeleteFunc(s.Params, func(p tree.Param) bool { return p.Name == name })
	s.Params = append(s.Params, tree.Param{Name: name, Value: v})
	return nil
}

// typed is the typed answer as a value of a parameter.
func (a *answering) typed(prm env.Param) (any, error) {
	v, ok := match.LiteralOf(prm, english.Word{Text: a.value, Low: strings.ToLower(a.value)})
	if !ok {
		return nil, wrong("value", "The %s must be %s, and %s is none.", english.PlainName(prm.Name), kindWords(prm), english.Quote(a.value))
	}
	return v, nil
}

// kindWords describes the type of a parameter.
func kindWords(p env.Param) string {
	if len(p.Enum) > 0 {
		var all []string
		for _, e := range p.Enum {
			all = append(all, fmt.Sprint(e))
		}
		return english.Join(all, "or")
	}
	switch p.Typ {
	case "number", "integer":
		return "a number"
	case "boolean":
		return "yes or no"
	}
	return "a text"
}

// inputDefault gives an input the value that a schedule starts runs with.
func (a *answering) inputDefault(name string) error {
	in := a.next.Input(name)
	if in == nil {
		return stale()
	}
	if a.option.ID == optLeave {
		in.Optional = true
		return nil
	}
	prm := env.Param{Name: in.Name, Typ: cmp.Or(in.Type, "string")}
	for _, e := range in.Enum {
		prm.Enum = append(prm.Enum, e)
	}
	v, err := a.typed(prm)
	in.Default = v
	return err
}

// meaning binds words of a step to the chosen value.
func (a *answering) meaning(s *tree.Step) error {
	v := tree.Value{Words: a.question.Quote}
	switch a.option.ID {
	case optValue:
		v.Ref, _ = refOf(a.value)
	case optInput:
		typ := ""
		if s.Kind == tree.Each {
			typ = "array"
		}
		v.Ref.Input = a.newInput(a.question.Quote, typ, a.question.Quote)
	}
	switch where := strings.TrimPrefix(a.question.ID, s.ID+"."); {
	case where == "over":
		v.At = s.Over.At
		s.Over = v
	case where == "text" && (a.option.ID == optWords || a.option.ID == ""):
		if a.option.ID == "" {
			s.Text = a.value
			a.settle(a.question.ID)
			s.Said = tree.Quote{}
			a.leave(a.t.Step(s.ID).Said)
			return nil
		}
		a.settle(a.question.ID)
	case where == "text":
		s.Parts = []tree.Value{v}
	default:
		i, err := strconv.Atoi(strings.TrimPrefix(where, "show."))
		if err != nil || i >= len(s.Show) {
			return stale()
		}
		v.At = s.Show[i].At
		s.Show[i] = v
	}
	return nil
}

// clause settles words that were not understood.
func (a *answering) clause() error {
	i := slices.IndexFunc(a.out.Account, func(c Clause) bool {
		return a.question.ID == fmt.Sprintf("clause.%d.%d", c.Quote.Text, c.Quote.From)
	})
	if i < 0 {
		return stale()
	}
	c := a.out.Account[i]
	switch a.option.ID {
	case optLeave:
		a.leave(c.Quote)
	case optNote:
		s := a.before(c)
		if s == nil {
			return stale()
		}
		s = a.next.Step(s.ID)
		words := trimWords(a.question.Quote)
		s.Text = strings.TrimSpace(s.Text + " (" + words + ")")
		s.Parts = nil
		s.At = append(s.At, c.Quote)
	default:
		before := ""
		if s := a.previous(c); s != nil {
			before = s.ID
		}
		people := People(a.value, a.w)
		changed, err := change.StandIn(a.next, a.value, a.by, before, people...)
		if errors.Is(err, change.ErrNone) {
			changed, _, err = change.Apply(a.next, a.value, a.by, people...)
		}
		if err != nil {
			return wrong("words", "I did not understand %s either. Say it as a step of its own, such as “add after 2: ...”, or leave it out.", english.Quote(a.value))
		}
		a.next = changed
		a.leave(c.Quote)
	}
	return nil
}

// checkedValue passes on the value that was checked, or settles that another one is meant.
func (a *answering) checkedValue(s *tree.Step) {
	if a.option.ID != optChecked {
		a.settle(a.question.ID)
		return
	}
	name := strings.TrimPrefix(a.question.ID, s.ID+".checked.")
	ref, ok := refOf(a.gaps[a.question.ID])
	if !ok {
		return
	}
	for _, old := range s.Params {
		if old.Name == name {
			a.leave(old.Value.At)
		}
	}
	s.Params = slices.DeleteFunc(s.Params, func(p tree.Param) bool { return p.Name == name })
	s.Params = append(s.Params, tree.Param{Name: name, Value: tree.Value{Ref: ref}})
}
