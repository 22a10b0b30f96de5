package routing

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/source"
	"sluice/engine/importer/document"
)

var form = document.Form{Decode: Decode, Patch: patch, Derived: []string{"agents.instructions"}}

// Encode gives the source of a flow where nothing changed, otherwise the source with what changed.
func Encode(f *flow.Flow) ([]byte, error) { return form.Reencode(f) }

func patch(before, after *flow.Flow, src []byte) ([]byte, error) {
	s, err := document.JSON(before.Name, withoutComments(src))
	if err != nil {
		return nil, err
	}
	r, err := read(s)
	if err != nil {
		return nil, err
	}
	s.Text = source.New("", src).Text // with its comments, which have the length of the blanks
	p := &encoding{Patching: s.Patching(before, after), reading: r}
	if err := p.Values("routes"); err != nil {
		return nil, err
	}
	p.agents()
	p.nodes()
	p.edges()
	return p.Bytes()
}

// agentSlots notes how the parts of a listed agent are written.
func (r *reading) agentSlots(path string, written *source.Value) {
	r.s.Key(path+".description", written, "description", nil)
	r.s.Slot(path+".tools", func(e *source.Edits, _, value any) error {
		names, _ := value.([]any)
		list := written.Get("tools")
		for i, t := range items(list) {
			if name := toolName(t); name != "" && !slices.Contains(names, any(name)) {
				e.Drop(list, i)
			}
		}
		for _, name := range names {
			known := slices.ContainsFunc(items(list), func(t *source.Value) bool { return any(toolName(t)) == name })
			tool := map[string]any{"function": map[string]any{"name": name}}
			switch {
			case known:
			case list == nil || list.Kind != source.List:
				e.Set(written, "tools", []any{tool})
			default:
				e.Add(list, tool)
			}
		}
		return nil
	})
	r.s.Slot(path+".instructions", func(e *source.Edits, _, value any) error {
		words, _ := value.(string)
		message, rest, ok := changedMessage(written, words)
		if !ok {
			return &document.NotWritableError{Reason: "it has no one message that differs"}
		}
		if message == nil {
			e.Set(written, "messages", []any{map[string]any{"role": "system", "content": words}})
			return nil
		}
		e.Set(message, "content", rest)
		return nil
	})
}

// changedMessage finds the message of an agent in which new instructions differ, and its new words; nil = the agent has none.
func changedMessage(written *source.Value, words string) (message *source.Value, content string, ok bool) {
	var messages []*source.Value
	var texts []string
	for _, m := range items(written.Get("messages")) {
		if content := text(m, "content"); content != "" {
			messages, texts = append(messages, m), append(texts, content)
		}
	}
	if len(messages) == 0 {
		return nil, words, len(items(written.Get("messages"))) == 0
	}
	const blank = "\n\n"
	for i := range messages {
		before, after := "", ""
		if i > 0 {
			before = strings.Join(texts[:i], blank) + blank
		}
		if i+1 < len(texts) {
			after = blank + strings.Join(texts[i+1:], blank)
		}
		if rest, begins := strings.CutPrefix(words, before); begins {
			if rest, ends := strings.CutSuffix(rest, after); ends && rest != "" {
				return messages[i], rest, true
			}
		}
	}
	return nil, "", false
}

// encoding writes agents, nodes and edges that come and go.
type encoding struct {
	*document.Patching
	*reading
}

// agents lists the agents that come. One that goes may be that of other workflows, so that it stays unless the file lists it.
func (p *encoding) agents() {
	list := p.root.Get("agents")
	for i, v := range items(list) {
		if id := text(v, "agentId"); p.Before.AgentByID(id) != nil && p.After.AgentByID(id) == nil {
			p.Drop(list, i)
		}
	}
	if !p.listed {
		return
	}
	for i := range p.After.Agents {
		a := &p.After.Agents[i]
		if p.Before.AgentByID(a.ID) != nil || p.reading.agents[a.ID] != nil {
			continue
		}
		out := []source.Field{{Key: "agentId", Value: a.ID}}
		if a.Description != "" {
			out = append(out, source.Field{Key: "description", Value: a.Description})
		}
		if a.Instructions != "" {
			out = append(out, source.Field{Key: "messages", Value: []any{[]source.Field{{Key: "role", Value: "system"}, {Key: "content", Value: a.Instructions}}}})
		}
		var tools []any
		for _, name := range a.Tools {
			tools = append(tools, map[string]any{"function": map[string]any{"name": name}})
		}
		if len(tools) > 0 {
			out = append(out, source.Field{Key: "tools", Value: tools})
		}
		p.Add(list, out)
	}
}

// nodes writes the nodes that come, and takes those out that go.
func (p *encoding) nodes() {
	list := p.root.Get("nodes")
	for i, v := range list.Items {
		if id := text(v, "id"); p.Before.Node(id) != nil && p.After.Node(id) == nil {
			p.Drop(list, i)
		}
	}
	for i := range p.After.Nodes {
		n := &p.After.Nodes[i]
		spec, isAgent := n.Spec.(*flow.AgentSpec)
		if p.Before.Node(n.ID) != nil || !isAgent {
			continue
		}
		out := p.owned("id", n.ID)
		p.Add(list, append(out, source.Field{Key: "nodeType", Value: agentNode}, source.Field{Key: "nodeName", Value: n.DisplayName()},
			source.Field{Key: "agentId", Value: spec.Agent}))
	}
}

// owned begins a node or an edge, with the workflow that it belongs to where others say it.
func (p *encoding) owned(key, id string) []source.Field {
	out := []source.Field{{Key: key, Value: id}}
	if nodes := items(p.root.Get("nodes")); len(nodes) > 0 && nodes[0].Get("workflowId") != nil {
		out = append(out, source.Field{Key: "workflowId", Value: text(p.root, "id")})
	}
	return out
}

// link is a route of a node.
type link struct {
	from  string
	route flow.Route
}

// edges writes the edges.
func (p *encoding) edges() {
	list := p.root.Get("edges")
	wanted := links(p.After)
	var gone []int
	for i, v := range items(list) {
		c, known := p.links[v]
		switch at := slices.Index(wanted, c); {
		case !known:
		case at >= 0:
			wanted = slices.Delete(wanted, at, at+1)
		default:
			gone = append(gone, i)
		}
	}
	for _, i := range gone {
		c := p.links[list.Items[i]]
		near := func(w link) bool {
			return w.from == c.from && w.route.If == c.route.If && (w.route.When == c.route.When || w.route.To == c.route.To)
		}
		if at := slices.IndexFunc(wanted, near); at >= 0 {
			p.lead(list.Items[i], wanted[at].route)
			wanted = slices.Delete(wanted, at, at+1)
		} else {
			p.Drop(list, i)
		}
	}
	var added []any
	for k, c := range wanted {
		condition, value := always, any(nil)
		if c.route.When != "" {
			condition, value = conditional, c.route.When
		}
		out := p.owned("id", p.edgeID(k))
		out = append(out, source.Field{Key: "sourceNodeId", Value: c.from}, source.Field{Key: "targetNodeId", Value: target(c.route)},
			source.Field{Key: "conditionType", Value: condition}, source.Field{Key: "conditionValue", Value: value})
		added = append(added, out)
	}
	if list == nil && len(added) > 0 {
		p.Set(p.root, "edges", added)
		return
	}
	for _, out := range added {
		p.Add(list, out)
	}
}

// lead changes where an edge leads, or its condition.
func (p *encoding) lead(v *source.Value, r flow.Route) {
	if to := target(r); text(v, "targetNodeId") != r.To {
		p.Set(v, "targetNodeId", to)
	}
	if r.When != "" {
		p.Set(v, "conditionValue", r.When)
	}
}

func target(r flow.Route) any {
	if r.To == flow.End {
		return nil
	}
	return r.To
}

// edgeID is an id that no edge of the file has.
func (p *encoding) edgeID(k int) string {
	for n := len(items(p.root.Get("edges"))) + 1; ; n++ {
		id := fmt.Sprintf("edge-%d", n)
		if !slices.ContainsFunc(items(p.root.Get("edges")), func(v *source.Value) bool { return text(v, "id") == id }) {
			if k--; k < 0 {
				return id
			}
		}
	}
}

func links(f *flow.Flow) (all []link) {
	for i := range f.Nodes {
		for _, r := range f.Nodes[i].Routes {
			all = append(all, link{f.Nodes[i].ID, r})
		}
	}
	return all
}
