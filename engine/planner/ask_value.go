package planner

import (
	"cmp"
	"slices"

	"sluice/engine/planner/english"
	"sluice/engine/planner/env"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/match"
	"sluice/engine/planner/tree"
)

// starter offers that the person who starts a run gives a value, where people start all runs.
func (p *inquiry) starter(q *asking, give func(s *tree.Step)) {
	if p.byPeople() {
		q.button(optInput, "The person who starts it gives it", give)
	}
}

// giver offers that somebody gives a value at this place of the run, where nobody who starts it could.
func (p *inquiry) giver(q *asking, name, typ string, give func(s *tree.Step, r tree.Ref)) {
	if p.byPeople() && p.inside == 0 {
		return
	}
	q.option(Option{ID: "giver", Label: "A person gives it then...", Needs: "name", Values: p.near("", isName)}, func(s *tree.Step, who string) {
		field := tree.Field{Name: idiom.InputName(name), Type: typ, Required: true}
		form(p.t, s, who, field, func(ask string) { give(s, tree.Ref{Step: ask, Field: field.Name}) })
	})
}

// form asks somebody for a value in front of a step. A question that asks them for others gets a field more. use is given the id of the question
// before the step moves.
func form(t *tree.Tree, s *tree.Step, who string, field tree.Field, use func(ask string)) {
	if b := t.Before(s); b != nil && b.Kind == tree.Ask && b.Text == "" && len(b.Fields) > 0 && len(b.Who) == 1 && b.Who[0].Is == who {
		b.Fields = append(b.Fields, field)
		use(b.ID)
		return
	}
	ask := tree.Step{ID: t.NewID(), Kind: tree.Ask, Who: []tree.Name{{Words: who, Is: who}}, Fields: []tree.Field{field}}
	use(ask.ID)
	t.InsertFor(s, ask)
}

func isList(typ string) bool { return typ == "array" }

// askValue asks for the value of the run that words mean.
func (p *inquiry) askValue(s *tree.Step, what string, v *tree.Value, offered []match.Candidate) {
	q := question(s, "value", what, "Which value is %s?", english.Quote(cmp.Or(v.Words, s.Text)))
	q.Quote = v.Words
	if !v.At.Empty() {
		q.at = v.At
	}
	use := func(_ *tree.Step, r tree.Ref) { v.Ref = r }
	typ, fits := "", match.AnyType
	if s.Kind == tree.Each {
		typ, fits = "array", isList
	}
	q.value(offered, use)
	p.lookUps(q, named(v.Words, fits), use)
	if s.Kind == tree.Tell {
		q.button(optWords, "Send these words as they are", func(*tree.Step) { v.Literal = v.Words })
	}
	if s.Kind != tree.Set { // its value is fixed
		p.starter(q, func(*tree.Step) { v.Ref = p.newInput(v.Words, typ, v.Words) })
		p.giver(q, v.Words, typ, use)
	}
	p.leavable(q, s)
	p.add(q)
}

// askOfItems asks which value is meant when a step uses what is made for each item of a list, and is not done for the item itself.
func askOfItems(p *inquiry, s *tree.Step) {
	for each := range p.t.Walk {
		inside := tree.Tree{Steps: []tree.Step{*each}}
		if each.Kind != tree.Each || inside.Step(s.ID) != nil {
			continue
		}
		for _, ref := range s.Uses() {
			made := inside.Step(ref.Step)
			if made == nil || made.ID == each.ID {
				continue
			}
			q := question(s, "items", "items."+made.ID, "%s is done for each %s. Which result does %s use?", english.Quote(english.Shorten(cmp.Or(made.Text, made.Result), 60)), cmp.Or(english.PlainName(each.As), "item"), english.Quote(english.Shorten(cmp.Or(s.Text, s.Result), 60)))
			q.button(optAll+".items", "A list of the results for each of them", func(s *tree.Step) {
				for _, ref := range s.Uses() {
					if ref.Step == made.ID {
						*ref = tree.Ref{Step: each.ID}
					}
				}
			})
			p.leavable(q, s)
			p.add(q)
		}
	}
}

// missing handles parameters without a value. They become inputs when a person starts the run by hand, else the draft asks for them.
func (p *inquiry) missing(s *tree.Step, f *match.Filling, k match.Scope) {
	rest := f.Unexplained()
	for _, prm := range f.Entry.Params {
		if f.Has(prm.Name) || !prm.Required && !f.Wanted[prm.Name] {
			continue
		}
		words := ""
		if len(rest) == 1 && env.PlainText(prm) && !prm.Key() && !prm.Person() {
			r := f.Spoken(rest[0])
			words = f.Span(r[0], r[1])
		}
		switch {
		case words == "" && slices.ContainsFunc(p.t.Triggers, tree.Trigger.Open): // the answer tells whether people start runs
			p.out.Open[s.ID] = true
		case words == "" && p.byPeople() && p.inside == 0 && !k.Items(prm) && !k.Akin(prm):
			s.Params = append(s.Params, tree.Param{Name: prm.Name, Value: tree.Value{Ref: p.input(s, prm)}})
			f.Passed = true
		default:
			p.askParam(s, prm, words, rest, f, k)
		}
	}
	f.Values = s.Params
}

// askParam asks for the value of a parameter. rest are the words of the step that nothing else explains; words are theirs where they may be it.
func (p *inquiry) askParam(s *tree.Step, prm env.Param, words string, rest [][2]int, f *match.Filling, k match.Scope) {
	q := question(s, "param", "param."+prm.Name, "What is %s in %s?", english.Quote(english.PlainName(prm.Name)), english.Quote(s.Text))
	q.Quote = words
	set := func(s *tree.Step, v tree.Value) { s.Params = tree.SetParam(s.Params, prm.Name, v) }
	if words != "" {
		v := tree.Value{Words: words, Literal: words, At: f.Quote(rest[0][0], rest[0][1])}
		q.button(optWords, "“"+words+"”", func(s *tree.Step) { set(s, v) })
		for _, r := range rest {
			if q.at = f.Quote(r[0], r[1]); !q.at.Empty() {
				p.open = append(p.open, q.at)
			}
		}
	}
	q.value(k.All(func(typ string) bool { return match.Compatible(typ, prm.Typ) }), func(s *tree.Step, r tree.Ref) { set(s, tree.Value{Ref: r}) })
	p.starter(q, func(s *tree.Step) { set(s, tree.Value{Ref: p.input(s, prm)}) })
	p.giver(q, prm.Name, prm.Typ, func(s *tree.Step, r tree.Ref) { set(s, tree.Value{Ref: r}) })
	q.button(optLeave, "Leave this step out"+with(p.t, below(s)), p.leaveStep)
	for _, r := range rest { // "the topic" is rather a value than a text
		if p.byPeople() && slices.ContainsFunc(f.Words[r[0]:r[1]], func(w english.Word) bool { return w.Low == "the" }) {
			q.Default = optInput
		}
	}
	if prm.Typ != "object" && prm.Typ != "array" {
		q.typed = func(s *tree.Step, text string) error {
			v, err := typed(prm, text)
			set(s, tree.Value{Literal: v, Words: text})
			return err
		}
	}
	p.add(q)
}

// input declares an input for a parameter, or finds the one of the same name and type.
func (p *inquiry) input(s *tree.Step, prm env.Param) tree.Ref {
	in := tree.Input{Name: idiom.InputName(prm.Name), Type: prm.Typ, About: prm.Description}
	for _, e := range prm.Enum {
		if text, ok := e.(string); ok {
			in.Enum = append(in.Enum, text)
		}
	}
	name, added := p.t.Declare(in)
	if added {
		p.note(s.ID, "input", "Each run is asked for %s, which %s needs.", english.Quote(english.PlainName(name)), english.Quote(s.Text))
	}
	return tree.Ref{Input: name}
}

// askInputs asks for the inputs that a run needs and that a schedule does not give.
func (p *inquiry) askInputs() {
	if !slices.ContainsFunc(p.t.Triggers, func(g tree.Trigger) bool { return g.Cron != "" }) {
		return
	}
	for i := range p.t.Inputs {
		in := &p.t.Inputs[i]
		if in.Optional || in.Default != nil {
			continue
		}
		q := &asking{Question: Question{ID: "input." + in.Name, Kind: "param"}, at: first(in.At)}
		q.Text = "Nobody is there to give it when the schedule starts this: what should “" + english.PlainName(in.Name) + "” be?"
		prm := env.Param{Name: in.Name, Typ: cmp.Or(in.Type, "string")}
		o := Option{ID: optValue, Label: "A value...", Needs: "value"}
		for _, e := range in.Enum {
			prm.Enum = append(prm.Enum, e)
			o.Values = append(o.Values, Choice{Value: e, Label: e})
		}
		q.typed = func(_ *tree.Step, text string) (err error) {
			in.Default, err = typed(prm, text)
			return err
		}
		if len(in.Enum) > 0 {
			q.option(o, func(_ *tree.Step, value string) { in.Default = value })
		}
		q.button(optLeave, "It may be missing", func(*tree.Step) { in.Optional = true })
		q.Default = "" // none is likelier than another
		p.add(q)
	}
}
