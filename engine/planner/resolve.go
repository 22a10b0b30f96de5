package planner

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/jsonschema"
	"sluice/engine/planner/account"
	"sluice/engine/planner/english"
	"sluice/engine/planner/env"
	"sluice/engine/planner/match"
	"sluice/engine/planner/tree"
	"sluice/engine/planner/values"
)

// planning is the state of one call of Plan.
type planning struct {
	inquiry
	checked []tree.Ref                // values that a condition has looked at
	fills   map[string]*match.Filling // by step: its tool and parameters
}

// resolve fills in what is certain and asks what is not.
func (p *planning) resolve() {
	p.asked, p.waiting, p.open, p.checked = nil, nil, nil, nil
	p.fills, p.names, p.out.Open = map[string]*match.Filling{}, map[string]nameUse{}, map[string]bool{}
	p.triggers()
	k := match.InputSources(p.t)
	if slices.ContainsFunc(p.t.Triggers, func(g tree.Trigger) bool { return g.Channel != "" || g.Emoji != "" }) { // a message starts a run
		k = k.With(match.Thing{Ref: tree.Ref{Event: "text"}, Words: "the message", Name: english.NameStems("message"), About: []string{"text"}, Typ: "string"})
	}
	p.steps(p.t.Steps, k)
	if p.t.Deadline != nil {
		p.steps(p.t.Deadline.Steps, k)
	}
}

// steps resolves a list of steps and gives the values known behind it. ends reports whether the run always ends within the list.
func (p *planning) steps(list []tree.Step, k match.Scope) (after match.Scope, ends bool) {
	for i := range list {
		s := &list[i]
		below, stop := p.step(s, k)
		p.steps(s.OnError, k)
		k, ends = below, ends || stop
	}
	return k, ends
}

func (p *planning) step(s *tree.Step, k match.Scope) (match.Scope, bool) {
	p.placeholders(s.Text, k)
	askOfItems(&p.inquiry, s)
	switch s.Kind {
	case tree.Do:
		return p.do(s, k), false
	case tree.Agent:
		p.askAgent(s)
		p.text(s, k, false)
		return k.With(match.FormSource(s, "the answer of "+english.Quote(s.Text), append(english.Stems(english.Scan(s.Result)), resultWords(s)...))), false
	case tree.Ask:
		return p.ask(s, k)
	case tree.Tell:
		p.whoOf(s, &s.To, k, true)
		p.text(s, k, true)
	case tree.Decide:
		return p.decide(s, k)
	case tree.Each:
		p.each(s, k)
	case tree.Parallel:
		return p.parallel(s, k), false
	case tree.Repeat:
		for i := range s.Branches {
			k, _ = p.steps(s.Branches[i].Steps, k)
		}
		if s.Until == nil && s.Max == 0 {
			s.Until = &tree.Cond{Words: "the rounds are over"}
		}
		s.Any = s.Any || s.Until == nil // "do this three times" goes on then
		if s.Until != nil {
			p.cond(s, s.Until, "until", k)
			askTimes(&p.inquiry, s)
			p.askRounds(s)
		}
	case tree.Set:
		return p.set(s, k), false
	case tree.Wait:
		p.wait(s, k)
	case tree.Stop:
		return k, true
	}
	return k, false
}

// resultWords are the words by which later steps mean the answer of a step: those of its name, else the object of its phrase.
func resultWords(s *tree.Step) []string {
	if s.Result != "" {
		return english.NameStems(s.Result)
	}
	all := english.Stems(english.Scan(english.Shorten(s.Text, 200)))
	return all[min(1, len(all)):]
}

// do finds the tool or person that performs a step.
func (p *planning) do(s *tree.Step, k match.Scope) match.Scope {
	words := p.phrase(s)
	var f *match.Filling
	switch e := p.cat.Find(s.Tool); {
	case s.Doer == tree.DoerPerson:
		if len(s.Who) == 1 && s.Who[0].Is == "" && !isName(s.Who[0].Words) && p.spokenName(s.Who[0].Words, false) == "" && p.cat.Does(words) { // “the engineer deploys it”
			p.askDoer(s, words)
		} else {
			p.whoOf(s, &s.Who, k, false)
		}
		p.toOthers(s)
		if trimWords(s.Text) == "" {
			p.askText(s, k)
		}
		p.deadline(s, k)
		k, _ = p.branches(s, k, k, false)
		return k
	case s.Doer == tree.DoerFlow && slices.Contains(p.w.Flows, s.Tool):
		return k
	case s.Doer == tree.DoerOpen:
		f = p.cat.Choose(s, words, k, p.checked)
	case s.Doer == tree.DoerTool && e != nil:
		if f = match.Fill(e, s, words, k, p.checked); p.t.Words(s.Said) != "" && !p.t.Texts[s.Said.Text].Outline {
			f.General()
		}
	}
	if f == nil {
		p.askDoer(s, words)
		return k
	}
	s.Doer, s.Tool, s.Params = tree.DoerTool, f.Entry.Tool.Name, f.Values
	if s.Deadline != nil { // no tool has one: its words are asked about
		s.Deadline, s.At = nil, slices.DeleteFunc(s.At, func(q tree.Quote) bool { return values.HoldsTerm(p.t.Words(q)) })
	}
	p.fills[s.ID] = f
	p.missing(s, f, k)
	return k.With(toolSource(s, f.Entry))
}

// phrase gives the words of a step that name its action: its text without the words of its other quotes.
func (p *planning) phrase(s *tree.Step) []english.Word {
	if p.t.Words(s.Said) == "" {
		return english.Scan(s.Text)
	}
	return slices.DeleteFunc(account.WordsOf(p.t, s.Said), func(w english.Word) bool { return account.StandsIn(w, s.Said.Text, s.At) })
}

// toolSource makes the result of a tool known.
func toolSource(s *tree.Step, e *match.Entry) match.Thing {
	out := match.Thing{Ref: tree.Ref{Step: s.ID}, Words: "the result of " + english.Quote(e.Does()), Fields: e.Fields, Typ: env.TypeOf(e.Tool.Result)}
	out.About = append(slices.Clone(e.Object), e.Name...)
	if len(e.About) > 1 {
		out.About = append(out.About, e.About[1:]...)
	}
	if s.Result != "" {
		out.Name = english.NameStems(s.Result)
		out.Words = "“" + s.Result + "”"
	}
	if e.Tool.Result == nil {
		out.Typ = ""
	}
	return out
}

// ask resolves a question to people, and what follows its choices.
func (p *planning) ask(s *tree.Step, k match.Scope) (match.Scope, bool) {
	if len(s.Choices) == 0 && (s.Free || len(s.Fields) > 0) {
		s.Choices = match.Chosen(p.t, s)
	}
	p.whoOf(s, &s.Who, k, false)
	p.deadline(s, k)
	p.text(s, k, false)
	p.askOnly(s, k)
	p.askDone(s)
	for i := range s.Show {
		p.value(s, "show."+strconv.Itoa(i), &s.Show[i], k)
	}
	called := "the answer to " + english.Quote(s.Text)
	if trimWords(s.Text) == "" && len(s.Who) > 0 {
		called = "the answer of " + cmp.Or(s.Who[0].Is, s.Who[0].Words)
	}
	src := match.FormSource(s, called, resultWords(s))
	switch {
	case len(s.Choices) > 0:
		src.Choices = s.Choices
	case !s.Free && len(s.Fields) == 0:
		src.Choices = flow.DefaultChoices()
	}
	for _, n := range s.Who { // "if bob chose the refund"
		src.Voters = append(src.Voters, english.Stems(english.Scan(strings.TrimPrefix(n.Is, "@")))...)
	}
	k = k.With(src)
	return p.branches(s, k, k, len(s.Branches) > 0 && len(src.Choices) > 0 && len(s.Branches) >= len(src.Choices))
}

// branches resolves branches of which at most one is taken. With all, one of them is always taken.
func (p *planning) branches(s *tree.Step, in, beside match.Scope, all bool) (after match.Scope, ends bool) {
	after, ends = beside, all
	first := all
	for i := range s.Branches {
		below, stop := p.steps(s.Branches[i].Steps, in)
		switch {
		case stop:
		case first:
			after, first, ends = below, false, false
		default:
			after, ends = after.Shared(below), false
		}
	}
	return after, ends
}

// decide resolves conditions and what follows them. While a condition is open, questions below it wait.
func (p *planning) decide(s *tree.Step, k match.Scope) (match.Scope, bool) {
	before, all := p.hidden, false
	for i := range s.Branches {
		b := &s.Branches[i]
		if all = all || b.Else; b.When != nil && !p.cond(s, b.When, "when."+strconv.Itoa(i), k) {
			p.hidden++
		}
	}
	defer func() { p.hidden = before }()
	return p.branches(s, k, k, all)
}

// parallel resolves branches that are all taken.
func (p *planning) parallel(s *tree.Step, k match.Scope) match.Scope {
	after := k
	for i := range s.Branches {
		below, _ := p.steps(s.Branches[i].Steps, k)
		if !s.Any {
			after = after.With(slices.DeleteFunc(slices.Clone(below), func(b match.Thing) bool {
				return slices.ContainsFunc(after, func(a match.Thing) bool { return a.Ref == b.Ref })
			})...)
		}
	}
	return after
}

// each resolves the list that a step iterates over, and the steps for each item.
func (p *planning) each(s *tree.Step, k match.Scope) {
	called := cmp.Or(s.As, "item")
	item := match.Thing{Ref: tree.Ref{Item: s.ID}, Words: "the " + called, Name: english.NameStems(called)}
	item.About = append(slices.Clone(item.Name), english.Stems(english.Scan(s.Over.Words))...)
	lists := func(typ string) bool { return typ == "array" || typ == "" }
	if a := p.t.Step(s.Over.Ref.Step); a != nil && a.Kind == tree.Agent && len(a.Fields) == 0 { // its answer has to be a list
		a.Fields, s.Over.Ref.Field = []tree.Field{{Name: "list", Type: "array", Required: true}}, "list"
		k = k.With(match.FormSource(a, "the answer of "+english.Quote(a.Text), resultWords(a)))
	}
	if c, ok := k.Value(s.Over.Ref); ok && !lists(c.Typ) || p.onlyDone(s.Over.Ref) {
		s.Over.Ref = tree.Ref{}
	}
	if s.Over.Open() {
		all := k.Named(english.Scan(s.Over.Words), lists)
		if len(all) == 0 && len(english.Scan(s.Over.Words)) > 0 && s.As != "" {
			all = k.Named(english.Scan(s.As), lists)
		}
		if found := k.All(isList); match.Pronoun(english.Scan(s.Over.Words)) && len(found) > 0 { // "for each of them"
			all = found[:1]
		}
		if len(all) == 1 {
			s.Over.Ref = all[0].Ref
		} else {
			p.askValue(s, "over", &s.Over, k.All(isList))
		}
	}
	if c, ok := k.Value(s.Over.Ref); ok && c.Schema != nil {
		items := jsonschema.Items(c.Schema)
		item.Fields, item.Typ = env.FieldsOf(items), env.TypeOf(items)
	}
	p.inside++
	for i := range s.Branches {
		p.steps(s.Branches[i].Steps, k.With(item))
	}
	p.inside--
}

// onlyDone reports whether a reference is to a step that people do or that is open: such a step has no result but that it is done.
func (p *planning) onlyDone(ref tree.Ref) bool {
	s := p.t.Step(ref.Step)
	return ref.Step != "" && ref.Field == "" && s != nil && s.Kind == tree.Do && (s.Doer == tree.DoerPerson || s.Doer == tree.DoerOpen)
}

// set gives a value a name.
func (p *planning) set(s *tree.Step, k match.Scope) match.Scope {
	out := match.Thing{Ref: tree.Ref{Step: s.ID}, Words: "“" + s.Result + "”", Name: english.NameStems(s.Result), Set: true}
	p.value(s, "over", &s.Over, k)
	if c, ok := k.Value(s.Over.Ref); ok {
		out.Typ = c.Typ
	}
	return k.With(out)
}

// value finds the value that words mean, or asks for it.
func (p *planning) value(s *tree.Step, what string, v *tree.Value, k match.Scope) {
	if !v.Open() {
		return
	}
	if c, ok := p.mean(*v, k); ok {
		v.Ref = c.Ref
		return
	}
	p.askValue(s, what, v, k.All(match.AnyType))
}

// mean finds the one value that words mean: by its name, or the nearest result for "it".
func (p *planning) mean(v tree.Value, k match.Scope) (match.Candidate, bool) {
	words, called := english.Scan(v.Words), english.NameStems(strings.TrimPrefix(strings.ToLower(v.Words), "the "))
	s := k.Last(func(s match.Thing) bool { return s.Set && len(called) > 0 && slices.Equal(s.Name, called) })
	if s == nil && match.Pronoun(words) {
		s = k.Nearest()
	}
	if s != nil {
		return s.Whole(), true
	}
	all := k.Named(words, match.AnyType)
	if len(all) != 1 || match.Pronoun(words) {
		return match.Candidate{}, false
	}
	return all[0], true
}
