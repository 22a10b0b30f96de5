package visualflow

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/source"
	"sluice/engine/importer/document"
)

var form = document.Form{Decode: Decode, Patch: patch, Derived: []string{"description", "inputs", "nodes.name"}}

// Encode gives the document of a flow where nothing changed, otherwise the document with what changed.
func Encode(f *flow.Flow) ([]byte, error) { return form.Reencode(f) }

func patch(before, after *flow.Flow, src []byte) ([]byte, error) {
	if isArchive(src) {
		return patchBundle(src, func(body []byte) ([]byte, error) { return patch(before, after, body) })
	}
	s, _, c, err := read(before.Name, src)
	if err != nil {
		return nil, err
	}
	p := &encoding{converter: c, nodesAt: map[string]*node{}, edges: document.Edges{List: s.Root.Get("edges")}}
	for _, n := range c.nodes {
		p.nodesAt[n.run] = n
	}
	p.edges.Advances = func(v *source.Value) bool {
		from, to := c.byID[text(v.Get("source"))], c.byID[text(v.Get("target"))]
		handle, target := text(v.Get("sourceHandle")), text(v.Get("targetHandle"))
		return from != nil && to != nil && (target == execIn || executes(from.outputs, handle) || executes(to.inputs, target))
	}
	p.Patching = document.NewPatching(s.Edits(), before, after, p.slot)
	if err := p.Values("routes", "branches", "body", "arrivals"); err != nil {
		return nil, err
	}
	if err := p.steps(); err != nil {
		return nil, err
	}
	return p.Bytes()
}

// encoding writes changes into a document.
type encoding struct {
	*document.Patching
	*converter
	nodesAt map[string]*node // by id of the run-time node
	edges   document.Edges
}

// The spellings of texts of the document.
var (
	inTemplate   = document.Spelling{Write: escaped, Read: unescaped}
	inExpression = document.Spelling{Write: quote, Read: unquoted}
)

// unescaped reads a template that escaped makes.
func unescaped(template string) (string, bool) {
	words := strings.ReplaceAll(template, `{{'{{'}}`, "{{")
	return words, escaped(words) == template
}

// unquoted reads an expression that quote makes.
func unquoted(expr string) (string, bool) {
	if len(expr) < 2 {
		return "", false
	}
	words := strings.NewReplacer(`\\`, `\`, `\'`, `'`, `\n`, "\n", `\t`, "\t", `\r`, "\r").Replace(expr[1 : len(expr)-1])
	return words, quote(words) == expr
}

// slot says how a part of the flow is written.
func (p *encoding) slot(path string) document.Write {
	switch {
	case path == "description":
		return p.words
	case path == "run.title":
		return p.said([]*source.Value{p.src.Root.Get("name")}, nil, "")
	case strings.HasPrefix(path, "inputs["):
		return p.input(path)
	}
	id, key := p.element(path)
	var from []*source.Value
	n := p.nodesAt[id]
	for _, at := range p.drawn[id] {
		from = append(from, p.byID[at].texts()...)
	}
	if n == nil && len(from) == 0 {
		return nil
	}
	return p.said(from, n, key)
}

// words writes the description, which follows the name.
func (p *encoding) words(e *source.Edits, _, is any) error {
	words, _ := is.(string)
	if p.name != "" && p.description != "" {
		var ok bool
		if words, ok = strings.CutPrefix(words, p.name+": "); !ok {
			return nil
		}
	}
	key := "description"
	if p.description == "" && p.name != "" {
		key = "name"
	}
	e.Set(p.src.Root, key, words)
	return nil
}

// input writes the default of an input.
func (p *encoding) input(path string) document.Write {
	i := 0
	if _, err := fmt.Sscanf(path, "inputs[%d].default", &i); err != nil || i >= len(p.Before.Inputs) {
		return nil
	}
	return func(e *source.Edits, _, is any) error {
		for _, n := range p.nodes {
			for _, pin := range n.startPins() {
				if n.kind == kindStart && inputName(pin.id) == p.Before.Inputs[i].Name && is != nil {
					p.setDefault(n, pin.id, is)
					return nil
				}
			}
		}
		return nil
	}
}

// element gives the id of the node that a path is about, and the key of the node or of its agent.
func (p *encoding) element(path string) (id, key string) {
	i := 0
	head, rest, _ := strings.Cut(path, "]")
	if _, err := fmt.Sscanf(head, "flow.nodes[%d", &i); err == nil {
		return p.Before.Nodes[i].ID, strings.TrimPrefix(rest, ".")
	}
	if _, err := fmt.Sscanf(head, "agents[%d", &i); err == nil {
		return p.Before.Agents[i].ID, strings.TrimPrefix(rest, ".")
	}
	return "", ""
}

// texts lists the values of the document from which a run-time node is made.
func (n *node) texts() (all []*source.Value) {
	for _, key := range []string{"pinDefaults", "agentConfig", "effectConfig", "eventConfig", "literalValue", "switchConfig"} {
		if v := n.data.Get(key); v != nil {
			all = slices.AppendSeq(all, v.Scalars())
		}
	}
	for _, from := range n.in {
		if v := from.from.data.Get("literalValue"); from.from.record.literal && v != nil {
			all = slices.AppendSeq(all, v.Scalars())
		}
	}
	if label := n.data.Get("label"); label != nil {
		all = append(all, label)
	}
	return all
}

// pinsOf are the pins from which a part of a run-time node is made.
var pinsOf = map[string]string{
	"prompt": "prompt", "input.task": "prompt", "message": "message", "system": "system", "instructions": "system",
	"temperature": "temperature", "max_tokens": "max_out_tokens",
}

// said writes the value from which a part of the flow was made, or that of a pin that has none.
func (p *encoding) said(from []*source.Value, n *node, key string) document.Write {
	from = slices.DeleteFunc(from, func(v *source.Value) bool { return v == nil })
	return func(e *source.Edits, was, is any) error {
		if v, value, ok := document.Said(was, is, from, inTemplate, inExpression, document.Trimmed); ok {
			e.Put(v, value)
			return nil
		}
		if n == nil || is == nil {
			return document.ErrParts
		}
		words, isText := is.(string)
		if key == "name" && isText {
			e.Set(n.data, "label", words)
			return nil
		}
		if pin := pinsOf[key]; pin != "" && !n.has(pin) {
			if isText {
				plain, ok := unescaped(words)
				if !ok {
					return nil
				}
				is = plain
			}
			p.setDefault(n, pin, is)
			return nil
		}
		return document.ErrParts
	}
}

// setDefault writes the value that a pin has without an edge.
func (p *encoding) setDefault(n *node, pin string, value any) {
	if defaults := n.data.Get("pinDefaults"); defaults != nil && defaults.Kind == source.Map {
		p.Set(defaults, pin, value)
	} else if n.data != nil {
		p.Set(n.data, "pinDefaults", map[string]any{pin: value})
	}
}

// steps takes nodes out that go, and writes where the edges of the others lead.
func (p *encoding) steps() error {
	list := p.src.Root.Get("nodes")
	for i, v := range list.Items {
		n := p.byID[strings.TrimSpace(text(v.Get("id")))]
		if n == nil || p.Before.Node(n.run) == nil || p.After.Node(n.run) != nil {
			continue
		}
		p.Drop(list, i)
		if _, err := p.edges.Without(p.Edits, n.id); err != nil {
			return err
		}
	}
	for i := range p.After.Nodes {
		is := &p.After.Nodes[i]
		was := p.Before.Node(is.ID)
		came := false
		if was == nil {
			var fields []source.Field
			if fields, came = p.added(is); came {
				p.Add(list, fields)
			}
		}
		for k, r := range is.Routes {
			switch {
			case came, was != nil && k >= len(was.Routes):
				p.connect(is.ID, r.To)
			case was != nil && was.Routes[k].To != r.To && p.After.Node(was.Routes[k].To) != nil:
				p.edges.Lead(p.Edits, p.written(is.ID), p.written(was.Routes[k].To), p.written(r.To))
			}
		}
	}
	return nil
}

// written gives the id that the document has, or will have, for a run-time node.
func (p *encoding) written(id string) string {
	switch n := p.nodesAt[id]; {
	case n != nil:
		return n.id
	case id == flow.End:
		return ""
	}
	return id
}

// aside is how far a new node stands from the one before it, in the editor.
const aside = 260

// newcomers are the types of steps that may come, and the pin that has their words.
var newcomers = map[flow.Kind]struct{ kind, pin string }{
	flow.KindAgent: {"agent", "system"}, flow.KindSay: {"answer_user", "message"}, flow.KindAsk: {"ask_user", "prompt"},
}

// wordsOf gives the words of a step that came, as its pin has them.
func (p *encoding) wordsOf(n *flow.Node) (words string, ok bool) {
	if spec, isAgent := n.Spec.(*flow.AgentSpec); isAgent {
		if a := p.After.AgentByID(spec.Agent); a != nil {
			words = a.Instructions
		}
		return words, true
	}
	for _, part := range n.Parts() {
		if part.Key == "message" {
			return unescaped(part.Text)
		}
	}
	return "", false
}

// added is a step that came, as the format has it.
func (p *encoding) added(n *flow.Node) (out []source.Field, ok bool) {
	is, known := newcomers[n.Kind]
	words, written := p.wordsOf(n)
	if !known || !written {
		return nil, false
	}
	out = []source.Field{{Key: "id", Value: n.ID}, {Key: "type", Value: is.kind}}
	for i := range p.Before.Nodes {
		from := p.Before.Nodes[i].ID
		leads := func(r flow.Route) bool { return r.To == n.ID }
		next, old := p.After.Node(from), p.nodesAt[from]
		if next == nil || old == nil || !slices.ContainsFunc(next.Routes, leads) {
			continue
		}
		if x, y := old.at.Get("position").Get("x"), old.at.Get("position").Get("y"); x != nil && y != nil {
			left, _ := x.Data.(float64)
			out = append(out, source.Field{Key: "position", Value: []source.Field{{Key: "x", Value: left + aside}, {Key: "y", Value: y.Plain()}}})
			break
		}
	}
	data := []source.Field{{Key: "nodeType", Value: is.kind}, {Key: "label", Value: n.DisplayName()}}
	if words != "" {
		data = append(data, source.Field{Key: "pinDefaults", Value: map[string]any{is.pin: words}})
	}
	return append(out, source.Field{Key: "data", Value: data}), true
}

// connect adds an execution edge.
func (p *encoding) connect(from, to string) {
	if from, to = p.written(from), p.written(to); p.edges.List == nil || to == "" {
		return
	}
	id := "edge-" + from + "-" + to
	p.Add(p.edges.List, []source.Field{
		{Key: "id", Value: id}, {Key: "source", Value: from}, {Key: "sourceHandle", Value: execOut}, {Key: "target", Value: to}, {Key: "targetHandle", Value: execIn},
	})
}
