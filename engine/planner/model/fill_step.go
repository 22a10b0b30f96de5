package model

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/jsonschema"
	"sluice/engine/planner/english"
	"sluice/engine/planner/outline"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

func (f *fill) steps(all []wireStep) (out []tree.Step) {
	for i := range all {
		if all[i].Kind == "keep" {
			if s := f.keep(all[i].Was); s != nil {
				out = append(out, *s)
			}
			continue
		}
		if s, ok := f.step(&all[i]); ok {
			out = append(out, s)
		}
	}
	return out
}

// spoken are the kinds of steps that need words of their own.
var spoken = []string{"tool", "flow", "person", "open", "agent", "ask", "tell", "wait", "set", "stop"}

// step takes over one step. Its words must stand in the description.
func (f *fill) step(w *wireStep) (tree.Step, bool) {
	s := tree.Step{}
	if q, ok := f.quote(w.Text, "text of a step"); ok {
		s.Said, s.Text = q, f.t.Words(q)
	}
	s.At = f.quotes(w.Also, "text of also")
	if s.Said.Empty() && len(s.At) > 0 {
		f.at = s.At[len(s.At)-1]
	}
	old, ok := f.was(w)
	if !ok {
		return s, false
	}
	if old == nil && s.Said.Empty() && len(s.At) == 0 && slices.Contains(spoken, w.Kind) && (w.Kind != "set" || w.Over.From == "") { // what a step gives gets a name without words of its own
		f.problem("A step of kind %q has no words of the description, so it was dropped.", cut(w.Kind, 20))
		return s, false
	}
	if old != nil {
		if s.ID = old.ID; old.Kind == tree.Ask {
			s.Choices = old.Choices
		}
	} else {
		s.ID = f.t.NewID()
	}
	if w.Label != "" {
		f.labels[w.Label] = s.ID
	}
	if !f.kind(&s, w) {
		f.problem("There is no kind of step %q.", cut(w.Kind, 20))
		return s, false
	}
	if old != nil {
		return f.merged(old, s, w.Gone), true
	}
	f.number(&s)
	return s, true
}

var listMark = regexp.MustCompile(`(?:^|[\s(])([0-9]{1,3})[.):]\s*$`)

var listStart = regexp.MustCompile(`^\(?([0-9]{1,3})[.):](?:\s|$)`)

// number takes the author's number in front of a step over: "2. ".
func (f *fill) number(s *tree.Step) {
	own := s.Own()
	all := tree.Quotes(&own)
	if len(all) == 0 {
		return
	}
	first := slices.MinFunc(all, func(a, b tree.Quote) int { return a.From - b.From })
	if m := listStart.FindStringSubmatch(f.t.Words(first)); m != nil { // the answer quotes it
		s.No, _ = strconv.Atoi(m[1])
		return
	}
	in := f.t.Texts[first.Text].Words[:first.From]
	m := listMark.FindStringSubmatchIndex(in[max(0, len(in)-16):])
	if m == nil {
		return
	}
	from := max(0, len(in)-16)
	s.No, _ = strconv.Atoi(in[from+m[2] : from+m[3]])
	s.At = append(s.At, tree.Quote{Text: first.Text, From: from + m[2], To: from + m[3] + 1})
}

// kind fills in what a step of its kind has.
func (f *fill) kind(s *tree.Step, w *wireStep) bool {
	switch w.Kind {
	case "tool", "flow", "person", "open":
		f.do(s, w)
	case "agent":
		s.Kind, s.Result, s.Fields = tree.Agent, f.resultName(w.Result), f.fields(w.Fields)
		for _, name := range w.Tools {
			if f.known(name) {
				s.Tools = append(s.Tools, name)
			}
		}
		f.failing(s, w)
	case "ask":
		f.ask(s, w)
	case "tell":
		s.Kind, s.To = tree.Tell, f.nameList(w.To, true)
		f.parts(s, w.Values)
	case "decide":
		s.Kind = tree.Decide
		s.Branches = f.branches(w.Branches, s)
	case "each":
		s.Kind, s.As = tree.Each, f.resultName(w.As)
		if w.Over.Words != "" || w.Over.From != "" { // else the draft asks what the list is
			s.Over, _ = f.value(w.Over, "list")
		}
		f.each = append(f.each, s.ID)
		s.Branches = []tree.Branch{{Steps: f.steps(w.Steps)}}
		f.each = f.each[:len(f.each)-1]
	case "parallel":
		s.Kind, s.Any = tree.Parallel, w.Any
		s.Branches = f.branches(w.Branches, s)
	case "repeat":
		s.Kind, s.Branches = tree.Repeat, []tree.Branch{{Steps: f.steps(w.Steps)}}
		s.Until, s.Max = f.cond(w.Until), f.count(w.Max, "number of times", s)
		rounds(s)
	case "wait":
		said := f.wordsOf(s)
		s.Kind, s.For, s.Time = tree.Wait, f.duration(w.For, said), f.clock(w.Time, said)
		if q, ok := f.find(w.Event); ok {
			s.Event = f.t.Words(q)
		}
	case "stop":
		s.Kind = tree.Stop
	case "set":
		s.Kind, s.Result = tree.Set, f.resultName(w.Result)
		s.Over, _ = f.value(w.Over, "value that gets a name")
	default:
		return false
	}
	return true
}

// wordsOf is all that a step quotes.
func (f *fill) wordsOf(s *tree.Step) string {
	out := []string{s.Text}
	for _, q := range s.At {
		out = append(out, f.t.Words(q))
	}
	return strings.Join(out, " ")
}

// known reports whether a tool was listed.
func (f *fill) known(name string) bool {
	_, ok := f.tools[name]
	if !ok {
		f.problem("There is no tool %q: use one of the catalogue, or a step of kind open.", cut(name, 60))
	}
	return ok
}

func (f *fill) do(s *tree.Step, w *wireStep) {
	s.Kind = tree.Do
	switch {
	case w.Kind == "tool" && f.known(w.Tool):
		s.Doer, s.Tool, s.Result = tree.DoerTool, w.Tool, f.resultName(w.Result)
		f.params(s, w.Params)
	case w.Kind == "flow" && f.flows[w.Flow]:
		s.Doer, s.Tool = tree.DoerFlow, w.Flow
		f.params(s, w.Params)
	case w.Kind == "flow":
		f.problem("There is no flow %q: use one that is listed, or a step of kind open.", cut(w.Flow, 60))
	case w.Kind == "person":
		s.Doer, s.Who, s.Deadline = tree.DoerPerson, f.nameList(w.Who, false), f.deadline(s, w.Deadline)
	}
	f.failing(s, w)
}

// failing takes over how often a step is tried, and what is done when it fails.
func (f *fill) failing(s *tree.Step, w *wireStep) {
	s.Retry = f.count(w.Retry, "number of attempts", s)
	if s.OnError = f.steps(w.OnError); len(s.OnError) > 0 && !s.OnError[0].Said.Empty() { // "if they cannot" is said of the step that fails
		s.At, s.OnError[0].At = append(s.At, s.OnError[0].At...), nil
	}
}

// parts cuts the text of a message into its words and the values that stand for some of them.
func (f *fill) parts(s *tree.Step, all []wireValue) {
	rest := s.Text
	for _, w := range all {
		before, after, ok := strings.Cut(rest, w.Words)
		ref := f.ref(w)
		if w.Words == "" || !ok || ref == (tree.Ref{}) {
			continue
		}
		if before != "" {
			s.Parts = append(s.Parts, tree.Value{Literal: before})
		}
		s.Parts, rest = append(s.Parts, tree.Value{Words: w.Words, Ref: ref}), after
	}
	if rest != "" && len(s.Parts) > 0 {
		s.Parts = append(s.Parts, tree.Value{Literal: rest})
	}
}

// rounds has a refusal begin the next round where the answer ends them: "until @finance approves".
func rounds(s *tree.Step) {
	if s.Until == nil {
		return
	}
	for i := range s.Branches[0].Steps {
		ask := &s.Branches[0].Steps[i]
		if said := answerOf(s.Until.Words); ask.Kind == tree.Ask && len(ask.Choices) == 0 && s.Until.Op == "" && said != "" {
			s.Until.Op, s.Until.Left, s.Until.Right = "==", tree.Value{Ref: tree.Ref{Step: ask.ID}}, tree.Value{Literal: said}
		}
		ask.Judges = ask.Judges || ask.Kind == tree.Ask && s.Until.Left.Ref.Step == ask.ID
	}
}

func (f *fill) params(s *tree.Step, all []wireParam) {
	for _, p := range all {
		if _, ok := jsonschema.Properties(f.tools[s.Tool].Params)[p.Name]; !ok && s.Doer == tree.DoerTool {
			f.problem("The tool %s has no parameter %q.", s.Tool, cut(p.Name, 60))
			continue
		}
		if v, ok := f.value(p.Value, "value of "+p.Name); ok && !v.Open() {
			s.Params = append(s.Params, tree.Param{Name: p.Name, Value: v})
			s.At = append(s.At, v.At)
		}
	}
}

func (f *fill) ask(s *tree.Step, w *wireStep) {
	s.Kind, s.Who, s.Free, s.Fields, s.Deadline = tree.Ask, f.nameList(w.Who, false), w.Free, f.fields(w.Fields), f.deadline(s, w.Deadline)
	s.Quorum = cmp.Or(f.count(w.Quorum, "quorum", s), f.allOf(s.Who))
	if len(w.Choices) > 0 {
		s.Choices = nil
	}
	for _, c := range w.Choices {
		if strings.TrimSpace(c) == "" { // some models fill in every field
			continue
		}
		if q, ok := f.find(c); ok {
			s.Choices = append(s.Choices, f.t.Words(q))
		} else {
			f.problem("The choice %q does not stand in the description.", cut(c, 60))
		}
	}
	for _, w := range w.Show {
		if v, ok := f.value(w, "value to show"); ok {
			s.Show = append(s.Show, v)
		}
	}
	f.asks[s.ID] = s
	s.Branches = f.branches(w.Branches, s)
}

// allOf is how many people must answer when their names are joined so that all of them must; 0 = one is enough.
func (f *fill) allOf(who []tree.Name) int {
	if len(who) < 2 {
		return 0
	}
	q := who[0].At
	for _, n := range who {
		q.From, q.To = min(q.From, n.At.From), max(q.To, n.At.To)
	}
	if names, quorum, ok := outline.Who(f.t, q); ok && len(names) == len(who) {
		return quorum
	}
	return 0
}

// branches takes over branches; those of an ask must follow one of its choices.
func (f *fill) branches(all []wireBranch, s *tree.Step) (out []tree.Branch) {
	for _, w := range all {
		b := tree.Branch{Label: cut(w.Label, 60), Else: w.Else}
		if b.At = f.quotes([]string{w.Quote}, "quote of a branch"); len(b.At) > 0 {
			f.at = b.At[0]
		}
		switch s.Kind {
		case tree.Ask:
			if b.Choice = w.Choice; !slices.Contains(append([]string{"approve", "reject", "timeout"}, s.Choices...), w.Choice) {
				f.problem("The branch %q follows no choice of its question.", cut(w.Choice, 60))
				continue
			}
			if !answers(w.Quote, w.Choice) {
				f.problem("The words %q do not say the choice %q.", cut(w.Quote, 60), w.Choice)
				continue
			}
		case tree.Decide:
			if b.When = f.cond(w.When); b.When == nil && !w.Else {
				f.problem("A branch of a decision has no condition.")
				continue
			}
		}
		b.Steps = f.steps(w.Steps)
		out = append(out, b)
	}
	f.swapped(out)
	return out
}

// swapped finds two branches each of whose first steps stands behind the words of the other.
func (f *fill) swapped(all []tree.Branch) {
	behind := func(i, j int) bool { // the first step of i stands behind the words of j, and of no other branch
		if len(all[i].Steps) == 0 || all[i].Steps[0].Said.Empty() || len(all[j].At) == 0 {
			return false
		}
		said, nearest := all[i].Steps[0].Said, -1
		for k := range all {
			if len(all[k].At) > 0 && all[k].At[0].Text == said.Text && all[k].At[0].From <= said.From && (nearest < 0 || all[k].At[0].From > all[nearest].At[0].From) {
				nearest = k
			}
		}
		return nearest == j
	}
	for i := range all {
		for j := range i {
			if behind(i, j) && behind(j, i) {
				f.problem("The steps of %q and of %q have changed places.", cut(f.t.Words(all[j].At[0]), 60), cut(f.t.Words(all[i].At[0]), 60))
			}
		}
	}
}

// deadline takes over how long people have, and the words that say it.
func (f *fill) deadline(s *tree.Step, w *wireDeadline) *tree.Deadline {
	if w == nil {
		return nil
	}
	q, ok := f.find(w.Quote)
	if !ok {
		f.problem("A deadline needs a quote that stands in the description.")
		return nil
	}
	s.At = append(s.At, q)
	d := &tree.Deadline{After: f.duration(w.After, w.Quote), Remind: f.duration(w.Remind, w.Quote), EscalateAfter: f.duration(w.EscalateAfter, w.Quote)}
	if w.EscalateTo != nil {
		d.EscalateTo = f.name(*w.EscalateTo, false)
	}
	switch _, ok := f.find(w.Choice); {
	case w.Choice == "approve" && answerOf(w.Quote) != "approve":
		f.problem("The words %q do not say that silence approves.", cut(w.Quote, 60))
	case ok || w.Choice == "approve" || w.Choice == "reject":
		d.Choice = w.Choice
	}
	return d
}

func (f *fill) fields(all []wireField) (out []tree.Field) {
	for _, w := range all {
		q, ok := f.quote(w.Quote, "quote of a field")
		name := f.resultName(w.Name)
		if !ok || name == "" {
			continue
		}
		field := tree.Field{Name: name, Type: w.Type, Required: true, At: q}
		for _, e := range w.Enum {
			if _, ok := f.quote(e, "value of a field"); ok {
				field.Enum = append(field.Enum, e)
			}
		}
		out = append(out, field)
	}
	return out
}

// resultName is a name for a value in the form that inputs have; "" = it is none.
func (f *fill) resultName(name string) string {
	name = strings.ToLower(strings.Join(strings.Fields(name), "_"))
	if !inputName.MatchString(name) {
		return ""
	}
	return name
}

func (f *fill) nameList(all []wireName, tell bool) (out []tree.Name) {
	for _, w := range all {
		if n := f.name(w, tell); n != nil {
			out = append(out, *n)
		}
	}
	return out
}

// name takes over a name. Who is meant counts only when it was listed and shares a word with the words; else it stays open.
func (f *fill) name(w wireName, tell bool) *tree.Name {
	q, ok := f.find(w.Words)
	if !ok {
		f.problem("The name %q does not stand in the description.", cut(w.Words, 60))
		return nil
	}
	n := &tree.Name{Words: f.t.Words(q), At: q}
	switch {
	case w.Is == "":
	case w.Is == tree.NameRequester || w.Is == tree.NameThread:
		if all := wordsOf(n.Words); tell && (len(all) == 0 || !phrase.Roles[all[len(all)-1]] || starts[all[len(all)-1]]) {
			n.Is = w.Is
		}
	case strings.EqualFold(w.Is, n.Words): // the words name it themselves
		n.Is = n.Words
	case !f.names[w.Is]:
		f.problem("There is nobody called %q: use one of the listed names, or \"\".", cut(w.Is, 60))
	case shareWord(w.Is, n.Words):
		n.Is = w.Is
	}
	return n
}

// starts are roles that the person who starts a run may have; other roles are somebody else.
var starts = english.WordSet("requester requestor applicant author sender employee user person colleague i he she we they")

func shareWord(a, b string) bool {
	words := wordsOf(b)
	return slices.ContainsFunc(wordsOf(a), func(w string) bool { return slices.Contains(words, w) })
}
