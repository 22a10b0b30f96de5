package model

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/jsonschema"
	"sluice/engine/planner/english"
	"sluice/engine/planner/match"
	"sluice/engine/planner/phrase"
	"sluice/engine/planner/tree"
)

// deepest is how deep steps may stand inside each other.
const deepest = 12

func (f *fill) steps(all []wireStep) (out []tree.Step) {
	if f.depth++; f.depth > deepest {
		f.problem("Steps stand more than %d levels deep: those below are dropped.", deepest)
		all = nil
	}
	defer func() { f.depth-- }()
	for i := range all {
		if all[i].Kind == "keep" {
			if s := f.keep(all[i].Was); s != nil {
				out = append(out, *s)
			}
		} else if s, ok := f.step(&all[i]); ok {
			out = append(out, s)
		}
	}
	return out
}

// step takes over one step. Its words must stand in the description.
func (f *fill) step(w *wireStep) (tree.Step, bool) {
	s := tree.Step{}
	if s.Kind, s.Doer = kindOf(w.Kind); s.Kind == "" {
		f.problem("There is no kind of step %q.", english.Shorten(w.Kind, 20))
		return s, false
	}
	f.wordsAt(&s, w)
	old, ok := f.was(w)
	if !ok {
		return s, false
	}
	if old == nil {
		s.ID = f.t.NewID()
	} else if s.ID = old.ID; old.Kind == tree.Ask {
		s.Choices = old.Choices
	}
	if w.Label != "" {
		f.labels[w.Label] = s.ID
	}
	if s.Kind == tree.Stop {
		f.ends[s.ID] = slices.Clone(s.At)
	}
	f.read[s.ID] = &s
	f.own(&s, w)
	f.below(&s, w)
	if old != nil {
		return f.merged(old, s, w.Gone), true
	}
	f.number(&s)
	return s, true
}

// kindOf gives what an answer calls a step; "" = there is no such kind.
func kindOf(kind string) (tree.Kind, tree.Doer) {
	switch {
	case kind == "open":
		return tree.Do, tree.DoerOpen
	case slices.Contains(kinds[:3], kind): // tool, flow, person
		return tree.Do, tree.Doer(kind)
	case slices.Contains(kinds, kind):
		return tree.Kind(kind), ""
	}
	return "", ""
}

// wordsAt takes over what a step quotes: its text, where "…" leaves words out, and the others.
func (f *fill) wordsAt(s *tree.Step, w *wireStep) {
	pieces := strings.Split(w.Text, "…")
	last := len(pieces) - 1
	s.At = f.quotes(pieces[:last], "text of a step")
	for _, q := range s.At {
		s.Text += f.t.Words(q) + " "
	}
	if q, ok := f.quote(pieces[last], "text of a step"); ok {
		s.Said, s.Text = q, s.Text+f.t.Words(q)
	}
	s.At = append(s.At, f.quotes(w.Also, "text of also")...)
	if all := f.quotes([]string{w.Event}, "event"); len(all) > 0 {
		s.Event, s.At = f.t.Words(all[0]), append(s.At, all[0])
	}
	if s.Said.Empty() && len(s.At) > 0 {
		f.at = s.At[len(s.At)-1]
	}
}

var (
	listMark  = regexp.MustCompile(`(?:^|[\s(])([0-9]{1,3})[.):]\s*$`)
	listStart = regexp.MustCompile(`^\(?([0-9]{1,3})[.):](?:\s|$)`)
)

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
	in := f.t.Texts[first.Text].Words
	if m := listMark.FindStringSubmatchIndex(in[:first.From]); m != nil && english.ListNumber(in, m[2], m[3]) {
		s.No, _ = strconv.Atoi(in[m[2]:m[3]])
		s.At = append(s.At, tree.Quote{Text: first.Text, From: m[2], To: m[3] + 1})
	}
}

// own fills in the fields of a step. Those that its kind does not have are empty.
func (f *fill) own(s *tree.Step, w *wireStep) {
	said := f.wordsOf(s)
	f.does(s, w)
	f.params(s, w.Params)
	s.Result, s.As, s.Free, s.Any = snake(w.Result), snake(w.As), w.Free, w.Any
	s.Who, s.To, s.Deadline, s.Fields = f.nameList(w.Who, false), f.nameList(w.To, true), f.deadline(s, w.Deadline, said), f.fields(w.Fields)
	if s.Quorum = f.count(w.Quorum, quorum, s); s.Quorum == 0 && s.Kind == tree.Ask {
		s.Quorum = f.allOf(s.Who)
	}
	s.Retry, s.Max = f.count(w.Retry, attempts, s), f.count(w.Max, rounds, s)
	s.Pause = f.duration(w.Pause, said)
	if f.t.Input(w.Times) != nil {
		s.Times = w.Times
	}
	s.For, s.Time = f.duration(w.For, said), f.clock(w.Time, said)
	if q, ok := f.found(w.Either, "text of either_way"); ok {
		s.Judges, s.At = true, append(s.At, q)
	}
	if len(w.Choices) > 0 {
		s.Choices = nil
	}
	for _, words := range w.Choices {
		if q, ok := f.found(words, "choice"); ok {
			s.Choices, s.At = append(s.Choices, f.t.Words(q)), append(s.At, q)
		}
	}
	for _, w := range w.Show {
		if v, ok := f.value(w, "value to show"); ok {
			s.Show = append(s.Show, v)
		}
	}
	if w.Over.Words != "" || w.Over.From != "" { // else the draft asks what the list is
		s.Over, _ = f.value(w.Over, "value")
	}
	f.parts(s, w.Values)
}

// does takes over the tool, the flow or the tools of an agent, if they were listed.
func (f *fill) does(s *tree.Step, w *wireStep) {
	listed := func(name string, ok bool) bool {
		if !ok {
			f.problem("There is no tool %q: use one that is listed, or a step of kind open.", english.Shorten(name, 60))
		}
		return ok
	}
	tool := func(name string) bool { return listed(name, f.tools[name].Name != "") }
	switch {
	case s.Doer == tree.DoerTool && tool(w.Tool):
		s.Tool = w.Tool
	case s.Doer == tree.DoerFlow && listed("flow "+w.Flow, f.flows[w.Flow]):
		s.Tool = w.Flow
	case s.Doer != tree.DoerPerson:
		s.Doer = tree.DoerOpen
	}
	for _, name := range w.Tools {
		if tool(name) {
			s.Tools = append(s.Tools, name)
		}
	}
}

// params takes over the parameters of a tool or a flow.
func (f *fill) params(s *tree.Step, all []wireParam) {
	for _, p := range all {
		if _, ok := jsonschema.Properties(f.tools[s.Tool].Params)[p.Name]; !ok && s.Doer == tree.DoerTool {
			f.problem("The tool %s has no parameter %q.", s.Tool, english.Shorten(p.Name, 60))
			continue
		}
		if slices.ContainsFunc(s.Params, func(o tree.Param) bool { return o.Name == p.Name }) {
			f.problem("The parameter %q stands twice. It has one value: a quote, or one value of the run. Else leave it out, so that people are asked.", english.Shorten(p.Name, 60))
			s.Params = slices.DeleteFunc(s.Params, func(o tree.Param) bool { return o.Name == p.Name })
			continue
		}
		if v, ok := f.value(p.Value, "value of "+p.Name); ok && !v.Open() {
			s.Params = append(s.Params, tree.Param{Name: p.Name, Value: v})
			s.At = append(s.At, v.At)
		}
	}
}

// allOf is how many people must answer: all of them where "and" joins their names; 0 = one is enough.
func (f *fill) allOf(who []tree.Name) int {
	if len(who) < 2 {
		return 0
	}
	if words := wordsOf(f.t.Words(tree.Span(tree.Quotes(&who)))); slices.Contains(words, "and") && !slices.Contains(words, "or") {
		return len(who)
	}
	return 0
}

// parts cuts the text of a message into its words and the values that stand for some of them. Values of the same words stand below each other.
func (f *fill) parts(s *tree.Step, all []wireValue) {
	rest := s.Text
	for _, w := range all {
		before, after, ok := strings.Cut(rest, w.Words)
		ref, last := f.ref(w), len(s.Parts)-1
		if last >= 0 && s.Parts[last].Words == w.Words {
			s.Parts = append(s.Parts, tree.Value{Literal: "\n\n"}, tree.Value{Words: w.Words, Ref: ref})
			continue
		}
		if w.Words == "" || !ok {
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

// below takes over the steps below a step, and the condition that ends them.
func (f *fill) below(s *tree.Step, w *wireStep) {
	switch s.Kind {
	case tree.Each, tree.Repeat:
		outer := f.each
		if s.Kind == tree.Each {
			f.each = append(slices.Clip(outer), s.ID)
		}
		if steps := f.steps(w.Steps); len(steps) > 0 || w.Was == "" { // a change that gives none leaves them as they were
			s.Branches = []tree.Branch{{Steps: steps}}
		}
		f.each = outer
		s.Until = f.until(w.Until)
	default:
		s.Branches = f.branches(w.Branches, s)
	}
	if s.OnError = f.steps(w.OnError); len(s.OnError) > 0 && !s.OnError[0].Said.Empty() { // "if they cannot" is said of the step that fails
		s.At, s.OnError[0].At = append(s.At, s.OnError[0].At...), nil
	}
}

// branches takes over branches; those of an ask must follow one of its choices.
func (f *fill) branches(all []wireBranch, s *tree.Step) (out []tree.Branch) {
	for _, w := range all {
		b := tree.Branch{Label: english.Shorten(w.Label, 60), Else: w.Else}
		if b.At = f.quotes([]string{w.Quote}, "quote of a branch"); len(b.At) > 0 {
			f.at = b.At[0]
		}
		if s.Kind == tree.Ask {
			b.Choice = w.Choice
			if i := slices.IndexFunc(s.Choices, func(c string) bool { return strings.EqualFold(c, w.Choice) }); i >= 0 {
				b.Choice = s.Choices[i] // which may be quoted where it begins a sentence
			}
		}
		switch {
		case s.Kind == tree.Ask && !slices.Contains(append([]string{"approve", "reject", "timeout"}, s.Choices...), b.Choice):
			f.problem("The branch %q follows no choice of its question.", english.Shorten(w.Choice, 60))
			continue
		case s.Kind == tree.Ask && !answers(w.Quote, w.Choice):
			f.problem("The words %q do not say the choice %q.", english.Shorten(w.Quote, 60), w.Choice)
			continue
		case s.Kind == tree.Ask && (s.Free || len(s.Fields) > 0) && len(s.Choices) == 0 && w.Choice != "timeout" && w.Choice != "reject" && answerOf(w.Quote) == "":
			f.problem("A form has no choices: what follows the answer stands behind it, and not in the branch %q.", english.Shorten(w.Quote, 60))
			continue
		case s.Kind == tree.Decide:
			if b.When = f.cond(w.When); b.When == nil && !w.Else {
				f.problem("A branch of a decision has no condition.")
				continue
			}
		}
		b.Steps = f.steps(w.Steps)
		out = append(out, b)
	}
	return out
}

// deadline takes over how long people have, and the words that say it. When they are reminded may stand in other words of the step.
func (f *fill) deadline(s *tree.Step, w *wireDeadline, said string) *tree.Deadline {
	if w == nil {
		return nil
	}
	q, ok := f.need(w.Quote, "quote of a deadline")
	if !ok {
		return nil
	}
	s.At = append(s.At, q)
	said = w.Quote + ". " + said
	d := &tree.Deadline{After: f.limit(w.After, w.Quote), Remind: f.duration(w.Remind, said), EscalateAfter: f.duration(w.EscalateAfter, said)}
	d.RemindOnce = d.Remind != "" && phrase.Once(w.Quote)
	if w.EscalateTo != nil {
		d.EscalateTo = f.name(*w.EscalateTo, false)
	}
	switch _, ok := f.find(w.Choice); {
	case w.Choice == "approve" && answerOf(w.Quote) != "approve" && !goesOnAnyway(said):
		f.problem("The words %q do not say that silence approves: choice is \"\", and what is done without an answer stands in a branch timeout.", english.Shorten(w.Quote, 60))
	case ok || w.Choice == "approve" || w.Choice == "reject":
		d.Choice = w.Choice
	}
	return d
}

func (f *fill) fields(all []wireField) (out []tree.Field) {
	for _, w := range all {
		q, ok := f.quote(w.Quote, "quote of a field")
		if name := snake(w.Name); ok && name != "" {
			out = append(out, tree.Field{Name: name, Type: w.Type, Required: true, At: q, Enum: f.texts(w.Enum, "value of a field")})
		}
	}
	return out
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
	if tell && w.Words == "" && w.Is == tree.NameThread { // where nobody is named, it is the thread anyway
		return nil
	}
	q, ok := f.need(w.Words, "name")
	if !ok {
		return nil
	}
	n := &tree.Name{Words: f.t.Words(q), At: q}
	for _, of := range []string{"'s", "’s"} { // "that is @ana's"
		if strings.HasPrefix(f.t.Texts[q.Text].Words[q.To:], of) {
			n.At.To += len(of)
		}
	}
	switch {
	case w.Is == "":
	case w.Is == tree.NameRequester || w.Is == tree.NameThread:
		if all := wordsOf(n.Words); tell && (len(all) == 0 || !phrase.Roles[all[len(all)-1]] || starts[all[len(all)-1]]) {
			n.Is = w.Is
		}
	case strings.EqualFold(w.Is, n.Words): // the words name it themselves
		n.Is = n.Words
	case !f.names[w.Is]:
		f.problem("There is nobody called %q: use one of the listed names, or \"\".", english.Shorten(w.Is, 60))
	case match.Shares(wordsOf(w.Is), wordsOf(n.Words)):
		n.Is = w.Is
	}
	return n
}

// starts are roles that the person who starts a run may have; other roles are somebody else.
var starts = english.WordSet("requester requestor applicant author sender employee user person colleague i he she we they")
