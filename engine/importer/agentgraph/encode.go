package agentgraph

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/source"
	"sluice/engine/importer/document"
)

var form = document.Form{Decode: Decode, Patch: patch, Derived: []string{"agents.description", "nodes.outputs"}}

// Encode gives the source of a flow where nothing changed, otherwise the source with what changed.
func Encode(f *flow.Flow) ([]byte, error) { return form.Reencode(f) }

func patch(before, after *flow.Flow, src []byte) ([]byte, error) {
	s, err := document.JSON(before.Name, src)
	if err != nil {
		return nil, err
	}
	l, err := lowered(before.Name, s)
	if err != nil {
		return nil, err
	}
	p := &encoding{Patching: s.Patching(before, after), lowering: l}
	if err := p.Values("routes"); err != nil {
		return nil, err
	}
	p.nodes()
	p.connections()
	return p.Bytes()
}

// slots notes how the parts of the last node are written.
func (l *lowering) slots(n node) {
	path := fmt.Sprintf("flow.nodes[%d]", len(l.flow.Nodes))
	agent := fmt.Sprintf("agents[%d]", len(l.flow.Agents)-1)
	switch n.kind {
	case typeStart:
		l.Key("inputs[0].default", n.data, "initialInput", nil)
	case typeAgent:
		l.At(agent, n.at)
		l.At(agent+".tools", n.data.Get("tools"))
		l.Key(path+".name", n.data, "agentName", nil)
		l.Key(agent+".instructions", n.data, "systemPrompt", nil)
		l.Key(agent+".model", n.data, "model", nil)
		l.Key(path+".input.user_message", n.data, "userPrompt", l.promptOf)
		l.Slot(agent+".tools", func(e *source.Edits, _, value any) error {
			list, _ := value.([]any)
			if tools := n.data.Get("tools"); tools != nil && tools.Kind == source.Map {
				e.Set(tools, "web_search", slices.Contains(list, "web_search"))
			} else if n.data != nil {
				e.Set(n.data, "tools", map[string]any{"web_search": slices.Contains(list, "web_search")})
			}
			return nil
		})
	case typeApproval:
		l.Key(path+".message", n.data, "prompt", unescaped)
	case typeIf:
		l.conditionSlots(path, n)
	}
}

// conditionSlots notes how the conditions of an if are written.
func (l *lowering) conditionSlots(path string, n node) {
	at := 0
	for i, c := range n.conditions() {
		if strings.TrimSpace(c.value) == "" {
			continue
		}
		l.Slot(fmt.Sprintf("%s.cases[%d].when", path, at), func(e *source.Edits, _, value any) error {
			words, _ := value.(string)
			is, ok := l.conditionOf(words)
			switch list := list(n.data, "conditions"); {
			case !ok:
				return &document.NotWritableError{Reason: fmt.Sprintf("a condition of '%s' can only say that the text before it is equal to some words, or contains them", n.id)}
			case i < len(list):
				e.Set(list[i], "operator", is.operator)
				e.Set(list[i], "value", is.value)
			case is.operator == "contains":
				e.Set(n.data, "condition", is.value)
			}
			return nil
		})
		at++
	}
}

// conditionOf reads an expression that cases makes.
func (l *lowering) conditionOf(expr string) (c condition, ok bool) {
	for _, operator := range []string{"equal", "contains"} {
		head, tail, _ := strings.Cut(l.cases([]condition{{operator, "x"}})[0].When, `x"`)
		literal, fits := strings.CutPrefix(expr, head)
		if value, ends := strings.CutSuffix(literal, `"`+tail); fits && ends {
			value, ok = unquoted(`"` + value + `"`)
			return condition{operator, value}, ok
		}
	}
	return condition{}, false
}

// unquoted reads a text that expression writes.
func unquoted(s string) (text string, ok bool) {
	err := json.Unmarshal([]byte(s), &text)
	return text, err == nil && expression(text) == s
}

// promptOf reads a template that prompt makes.
func (l *lowering) promptOf(template string) (string, bool) {
	parts := strings.Split(template, "{{"+l.previous()+"}}")
	for i, part := range parts {
		words, ok := unescaped(part)
		if !ok {
			return "", false
		}
		parts[i] = words
	}
	return strings.Join(parts, placeholder), true
}

// unescaped reads a template that literal makes.
func unescaped(template string) (string, bool) {
	words := strings.ReplaceAll(template, `{{"{"}}{{"{"}}`, "{{")
	return words, literal(words) == template
}

// encoding writes nodes and connections that come and go.
type encoding struct {
	*document.Patching
	*lowering
}

// nodes writes the nodes that come, and takes those out that go.
func (p *encoding) nodes() {
	list := p.Root.Get("nodes")
	for i, v := range list.Items {
		if id := p.ids[text(v, "id")]; id != "" && p.After.Node(id) == nil {
			p.Drop(list, i)
		}
	}
	for i := range p.After.Nodes {
		if n := &p.After.Nodes[i]; p.Before.Node(n.ID) == nil {
			if fields := p.added(n); fields != nil {
				p.Add(list, fields)
			}
		}
	}
}

// added is a node that came, as the format has it; nil where it has none.
func (p *encoding) added(n *flow.Node) []source.Field {
	out := []source.Field{{Key: "id", Value: n.ID}}
	data := []source.Field{}
	add := func(key, value string) {
		if value != "" {
			data = append(data, source.Field{Key: key, Value: value})
		}
	}
	switch spec := n.Spec.(type) {
	case *flow.AgentSpec:
		out = append(out, source.Field{Key: "type", Value: typeAgent})
		add("agentName", n.Name)
		if a := p.After.AgentByID(spec.Agent); a != nil {
			add("systemPrompt", a.Instructions)
			add("model", a.Model)
		}
		written, _ := spec.Input["user_message"].(string)
		prompt, _ := p.promptOf(written)
		add("userPrompt", prompt)
	case *flow.ApprovalSpec:
		out = append(out, source.Field{Key: "type", Value: typeApproval})
		message, _ := unescaped(spec.Message)
		add("prompt", message)
	default:
		return nil
	}
	if at := p.beside(n.ID); at != nil {
		out = append(out, source.Field{Key: "position", Value: at})
	}
	return append(out, source.Field{Key: "data", Value: data})
}

// aside is how far a new node stands from the one before it, in the editor.
const aside = 280

// beside is the place of a new node in the editor: beside the node before it, where the document has places.
func (p *encoding) beside(id string) map[string]any {
	for i := range p.After.Nodes {
		from := &p.After.Nodes[i]
		if !slices.ContainsFunc(from.Routes, func(r flow.Route) bool { return r.To == id }) {
			continue
		}
		for _, n := range p.graph.nodes {
			x, y := n.at.Get("position").Get("x"), n.at.Get("position").Get("y")
			if p.ids[n.id] == from.ID && x != nil && y != nil {
				left, _ := x.Data.(float64)
				return map[string]any{"x": left + aside, "y": y.Plain()}
			}
		}
	}
	return nil
}

// link is a connection of the flow.
type link struct{ from, handle, to string }

// connections writes the connections of the nodes.
func (p *encoding) connections() {
	list := p.Root.Get("connections")
	wanted := p.links(p.After)
	for i, v := range list.Items {
		c, known := p.linkOf(v)
		delegates := text(v, "sourceHandle") == handleSubagent
		switch at := slices.Index(wanted, c); {
		case !known, delegates && p.After.Node(c.from) != nil && p.After.Node(c.to) != nil:
		case at >= 0 && !delegates:
			wanted = slices.Delete(wanted, at, at+1)
		case !delegates && p.moved(v, c, &wanted):
		default:
			p.Drop(list, i)
		}
	}
	for _, c := range wanted {
		p.Add(list, p.connection(c))
	}
}

// linkOf reads a connection. One that the flow does not have, as that to an older end, is left as it is.
func (p *encoding) linkOf(v *source.Value) (c link, known bool) {
	at := slices.IndexFunc(p.graph.connections, func(c connection) bool { return c.at == v })
	if at < 0 {
		return link{}, false
	}
	written := p.graph.connections[at]
	c = link{from: p.ids[written.source], to: p.ids[written.target]}
	if n := p.Before.Node(c.from); n != nil && branches(n) {
		c.handle = written.handle
		return c, c.handle != ""
	}
	return c, true
}

// moved lets a connection lead to another node, if one of the same kind is wanted.
func (p *encoding) moved(v *source.Value, c link, wanted *[]link) bool {
	before := p.links(p.Before)
	at := slices.IndexFunc(*wanted, func(w link) bool { return w.from == c.from && w.handle == c.handle && !slices.Contains(before, w) })
	if at < 0 {
		return false
	}
	p.Set(v, "target", p.written((*wanted)[at].to))
	*wanted = slices.Delete(*wanted, at, at+1)
	return true
}

// links lists the connections that a flow has.
func (p *encoding) links(f *flow.Flow) (all []link) {
	for i := range f.Nodes {
		for _, r := range f.Nodes[i].Routes {
			if r.To != flow.End {
				c := link{from: f.Nodes[i].ID, to: r.To}
				if branches(&f.Nodes[i]) {
					c.handle = r.When
				}
				all = append(all, c)
			}
		}
	}
	return all
}

// branches reports whether the handles of a node have names.
func branches(n *flow.Node) bool {
	_, decides := n.Spec.(*flow.DecisionSpec)
	_, asks := n.Spec.(*flow.ApprovalSpec)
	return decides || asks
}

// written gives the id that the document has, or will have, for a node of the flow.
func (p *encoding) written(id string) string {
	for old, is := range p.ids {
		if is == id {
			return old
		}
	}
	return id
}

var idForm = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// connection is a connection that came, as the format has it.
func (p *encoding) connection(c link) []source.Field {
	from, to := p.written(c.from), p.written(c.to)
	out := []source.Field{}
	if list := list(p.Root, "connections"); len(list) > 0 && list[0].Get("id") != nil {
		out = append(out, source.Field{Key: "id", Value: idForm.ReplaceAllString("connection-"+from+"-"+cmp.Or(c.handle, "output")+"-"+to, "-")})
	}
	return append(out, source.Field{Key: "source", Value: from}, source.Field{Key: "target", Value: to},
		source.Field{Key: "sourceHandle", Value: cmp.Or(c.handle, "output")}, source.Field{Key: "targetHandle", Value: handleInput})
}
