package plan

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
)

// builder turns statements into a graph.
type builder struct {
	*graph
	opt     Options
	cat     *catalogue
	notes   []Note
	inputs  []flow.Input
	checked []reference    // what conditions have read so far
	when    string         // the time to start at, in words
	fields  string         // the same as cron has it
	happens []flow.Trigger // what starts it besides
	nothing bool           // no statement was understood so far

	targets  map[int]bool  // lines that some step goes to
	arrivals map[int]known // what is known where earlier steps go to a line
	entered  map[int]bool  // lines that were begun
}

// Build makes a flow of an outline. The flow is valid whenever there is one; what was not understood, what is missing and what
// should be known is in the notes. There is no flow only when no step was understood.
func Build(o Outline, opt Options) *Proposal {
	name := FlowName(o)
	if opt.Base != nil {
		name = opt.Base.Name
	}
	b := &builder{graph: newGraph(name), opt: opt, cat: newCatalogue(opt.Tools), nothing: true, arrivals: map[int]known{}, entered: map[int]bool{}}
	all := b.read(o)
	b.targets = targets(all)
	if len(o.Lines) > maxLines {
		b.note(Note{Line: maxLines + 1, Code: "too_long", Blocks: true, Text: fmt.Sprintf("A flow may have %d steps in words; this one has %d.", maxLines, len(o.Lines))})
	}
	exits, _ := b.list(all, []exit{start}, nil, context{})
	b.finish(exits)
	p := &Proposal{Flow: b.flow, Notes: b.notes, Nodes: b.lines}
	if b.nothing || len(b.flow.Nodes) == 0 {
		p.Flow, p.Nodes = nil, nil
		if len(p.Notes) == 0 {
			p.Notes = []Note{{Code: "not_understood", Text: "There is no step in this.", Blocks: true}}
		}
		return p
	}
	b.check(p)
	return p
}

func (b *builder) note(n Note) {
	if !slices.ContainsFunc(b.notes, func(m Note) bool { return m.Line == n.Line && m.Code == n.Code && m.Text == n.Text }) {
		b.notes = append(b.notes, n)
	}
}

// read turns all lines into statements. A time, or something that happens, at the front of the first line starts runs; a line that begins with "otherwise"
// goes on with the one before.
func (b *builder) read(o Outline) []statement {
	var all []statement
	doable := func(text string) bool {
		found, ambiguous, _ := b.cat.find(scan(text))
		return found != nil || ambiguous
	}
	for i, l := range o.Lines[:min(len(o.Lines), maxLines)] {
		text := tidy(l.Text)
		if i == 0 {
			b.when, text = cutStart(text)
			b.fields, _ = cron(b.when)
			b.happens, _ = events(b.when)
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		if extended, ok := b.answer(all, l.Number, text, doable); ok {
			all = extended
			continue
		}
		if !continues(text) {
			all = append(all, statements(l.Number, text, doable)...)
			continue
		}
		if len(all) == 0 || !all[len(all)-1].otherwise(branch(l.Number, withoutOtherwise(text), doable)) {
			all = append(all, statement{line: l.Number, text: text, act: text})
		}
	}
	return all
}

// otherwise gives the last open if, or a question, its other side.
func (s *statement) otherwise(other []statement) bool {
	if (s.cond == nil && s.ask == nil) || s.ask != nil && s.ask.open {
		return false
	}
	if len(s.other) == 0 {
		s.other = other
		return true
	}
	return s.cond != nil && s.other[len(s.other)-1].otherwise(other)
}

// context is what a statement may know of the ones around it.
type context struct {
	next  string      // what is done after it, in words
	facts []reference // what the condition just before has read
}

// list puts statements behind exits, one after the other.
func (b *builder) list(all []statement, in []exit, k known, c context) ([]exit, known) {
	for i := range all {
		if k = b.enter(all[i].line, in, k); len(in) == 0 && !b.targets[all[i].line] {
			b.note(Note{Line: all[i].line, Code: "unreachable", Blocks: true, Text: fmt.Sprintf("Step %d: %s is never reached, because what stands before it always ends.", all[i].line, quote(all[i].text))})
			continue
		}
		here := context{}
		if i == 0 {
			here.facts = c.facts
		}
		for _, later := range all[i+1:] {
			if here.next = later.does(); here.next != "" {
				break
			}
		}
		if here.next == "" {
			here.next = c.next
		}
		in, k = b.one(&all[i], in, k, here)
	}
	return in, k
}

// does says what a statement does to the outside, if anything.
func (s *statement) does() string {
	if s.tell != nil {
		return strings.Replace("tell "+list(s.tell.to, "and"), "tell requester", "tell the requester", 1)
	}
	return s.act
}

// enter gives what is known at a line: with a step before that goes there, only what both ways know.
func (b *builder) enter(line int, in []exit, k known) known {
	if b.entered[line] {
		return k
	}
	b.entered[line] = true
	there, jumped := b.arrivals[line]
	switch {
	case jumped && len(in) == 0:
		return there
	case jumped:
		return k.shared(there)
	case len(in) == 0:
		return nil
	}
	return k
}

// targets lists the lines that statements go to.
func targets(all []statement) map[int]bool {
	out := map[int]bool{}
	for _, s := range all {
		if s.jump != 0 {
			out[s.jump] = true
		}
		for line := range targets(slices.Concat(s.then, s.other)) {
			out[line] = true
		}
	}
	return out
}

func (b *builder) one(s *statement, in []exit, k known, c context) ([]exit, known) {
	if s.act == "" {
		b.nothing = false
	}
	switch {
	case s.cond != nil:
		return b.decide(s, in, k, c), k
	case s.ask != nil:
		return b.ask(s, in, k, c)
	case s.tell != nil:
		return b.tell(s, in, k), k
	case s.say != "":
		return b.say(s.line, shortName(s.text), s.text, b.words(s.say, s.line, k), in), k
	case s.wait != nil:
		n := b.add(s.line, "wait", flow.Node{Name: shortName(s.text), Spec: s.wait, Routes: []flow.Route{{}}}, in)
		return b.exits(n, 0), k
	case s.jump != 0:
		for _, e := range in {
			b.jumps = append(b.jumps, jump{e, s.line, s.jump})
		}
		if there, before := b.arrivals[s.jump]; before {
			k = k.shared(there)
		}
		b.arrivals[s.jump] = k
		return nil, k
	case s.stop:
		b.connect(in, flow.End)
		return nil, k
	}
	return b.act(s, in, k)
}

// say adds a message into the run's own thread.
func (b *builder) say(line int, name, id, message string, in []exit) []exit {
	n := b.add(line, wish(id), flow.Node{Name: name, Spec: &flow.SaySpec{Message: message}, Routes: []flow.Route{{}}}, in)
	return b.exits(n, 0)
}

// farewell adds the message that ends a way, in the run's thread where the requester reads it.
func (b *builder) farewell(line int, id, message string, in []exit) {
	n := b.add(line, id, flow.Node{
		Name: "Tell the requester", Description: "the run ends here", Spec: &flow.SaySpec{Message: message}, Routes: []flow.Route{{}},
	}, in)
	b.connect(b.exits(n, 0), flow.End)
}

// act adds the tool that a step means, or a placeholder.
func (b *builder) act(s *statement, in []exit, k known) ([]exit, known) {
	words := scan(s.act)
	found, ambiguous, nearest := b.cat.find(words)
	if found == nil {
		return b.placeholder(s, in, ambiguous, nearest), k
	}
	b.nothing = false
	if found.message != nil {
		if t := addressedTo(s.act, words); t != nil {
			return b.tell(&statement{line: s.line, text: s.text, tell: t}, in, k), k
		}
	}
	spec := &flow.ToolSpec{Tool: found.tool.Name}
	node := flow.Node{Name: shortName(s.act), Spec: spec, Routes: []flow.Route{{}}}
	if full := sentenceCase(s.act); full != node.Name {
		node.Description = full
	}
	n := b.add(s.line, wish(node.Name), node, in)
	id := b.flow.Nodes[n].ID
	var said []given
	spec.Params, said = b.fill(found, s, words, k, id)
	b.secrets(found, s.line)
	fields := fieldsOf(found.tool.Result)
	if found.message == nil {
		k = k.with(source{node: id, root: id + ".result", fields: fields, about: append(slices.Clone(found.name), flatten(found.phrases)...), given: said})
	}
	return b.exits(n, 0), k
}

func (b *builder) secrets(e *entry, line int) {
	for _, name := range e.tool.Secrets {
		if b.opt.Secret != nil && !b.opt.Secret(name) {
			b.note(Note{Line: line, Code: "missing_secret", Text: fmt.Sprintf("%s needs the secret %s, which is not set.", e.tool.Name, name)})
		}
	}
}

// placeholder stands for a step that no tool, or more than one, could do. The flow cannot be approved with it.
func (b *builder) placeholder(s *statement, in []exit, ambiguous bool, nearest []string) []exit {
	note := Note{Line: s.line, Code: "unknown_tool", Blocks: true, Nearest: nearest}
	about := "No tool does this"
	switch {
	case ambiguous:
		note.Code = "ambiguous_tool"
		about = "Two tools could do this: " + list(nearest, "and")
		note.Text = fmt.Sprintf("Step %d: %s could be %s. Use words that only one of them has.", s.line, quote(s.act), list(nearest, "or"))
	case isIf(scan(s.act)) || continues(s.act):
		note.Code, note.Nearest = "not_understood", nil
		about = "This was not understood"
		note.Text = fmt.Sprintf("Step %d: I do not understand %s. Write for example: if the total is over 5 ask @group to approve.", s.line, quote(s.act))
	case len(nearest) == 0:
		note.Text = fmt.Sprintf("Step %d: no tool does %s, and none is connected.", s.line, quote(s.act))
	default:
		note.Text = fmt.Sprintf("Step %d: no tool does %s. Nearest: %s.", s.line, quote(s.act), list(nearest, "and"))
		about += "; nearest: " + list(nearest, "and")
	}
	b.note(note)
	n := b.add(s.line, wish(s.act), flow.Node{
		Name: shortName(s.act) + unsure, Description: about, FlowchartType: flow.TypeProcess, Routes: []flow.Route{{}},
		Spec: &flow.AskSpec{Message: escape(sentenceCase(s.act))},
	}, in)
	return b.exits(n, 0)
}

// unsure marks the name of a placeholder.
const unsure = " (?)"

func flatten(lists [][]string) []string { return slices.Concat(lists...) }

const nameLength = 24 // characters of a node's name in the picture

var prepositions = wordSet("from for with in on to at of by into onto via using about as per within")

// shortName makes words fit into a shape: cut before a preposition, else at a word.
func shortName(text string) string {
	text = strings.Trim(text, " .,;:!")
	if len([]rune(text)) > nameLength {
		words := scan(text)
		for i := len(words) - 1; i > 1; i-- {
			if (words[i].kind == quotedWord || prepositions[words[i].low]) && len([]rune(text[:words[i-1].end])) <= nameLength {
				text = text[:words[i-1].end]
				break
			}
		}
	}
	return sentenceCase(shorten(text, nameLength+4))
}

// wish makes an id of the words that matter, so that edits of other lines leave it alone.
func wish(text string) string {
	var parts []string
	words := scan(text)
	for i, w := range words {
		if w.content() && !isCode(w) && !isUnit(words, i) && len(parts) < 3 {
			parts = append(parts, w.low)
		}
	}
	return strings.Join(parts, "_")
}

// isUnit reports whether a word says what the number before it counts.
func isUnit(words []word, i int) bool {
	return i > 0 && words[i-1].kind == numberWord && units[words[i].low]
}

// escape writes people's words into a template as they are.
func escape(s string) string { return strings.ReplaceAll(s, "{{", `{{ "{{" }}`) }
