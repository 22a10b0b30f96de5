package plan

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
)

// ask adds a gate or a question. At a gate the first choice goes on; every other choice, and silence, ends the run: it tells the
// requester, or does what words say instead.
func (b *builder) ask(s *statement, in []exit, k known, c context) ([]exit, known) {
	who := make([]string, 0, len(s.ask.who))
	for _, name := range s.ask.who {
		if n := b.person(name, s.line); n != "" && !slices.Contains(who, n) {
			who = append(who, n)
		}
	}
	if s.ask.choices == nil {
		return b.question(s, who, in, k)
	}
	groups := [][]string{who}
	if s.ask.all && len(who) > 1 {
		groups = groups[:0]
		for _, name := range who {
			groups = append(groups, []string{name})
		}
	}
	if len(s.ask.who) == 0 {
		b.note(Note{Line: s.line, Code: "anybody_can_approve", Text: fmt.Sprintf("Step %d names nobody, so any member of the channel may answer.", s.line)})
	}
	var others []exit
	for _, g := range groups {
		var no []exit
		in, no = b.gate(s, g, in, k, c)
		others = append(others, no...)
	}
	if len(s.other) > 0 {
		refused, _ := b.list(s.other, others, k, context{})
		b.connect(refused, flow.End) // what was refused must not be done after all
	}
	return in, k
}

// gate adds one approval. Without words for the other choices it adds the message that ends the run.
func (b *builder) gate(s *statement, who []string, in []exit, k known, c context) (yes, no []exit) {
	a := s.ask
	spec := &flow.ApprovalSpec{Message: b.gateMessage(a, c), Choices: a.choices, Who: b.whoOf(who, a.quorum), Show: shown(k, c)}
	if slices.Equal(a.choices, flow.DefaultChoices()) {
		spec.Choices = flow.DefaultChoices()
	}
	if !a.deadline.IsZero() {
		spec.Deadline = &flow.Deadline{After: a.deadline}
	}
	n := b.add(s.line, "ask "+strings.Join(who, " "), flow.Node{Name: gateName(a, who), Description: gateWords(a, c), Spec: spec}, in)
	id := b.flow.Nodes[n].ID
	node := &b.flow.Nodes[n]
	node.Routes = []flow.Route{
		{When: fmt.Sprintf("approvals.%s == %s", id, literal(a.choices[0])), Label: a.choices[0]},
	}
	no = b.exits(n, 1)
	if spec.Deadline != nil {
		node.Routes = append(node.Routes, flow.Route{When: fmt.Sprintf("approvals.%s == 'timeout'", id), Label: "no answer"})
		no = b.exits(n, 1, 2)
	}
	node.Routes = append(node.Routes, flow.Route{When: "default", Label: shorten(strings.Join(a.choices[1:], " / "), nameLength)})
	if len(s.other) == 0 {
		message := fmt.Sprintf("{{run.title}} stops here: the answer was “{{approvals.%s}}”. {{approvals.%s.note}}", id, id)
		b.farewell(s.line, id+" stopped", message, no)
		no = nil
	}
	return b.exits(n, 0), no
}

// question adds a question that is answered with words; the answer is a value for later steps.
func (b *builder) question(s *statement, who []string, in []exit, k known) ([]exit, known) {
	a := s.ask
	message := a.about
	spec := &flow.AskSpec{Who: b.whoOf(who, a.quorum)}
	var f field
	if a.field != "" {
		message = "What is the " + strings.TrimPrefix(a.field, "the ")
		name := strings.ReplaceAll(flow.Slug(fold(a.field)), "-", "_")
		if !identifier.MatchString(name) {
			name = "answer"
		}
		spec.Form = map[string]flow.FormField{name: {Type: "string", Required: true}}
		f = field{path: []string{name}, stems: nameStems(name), last: nameStems(name), typ: "string"}
	}
	spec.Message = escape(sentenceCase(strings.TrimRight(message, "?.!"))) + "?"
	n := b.add(s.line, "ask "+strings.Join(who, " "), flow.Node{Name: shortName(s.text), Spec: spec, Routes: []flow.Route{{}}}, in)
	id := b.flow.Nodes[n].ID
	src := source{node: id, root: "approvals." + id, answer: true}
	if f.path != nil {
		src.fields = []field{f}
	}
	return b.exits(n, 0), k.with(src)
}

// gateMessage asks for what the words say, else for what is done next, with the values that led here.
func (b *builder) gateMessage(a *asking, c context) string {
	about := strings.TrimRight(a.about, "?.! ")
	var m string
	switch {
	case about != "" && slices.Equal(a.choices, flow.DefaultChoices()) && !a.request:
		m = "approve " + escape(about) + "?"
	case about != "":
		m = escape(about) + "?"
	case c.next != "":
		m = "approve " + quote(escape(c.next)) + "?"
	default:
		m = "approve?"
	}
	m = "{{run.title}}: " + m
	var seen []string
	for _, r := range c.facts {
		if r.field.typ == "object" || r.field.typ == "array" || slices.Contains(seen, r.path) || len(seen) == 3 {
			continue
		}
		seen = append(seen, r.path)
		m += fmt.Sprintf(" %s: {{%s}}.", sentenceCase(escape(strings.Join(r.field.names(), " "))), r.path)
	}
	return m
}

// gateWords say in the picture what is asked.
func gateWords(a *asking, c context) string {
	switch {
	case a.about != "":
		return sentenceCase(a.about)
	case c.next != "":
		return "before " + quote(c.next)
	}
	return ""
}

// names are the words of the field's own name.
func (f field) names() []string {
	if len(f.path) == 0 {
		return nil
	}
	return strings.FieldsFunc(f.path[len(f.path)-1], func(r rune) bool { return r == '_' || r == '-' || r == '.' })
}

// shown lists what the deciders see: the results that the condition read, and the nearest one.
func shown(k known, c context) []string {
	var out []string
	add := func(node string) {
		for _, s := range k {
			if s.node == node && !s.answer && !slices.Contains(out, s.root) {
				out = append(out, s.root)
			}
		}
	}
	for _, r := range c.facts {
		add(r.node)
	}
	if s, ok := k.last(); ok {
		add(s.node)
	}
	return out
}

// whoOf sorts names into groups and people. A name with # is a channel, whose members may answer.
func (b *builder) whoOf(names []string, quorum int) *flow.Who {
	if len(names) == 0 {
		return nil
	}
	who := &flow.Who{Quorum: max(quorum, 1)}
	for _, name := range names {
		if b.kind(name) == "user" {
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

// kind says what a name is, as far as that is known.
func (b *builder) kind(name string) string {
	if b.opt.Kind == nil {
		return ""
	}
	return b.opt.Kind(name)
}

// WhoDecides names who may answer a gate: groups and people as written in the flow. It is nil for a node that is no gate, and
// for a gate that names nobody.
func WhoDecides(n *flow.Node) []string {
	var who *flow.Who
	switch s := n.Spec.(type) {
	case *flow.ApprovalSpec:
		who = s.Who
	case *flow.AskSpec:
		who = s.Who
	}
	if who == nil || len(who.Groups)+len(who.Users) == 0 {
		return nil
	}
	return slices.Concat(who.Groups, who.Users)
}

func gateName(a *asking, who []string) string {
	names := list(who, "or")
	verb := map[bool]string{true: "approves", false: "approve"}[len(who) == 1]
	switch {
	case len(who) == 0:
		names, verb = "Somebody", "approves"
	case len([]rune(names)) > nameLength:
		names = fmt.Sprintf("%s and %d more", who[0], len(who)-1)
		if len(who) == 1 {
			names = shorten(who[0], nameLength)
		}
	}
	switch {
	case slices.Equal(a.choices, []string{"yes", "no"}):
		verb = "answers"
	case !slices.Equal(a.choices, flow.DefaultChoices()):
		verb = "chooses"
	}
	return names + " " + verb
}

// person finds out who a name means, and notes it when it is nobody. "" means that it cannot be said.
func (b *builder) person(name string, line int) string {
	exists := func(n string) bool { return b.opt.Exists == nil || b.opt.Exists(n) }
	switch low := strings.ToLower(name); {
	case low == "me" || low == "us":
		b.note(Note{Line: line, Code: "nobody_can_approve", Blocks: true, Text: fmt.Sprintf("Step %d: I do not know who %s is. Write a name with @.", line, quote(name))})
		return ""
	case low == "requester":
		b.note(Note{Line: line, Code: "nobody_can_approve", Blocks: true, Text: fmt.Sprintf("Step %d: the requester is somebody else in every run and cannot be the one who decides. Write a name with @.", line)})
		return ""
	}
	if strings.HasPrefix(name, "@") || strings.HasPrefix(name, "#") {
		if !exists(name) {
			b.nobody(name, line)
		}
		return name
	}
	for _, sigil := range []string{"@", "#"} {
		if exists(sigil + name) {
			return sigil + name
		}
	}
	b.nobody(name, line)
	return "@" + strings.Join(strings.Fields(name), "-")
}

func (b *builder) nobody(name string, line int) {
	what := "Nobody"
	if strings.HasPrefix(name, "#") {
		what = "No channel"
	}
	b.note(Note{Line: line, Code: "nobody_can_approve", Blocks: true, Text: fmt.Sprintf("Step %d: %s here is called %s, so nobody could answer.", line, strings.ToLower(what), name)})
}
