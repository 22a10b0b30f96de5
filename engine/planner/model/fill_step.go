package model

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/jsonschema"
	"sluice/engine/planner/english"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/outline"
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
			continue
		}
		if s, ok := f.step(&all[i]); ok {
			behind := anyAnswer(&s)
			out = append(append(out, s), behind...)
		}
	}
	return out
}

// anyAnswer takes what follows "approve" off a form, which has no choices, when nothing follows another one: it stands behind the form.
func anyAnswer(s *tree.Step) (behind []tree.Step) {
	approves := func(b tree.Branch) bool { return b.Choice == "approve" }
	if s.Kind != tree.Ask || s.Choices != nil || !s.Free && len(s.Fields) == 0 || slices.ContainsFunc(s.Branches, func(b tree.Branch) bool { return !approves(b) && b.Choice != idiom.Timeout }) {
		return nil
	}
	s.Branches = slices.DeleteFunc(s.Branches, func(b tree.Branch) bool {
		if approves(b) {
			s.At, behind = append(s.At, b.At...), append(behind, b.Steps...)
		}
		return approves(b)
	})
	return behind
}

// spoken are the kinds of steps that need words of their own.
var spoken = []string{"tool", "flow", "person", "open", "agent", "ask", "tell", "wait", "set", "stop"}

// step takes over one step. Its words must stand in the description.
func (f *fill) step(w *wireStep) (tree.Step, bool) {
	s := tree.Step{}
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
	if w.Kind == "tell" && last == 0 {
		f.told(&s, w.To)
	}
	if w.Kind == "ask" && last == 0 && len(w.Choices) == 0 {
		f.asked(&s, w.Who)
	}
	if s.Said.Empty() && len(s.At) > 0 {
		f.at = s.At[len(s.At)-1]
	}
	old, ok := f.was(w)
	if !ok {
		return s, false
	}
	if old == nil && s.Said.Empty() && len(s.At) == 0 && slices.Contains(spoken, w.Kind) && (w.Kind != "set" || w.Over == (wireValue{})) { // the words of a value are its own
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
	if s.Kind, s.Doer = kindOf(w.Kind); s.Kind == "" {
		f.problem("There is no kind of step %q.", cut(w.Kind, 20))
		return s, false
	}
	f.own(&s, w)
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
	in := f.t.Texts[first.Text].Words
	if m := listMark.FindStringSubmatchIndex(in[:first.From]); m != nil && english.ListNumber(in, m[2], m[3]) {
		s.No, _ = strconv.Atoi(in[m[2]:m[3]])
		s.At = append(s.At, tree.Quote{Text: first.Text, From: m[2], To: m[3] + 1})
	}
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

// own fills in the fields of a step. Those that its kind does not have are empty.
func (f *fill) own(s *tree.Step, w *wireStep) {
	said := f.wordsOf(s)
	if s.Tool = w.Tool + w.Flow; s.Doer == tree.DoerTool && !f.known(w.Tool) || s.Doer == tree.DoerFlow && !f.known("flow "+w.Flow) {
		s.Doer, s.Tool = tree.DoerOpen, ""
	}
	f.params(s, w.Params)
	s.Tools = slices.DeleteFunc(w.Tools, func(name string) bool { return !f.known(name) })
	s.Result, s.As, s.Free, s.Any = snake(w.Result), snake(w.As), w.Free, w.Any
	s.Who, s.To, s.Deadline, s.Fields = f.nameList(w.Who, false), f.nameList(w.To, true), f.deadline(s, w.Deadline, said), f.fields(w.Fields)
	if s.Quorum = f.count(w.Quorum, "quorum", s); s.Quorum == 0 && s.Kind == tree.Ask {
		s.Quorum = allOf(f.t, s.Who)
	}
	s.Retry, s.Max = f.count(w.Retry, attempts, s), f.count(w.Max, inAll, s)
	if f.t.Input(w.Times) != nil {
		s.Times = w.Times
	}
	s.For, s.Time = f.duration(w.For, said), f.moment(w.Time, said)
	if q, ok := f.find(w.Event); ok {
		s.Event = f.t.Words(q)
	}
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
	for _, w := range append(w.Show, w.Over) {
		if w.Words == "" && w.From == "" { // the draft asks what the list is
			continue
		}
		switch v, ok := f.value(w, "value"); {
		case ok && s.Kind == tree.Ask:
			s.Show = append(s.Show, v)
		case ok:
			s.Over = v
		}
	}
	f.below(s, w)
	f.parts(s, w.Values)
}

// below takes over the steps below a step, and the condition that ends them.
func (f *fill) below(s *tree.Step, w *wireStep) {
	f.asks[s.ID] = s
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
		rounds(s)
	default:
		s.Branches = f.branches(w.Branches, s)
	}
	if s.OnError = f.steps(w.OnError); len(s.OnError) > 0 && !s.OnError[0].Said.Empty() { // "if they cannot" is said of the step that fails
		s.At, s.OnError[0].At = append(s.At, s.OnError[0].At...), nil
	}
}

// texts takes over texts that stand in the description. Some models fill in every field.
func (f *finder) texts(all []string, what string) (out []string) {
	for _, words := range all {
		if q, ok := f.found(words, what); ok {
			out = append(out, f.t.Words(q))
		}
	}
	return out
}

// wordsOf is all that a step quotes.
func (f *finder) wordsOf(s *tree.Step) string {
	out := []string{s.Text}
	for _, q := range s.At {
		out = append(out, f.t.Words(q))
	}
	return strings.Join(out, " ")
}

// known reports whether a tool, or a "flow NAME", was listed.
func (f *fill) known(name string) bool {
	_, ok := f.tools[name]
	if flow, is := strings.CutPrefix(name, "flow "); is {
		ok = f.flows[flow]
	}
	if !ok {
		f.problem("There is no tool %q: use one that is listed, or a step of kind open.", cut(name, 60))
	}
	return ok
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

// rounds has a refusal begin the next round where the answer ends them: "until @finance approves".
func rounds(s *tree.Step) {
	if s.Until == nil || len(s.Branches) == 0 {
		return
	}
	for i := range s.Branches[0].Steps {
		ask := &s.Branches[0].Steps[i]
		if said := answerOf(s.Until.Words); ask.Kind == tree.Ask && len(ask.Choices) == 0 && s.Until.Op == "" && said != "" {
			s.Until.Op, s.Until.Left, s.Until.Right = "==", tree.Value{Ref: tree.Ref{Step: ask.ID}}, tree.Value{Literal: said}
		}
	}
	judged(s, s.Until.All())
}

// judged has the run go on after a refusal that conditions read which do not stand directly behind its question.
func judged(s *tree.Step, conds []*tree.Cond) {
	below := tree.Tree{Steps: []tree.Step{*s}}
	for ask := range below.Walk {
		ask.Judges = ask.Judges || ask.Kind == tree.Ask && ask.ID != s.ID && slices.ContainsFunc(conds, func(c *tree.Cond) bool { return c.Left.Ref.Step == ask.ID })
	}
}

func (f *fill) params(s *tree.Step, all []wireParam) {
	for _, p := range all {
		if _, ok := jsonschema.Properties(f.tools[s.Tool].Params)[p.Name]; !ok && s.Doer == tree.DoerTool {
			f.problem("The tool %s has no parameter %q.", s.Tool, cut(p.Name, 60))
			continue
		}
		if i := slices.IndexFunc(all, func(o wireParam) bool { return o.Name == p.Name }); all[i] != p {
			f.problem("The parameter %q stands twice. It has one value: a quote, or one value of the run. Else leave it out, so that people are asked.", cut(p.Name, 60))
			s.Params = slices.DeleteFunc(s.Params, func(o tree.Param) bool { return o.Name == p.Name })
			continue
		}
		if v, ok := f.value(p.Value, "value of "+p.Name); ok && !v.Open() {
			s.Params = append(s.Params, tree.Param{Name: p.Name, Value: v})
			s.At = append(s.At, v.At)
		}
	}
}

// allOf is how many people must answer when their names are joined so that all of them must; 0 = one is enough.
func allOf(t *tree.Tree, who []tree.Name) int {
	if len(who) < 2 {
		return 0
	}
	q := who[0].At
	for _, n := range who {
		q.From, q.To = min(q.From, n.At.From), max(q.To, n.At.To)
	}
	if names, quorum, ok := outline.Who(t, q); ok && len(names) == len(who) {
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

// swapped finds two branches each of whose first steps stands behind the words of the other, and of no other branch.
func (f *finder) swapped(all []tree.Branch) {
	behind := func(i int) int {
		nearest, from := i, -1
		for k, b := range all {
			if len(all[i].Steps) > 0 && len(b.At) > 0 && b.At[0].Text == all[i].Steps[0].Said.Text && b.At[0].From <= all[i].Steps[0].Said.From && b.At[0].From > from {
				nearest, from = k, b.At[0].From
			}
		}
		return nearest
	}
	for i := range all {
		if j := behind(i); j < i && behind(j) == i {
			f.problem("The steps of %q and of %q have changed places.", cut(f.t.Words(all[j].At[0]), 60), cut(f.t.Words(all[i].At[0]), 60))
		}
	}
}

// consent is said of silence.
var consent = regexp.MustCompile(`(?i)\b(?:is|means|as) consent\b`)

// deadline takes over how long people have, and the words that say it. When they are reminded may stand in other words of the step.
func (f *fill) deadline(s *tree.Step, w *wireDeadline, said string) *tree.Deadline {
	if w == nil {
		return nil
	}
	q, ok := f.find(w.Quote)
	if !ok {
		f.problem("A deadline needs a quote that stands in the description.")
		return nil
	}
	s.At = append(s.At, q)
	d := &tree.Deadline{After: f.duration(w.After, w.Quote), Remind: f.duration(w.Remind, w.Quote+" "+said), EscalateAfter: f.duration(w.EscalateAfter, w.Quote+" "+said)}
	if rest := f.t.Texts[q.Text].Words[q.To:max(q.To, s.Said.To)]; q.Text == s.Said.Text && q.From > s.Said.From && q.To <= s.Said.To && (rest == "" || d.Remind != "" && f.says(rest, d.Remind)) {
		f.besides(s, tree.Quote{Text: q.Text, From: q.From, To: s.Said.To})
		s.Said.To = q.From
		s.Text = strings.TrimSpace(f.t.Words(s.Said))
	}
	d.RemindOnce = d.Remind != "" && phrase.Once(w.Quote)
	if w.EscalateTo != nil {
		d.EscalateTo = f.name(*w.EscalateTo, false)
	}
	switch _, ok := f.find(w.Choice); {
	case w.Choice == "approve" && answerOf(w.Quote) != "approve" && !consent.MatchString(w.Quote):
		f.problem("The words %q do not say that silence approves.", cut(w.Quote, 60))
	case ok || w.Choice == "approve" || w.Choice == "reject":
		d.Choice = w.Choice
	}
	return d
}

func (f *fill) fields(all []wireField) (out []tree.Field) {
	for _, w := range all {
		q, ok := f.quote(w.Quote, "quote of a field")
		name := snake(w.Name)
		if !ok || name == "" {
			continue
		}
		out = append(out, tree.Field{Name: name, Type: w.Type, Required: true, At: q, Enum: f.texts(w.Enum, "value of a field")})
	}
	return out
}

// snake is a name for a value in the form that inputs have; "" = it is none.
func snake(name string) string {
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

// name takes over a name. Who is meant counts only when it was listed and shares a word with the words, or when these point at a name before
// them; else it stays open.
func (f *fill) name(w wireName, tell bool) *tree.Name {
	q, ok := f.find(w.Words)
	if tell && w.Words == "" && w.Is == tree.NameThread { // where nobody is named, it is the thread anyway
		return nil
	}
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
	case shareWord(w.Is, n.Words), f.pointsAt(w.Is, n.At):
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
