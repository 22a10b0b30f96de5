package lower

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/planner/english"
	"sluice/engine/planner/idiom"
	"sluice/engine/planner/tree"
)

// answer is what follows some of the choices of a question.
type answer struct {
	choices []string
	steps   []tree.Step
}

// answersOf lists what the branches of a step say about its choices.
func answersOf(s *tree.Step) []answer {
	var out []answer
	for _, branch := range s.Branches {
		out = append(out, answer{[]string{branch.Choice}, branch.Steps})
	}
	return out
}

// answersIn gives the branches of a step behind a question as what follows the choices; false = it is no decision about nothing but the
// answer. A choice belongs to the first branch that has it.
func (b *conditions) answersIn(next, ask *tree.Step) (out []answer, only bool) {
	if !b.asks(ask) || len(ask.Branches) > 0 || next.Kind != tree.Decide || len(next.OnError) > 0 {
		return nil, false
	}
	for i, branch := range next.Branches {
		a := answer{steps: branch.Steps}
		switch c := branch.When; {
		case branch.Else && i == len(next.Branches)-1:
			a.choices = b.choicesOf(ask)
		case branch.Else || c == nil || b.asked(c.Left) != ask:
			return nil, false
		case c.Op == tree.OpTrue:
			a.choices = b.choicesOf(ask)[:1]
		case c.Op == "==" && c.Right.Literal != nil:
			word, _ := c.Right.Literal.(string)
			a.choices = []string{b.choiceOf(ask, word)}
		default:
			return nil, false
		}
		out = append(out, a)
	}
	return out, len(out) > 0
}

// groups lists the people who are asked, one list for each gate. Where each of several must agree, people share a gate, and groups have a
// gate of their own: one group could outvote another.
func (b *values) groups(s *tree.Step) [][]string {
	if !b.asks(s) && b.becomes(s) != flow.KindAsk {
		return nil
	}
	var who []string
	for _, n := range s.Who {
		name := strings.Join(strings.Fields(n.Is), "-")
		if strings.TrimPrefix(name, "@") == "" || name == tree.NameRequester || name == tree.NameThread {
			continue
		}
		if !slices.Contains(who, name) {
			who = append(who, name)
		}
	}
	if len(who) < 2 || s.Quorum < len(who) || b.becomes(s) == flow.KindAsk || !slices.ContainsFunc(who, func(name string) bool { return !b.person(name) }) {
		return [][]string{who}
	}
	var out [][]string
	for _, name := range who {
		out = append(out, []string{name})
	}
	return out
}

// person reports whether a name is that of one person.
func (b *values) person(name string) bool { return b.w.Kind != nil && b.w.Kind(name) == "user" }

// who sorts names into groups and people.
func (b *values) who(names []string, quorum int) *flow.Who {
	if len(names) == 0 {
		return nil
	}
	who := &flow.Who{Quorum: min(max(quorum, 1), 100)}
	for _, name := range names {
		if b.person(name) {
			who.Users = append(who.Users, name)
		} else {
			who.Groups = append(who.Groups, name)
		}
	}
	if len(who.Groups) == 0 {
		who.Quorum = min(who.Quorum, len(who.Users))
	}
	return who
}

// ask adds the gates of a question. Behind one with choices the first choice goes on. Another choice runs its branch and goes on behind it,
// unless it is a refusal. A choice without a branch tells the requester and ends the run. Behind a question that judges a condition every
// choice goes on, and behind one that is answered in words or with a form every answer.
func (b *lowering) ask(s *tree.Step, answers []answer, in exits, k known, c context) (exits, known) {
	for _, n := range s.Who {
		if n.Is == tree.NameRequester || n.Is == "" && !n.Open() {
			b.note("cannot", fmt.Sprintf("Who answers a question has to be named in the flow; %s is somebody else in every run.", english.Quoted(cmp.Or(n.Words, n.Is))))
		}
	}
	groups, sides, quorum := b.groups(s), b.sides(s, answers), s.Quorum
	if len(groups) > 1 {
		quorum = 1
	}
	outs := make([]exits, len(sides))
	for i, names := range groups {
		node := b.question(s, names, quorum, k, c)
		b.needed(s, node, sides)
		b.refusals(b.gates[s.ID][i], node, sides)
		own := b.gate(b.gates[s.ID][i], node, sides, in)
		in = own[0]
		for j := 1; j < len(own); j++ {
			outs[j] = append(outs[j], own[j]...)
		}
	}
	outs[0] = in
	root := b.choice(s.ID)
	if b.text(s) {
		root = b.ids[s.ID] + ".output"
	}
	src := source{step: s.ID, root: root, name: s.Result, fields: fieldNames(s.Fields)}
	form := map[string]any{}
	for _, name := range src.fields {
		form[name] = "{{" + dotted(src.root, name) + "}}"
	}
	if b.remade(s) {
		src.root, _ = b.result(s.ID, "")
	}
	k = k.with(src)
	var on exits
	for i, side := range sides {
		on = append(on, b.side(s, side, outs[i], k, c)...)
	}
	return b.keep(s, form, on, k)
}

// needed has a field that nothing but what follows some of the choices reads be filled in for these choices alone: the reason of a refusal.
func (b *lowering) needed(s *tree.Step, gate flow.Node, sides []side) {
	spec, ok := gate.Spec.(*flow.ApprovalSpec)
	if !ok {
		return
	}
	for name, field := range spec.Form {
		reads := func(part any) (n int) {
			for _, ref := range tree.Refs(part) {
				if ref.Step == s.ID && fieldName(ref.Field) == name {
					n++
				}
			}
			return n
		}
		var by []string
		within := 0
		for _, sd := range sides {
			if n := reads(&sd.steps); n > 0 {
				by, within = append(by, sd.choices...), within+n
			}
		}
		if field.Required && within > 0 && within == reads(b.t) && len(by) < len(spec.Choices) {
			field.Required, field.RequiredFor = false, by
			spec.Form[name] = field
		}
	}
}

// refusals lets a refusal be an answer like any other where the words say what is done then: the run does not end as rejected.
func (b *values) refusals(id string, gate flow.Node, sides []side) {
	spec, ok := gate.Spec.(*flow.ApprovalSpec)
	if !ok {
		return
	}
	var said []answer
	for _, sd := range sides {
		said = append(said, sd.answer)
	}
	acts := acting(said)
	if b.acts[id] = acts; len(acts) > 0 && spec.Refuses == nil {
		spec.Refuses = slices.DeleteFunc(slices.Clone(spec.Choices), func(c string) bool { return !idiom.Refuses(c) || slices.Contains(acts, c) })
	}
}

// acting lists the refusals behind which more is done than to tell people.
func acting(answers []answer) (out []string) {
	for _, a := range answers {
		does := false
		for i := range a.steps {
			for s := range a.steps[i].Walk {
				does = does || s.Kind == tree.Do || s.Kind == tree.Agent || s.Kind == tree.Ask
			}
		}
		for _, c := range a.choices {
			if does && idiom.Refuses(c) {
				out = append(out, c)
			}
		}
	}
	slices.Sort(out)
	return out
}

// side is what follows some choices of a gate.
type side struct {
	answer
	first   bool // the choice that goes on is among them
	silence bool // and so is the answer that never came
	given   bool // the words say what follows
	goesOn  bool // behind that, the next step comes
}

// sorting groups the choices of a gate by what follows them.
type sorting struct {
	*conditions
	s             *tree.Step
	choices, left []string
	silent        string // the choice that is taken when nobody answers in time; "" = there is no deadline
	sides         []side
}

// freeSides are what follows any answer, and what follows when nobody answers in time: the only answer that something of its own follows.
func (b *conditions) freeSides(s *tree.Step, answers []answer) []side {
	all, silence := side{first: true, goesOn: true}, side{silence: true, goesOn: s.Judges || b.t.Ends(s)}
	if len(answers) > 0 {
		silence.steps, silence.given = answers[0].steps, true
	}
	if !expires(s.Deadline) {
		return []side{all}
	}
	if silence.given && len(silence.steps) == 0 { // nothing is done about it
		all.silence = true
		return []side{all}
	}
	return []side{all, silence}
}

func isTimeout(choice string) bool { return strings.EqualFold(choice, flow.ChoiceTimeout) }

// sides groups the choices of a gate by what follows them; the first group is that of the first choice.
func (b *conditions) sides(s *tree.Step, answers []answer) []side {
	if b.becomes(s) == flow.KindAsk {
		return b.freeSides(s, answers)
	}
	choices := b.choicesOf(s)
	by := sorting{conditions: b, s: s, choices: choices, left: slices.Clone(choices)}
	if expires(s.Deadline) {
		by.silent = flow.ChoiceTimeout
		if s.Deadline.Choice != "" {
			by.silent = b.choiceOf(s, s.Deadline.Choice)
		}
	}
	for _, a := range answers {
		by.take(a, true)
	}
	by.take(answer{choices: choices[:1]}, false)
	var refusals, rest []string
	for _, c := range by.left {
		if !s.Judges && (idiom.Refuses(c) || !b.read[s.ID]) {
			refusals = append(refusals, c)
		} else {
			rest = append(rest, c)
		}
	}
	by.take(answer{choices: rest}, false)
	by.take(answer{choices: refusals}, false)
	if by.silent != "" && !slices.ContainsFunc(by.sides, func(s side) bool { return s.silence }) {
		by.sides = append(by.sides, side{silence: true})
	}
	return by.sides
}

// take makes a side of those choices of an answer that no side has yet. given says that the words say what follows.
func (by *sorting) take(a answer, given bool) {
	sd := side{answer: answer{steps: a.steps}, given: given}
	for _, c := range a.choices {
		if isTimeout(c) {
			sd.silence = sd.silence || by.silent == flow.ChoiceTimeout
			continue
		}
		c = by.choiceOf(by.s, c)
		if i := slices.Index(by.left, c); i >= 0 {
			by.left = slices.Delete(by.left, i, i+1)
			sd.choices = append(sd.choices, c)
		}
	}
	sd.first = slices.Contains(sd.choices, by.choices[0])
	sd.silence = sd.silence || by.silent != "" && slices.Contains(sd.choices, by.silent)
	at := len(by.sides)
	switch {
	case sd.first:
		sd.goesOn, at = true, 0
	case len(sd.choices) > 0:
		sd.goesOn = by.s.Judges || !slices.ContainsFunc(sd.choices, idiom.Refuses) && (given || by.read[by.s.ID])
	case sd.silence: // nothing is done about it, what the run gives is all that follows, somebody else is asked instead, or a task that is late holds nothing up
		sd.goesOn = len(sd.steps) == 0 || given && by.t.Ends(by.s) || by.s.Kind == tree.Do && by.s.Judges || slices.ContainsFunc(sd.steps, func(s tree.Step) bool { return by.asks(&s) })
	default:
		return
	}
	by.sides = slices.Insert(by.sides, at, sd)
}

// side adds what follows some choices and gives what goes on.
func (b *lowering) side(s *tree.Step, sd side, in exits, k known, c context) exits {
	if c.loop != nil && c.loop.asks[s.ID] && !sd.given && !sd.first && !sd.silence {
		c.loop.back = append(c.loop.back, in...) // the loop asks what was answered
		return nil
	}
	here := c
	here.facts, here.next, here.because = nil, "", ""
	out := in
	if len(sd.steps) > 0 {
		outer := b.late
		if sd.silence && len(sd.choices) == 0 {
			b.late = cmp.Or(trimmed(b.said(s, k)), escape(english.Join(fieldWords(s.Fields), "and")), "a question")
		}
		out, _ = b.list(sd.steps, in, k, here)
		b.step, b.late = s.ID, outer
	}
	switch {
	case sd.goesOn:
		return out
	case sd.given:
		b.end(out, c)
	case sd.silence && len(sd.choices) == 0:
		b.farewell(b.ids[s.ID]+"_late", "nobody answered in time.", out, c)
	default:
		id := b.gates[s.ID][len(b.gates[s.ID])-1]
		why := fmt.Sprintf("the answer was “{{approvals.%s}}”. {{approvals.%s.note}}", id, id)
		if len(b.gates[s.ID]) > 1 {
			why = "not everybody agreed."
		}
		b.farewell(b.ids[s.ID]+"_stopped", why, out, c)
	}
	return nil
}

// question makes the gate of a question to people.
func (b *lowering) question(s *tree.Step, names []string, quorum int, k known, c context) flow.Node {
	if b.becomes(s) == flow.KindAsk {
		return b.free(s, b.who(names, 1), k)
	}
	choices := b.choicesOf(s)
	spec := &flow.ApprovalSpec{
		Message: b.gateMessage(s, choices, k, c), Choices: choices, Who: b.who(names, quorum), Show: b.shown(s, k, c), Form: formOf(s.Fields), Deadline: b.deadline(s.Deadline, b.w.Zone),
	}
	node := flow.Node{Name: gateName(s, names), Description: english.SentenceCase(cmp.Or(english.Plain(s.Text), c.next)), Spec: spec}
	if strings.EqualFold(node.Name, node.Description) {
		node.Description = ""
	}
	if s.Kind == tree.Ask && node.Description != "" && !slices.Equal(choices, flow.DefaultChoices()) {
		node.Description = english.SentenceCase(strings.TrimPrefix(b.inquiry(s, english.Uncapital(node.Description)), english.PleaseSay))
	}
	if s.Judges {
		node.Description = idiom.PersonDecides
	}
	if c.item || s.Judges {
		spec.Refuses = []string{} // what is refused is the item, or nothing, but not the run
	}
	if s.Kind == tree.Do {
		spec.Form["note"] = flow.FormField{Type: "string", Description: "What should be known about it"}
	}
	return node
}

// free makes a question that is answered in words or with a form.
func (b *lowering) free(s *tree.Step, who *flow.Who, k known) flow.Node {
	spec := &flow.AskSpec{Message: b.askMessage(s, k), Deadline: b.deadline(s.Deadline, b.w.Zone), Who: who}
	if len(s.Fields) > 0 {
		spec.Form = formOf(s.Fields)
	}
	node := b.titled(s)
	asked := strings.Join(namesOf(s.Who), " ")
	node.Name, node.Spec = english.ShortName(cmp.Or(english.Plain(s.Text), "Ask "+asked)), spec
	if node.Description == "" && english.Plain(s.Text) != "" { // the name is all of the question
		node.Description = strings.TrimSpace("asks " + asked)
	}
	return node
}

// gate adds a gate with a way for each of its sides, and gives the exits of each. The last choices, or any answer, are the default.
func (b *lowering) gate(id string, node flow.Node, sides []side, in exits) []exits {
	var of []int // the side of each route
	way := func(side int, when, label string) {
		of = append(of, side)
		node.Routes = append(node.Routes, flow.Route{When: when, Label: english.Shorten(label, english.NameLength)})
	}
	last := len(sides) - 1
	for last > 0 && len(sides[last].choices) == 0 {
		last--
	}
	for i, sd := range sides {
		if sd.silence {
			way(i, idiom.Answered(id, flow.ChoiceTimeout), "no answer")
		}
		var tests []string
		for _, c := range sd.choices {
			tests = append(tests, idiom.Answered(id, c))
		}
		if len(tests) > 0 && (i == 0 || i != last) {
			way(i, strings.Join(tests, " or "), strings.Join(sd.choices, " / "))
		}
	}
	if choices := sides[last].choices; last > 0 || len(choices) == 0 {
		way(last, "default", strings.Join(choices, " / "))
	}
	out := make([]exits, len(sides))
	for i, ways := range b.add(id, node, in) {
		out[of[i]] = append(out[of[i]], ways...)
	}
	return out
}

// askMessage is a question in the author's words.
func (b *values) askMessage(s *tree.Step, k known) string {
	if strings.TrimSpace(s.Text) == "" && len(s.Fields) > 0 {
		return "Please give: " + escape(english.Join(fieldWords(s.Fields), "and")) + "."
	}
	return english.SentenceCase(b.inquiry(s, b.words(cmp.Or(trimmed(s.Text), "What is your answer"), k)))
}
