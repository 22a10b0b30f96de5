package draftchart

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/source"
	"sluice/engine/importer/document"
)

var form = document.Form{Decode: Decode, Patch: patch, Derived: []string{
	"agents.description", "agents.instructions", "nodes.description", "nodes.criteria", "nodes.name", "nodes.flowchart_type", "nodes.policy",
	"nodes.routes.when", "inputs",
}}

// Encode gives the source of a flow where nothing changed, otherwise the source with what changed.
func Encode(f *flow.Flow) ([]byte, error) { return form.Reencode(f) }

func patch(before, after *flow.Flow, src []byte) ([]byte, error) {
	s, err := document.JSON(before.Name, src)
	if err != nil {
		return nil, err
	}
	l, _, err := reader{s}.decode()
	if err != nil {
		return nil, err
	}
	p := &encoding{root: s.Root, body: s.Root, ids: l.ids}
	for _, key := range []string{"original_draft", "graph"} {
		if inner := s.Root.Get(key); inner != nil {
			p.body = inner
		}
	}
	p.edges = document.Edges{List: p.body.Get("edges")}
	p.Patching = document.NewPatching(s.Edits(), before, after, p.slot)
	if err := p.Values("routes", "on_error", "arrivals"); err != nil {
		return nil, err
	}
	if err := p.nodes(); err != nil {
		return nil, err
	}
	p.routes()
	return p.Bytes()
}

// encoding writes changes into a draft or a runtime graph.
type encoding struct {
	*document.Patching
	root, body *source.Value
	ids        map[string]string // by id of the document: the id in the flow
	edges      document.Edges
}

// written gives the id that the document has, or will have, for a node of the flow.
func (p *encoding) written(id string) string {
	for old, is := range p.ids {
		if is == id {
			return old
		}
	}
	if id == flow.End {
		return ""
	}
	return id
}

// item finds what the document says of a node of the flow.
func (p *encoding) item(id string) *source.Value {
	old := p.written(id)
	for _, v := range items(p.body.Get("nodes")) {
		if written := v.Get("id"); written != nil && strings.TrimSpace(written.Text) == old {
			return v
		}
	}
	return nil
}

func items(v *source.Value) []*source.Value {
	if v == nil {
		return nil
	}
	return v.Items
}

// plainKeys are the keys of a node in the document that a part of the flow repeats, where the document has no value from which it is made.
var plainKeys = map[string]string{"name": "name", "description": "description", "model": "model"}

// slot says how a part of the flow is written.
func (p *encoding) slot(path string) document.Write {
	if path == "description" {
		return p.goal
	}
	if path == "flow.max_iterations" {
		return document.Place(p.body.Get("max_steps"))
	}
	id, key := p.element(path)
	item := p.item(id)
	if item == nil {
		return nil
	}
	return func(e *source.Edits, was, is any) error {
		v, value, ok := document.Said(was, is, p.texts(id, item), document.Trimmed)
		switch {
		case ok:
			e.Put(v, value)
		case key == "tools" && is != nil:
			e.Set(item, "tools", is)
		case plainKeys[key] != "" && is != nil:
			e.Set(item, plainKeys[key], is)
		case key == "instructions":
			p.told(e, item, id, was, is)
		default:
			return document.ErrParts
		}
		return nil
	}
}

// told writes the instructions of a node's agent, where the document gives only its name.
func (p *encoding) told(e *source.Edits, item *source.Value, id string, was, is any) {
	before, _ := was.(string)
	after, _ := is.(string)
	if n := p.Before.Node(id); n != nil && textOf(item, "system_prompt") == "" && textOf(item, "description") == "" {
		if words, ok := document.Words(before, after, document.Trimmed, n.DisplayName()); ok {
			e.Set(item, "description", words)
		}
	}
}

// goal writes the goal.
func (p *encoding) goal(e *source.Edits, _, is any) error {
	if goal := p.root.Get("goal"); goal != nil && goal.Kind == source.Map {
		e.Set(goal, "description", is)
	} else {
		e.Set(p.body, "goal", is)
	}
	return nil
}

// element gives the id of the node that a path is about, and the key of the node or of its agent.
func (p *encoding) element(path string) (id, key string) {
	i := 0
	switch head, rest, _ := strings.Cut(path, "]"); {
	case strings.HasPrefix(head, "flow.nodes["):
		if _, err := fmt.Sscanf(head, "flow.nodes[%d", &i); err == nil {
			return p.Before.Nodes[i].ID, strings.TrimPrefix(rest, ".")
		}
	case strings.HasPrefix(head, "agents["):
		if _, err := fmt.Sscanf(head, "agents[%d", &i); err == nil {
			return p.Before.Agents[i].ID, strings.TrimPrefix(rest, ".")
		}
	}
	return "", ""
}

// texts lists the values of the document from which a node is made: its own, those of its edges, and the questions of decisions.
func (p *encoding) texts(id string, item *source.Value) (all []*source.Value) {
	own := func(v *source.Value, keys ...string) {
		for _, pair := range v.Pairs {
			if slices.Contains(keys, pair.Key) {
				all = append(all, pair.Value)
			}
		}
	}
	own(item, "system_prompt", "description", "name", "success_criteria", "decision_clause", "model", "max_retries")
	for _, v := range items(p.body.Get("edges")) {
		if v.Get("source") != nil && v.Get("source").Text == p.written(id) {
			own(v, "condition_expr", "description", "label")
		}
	}
	if n := p.Before.Node(id); n != nil {
		for _, c := range n.Criteria {
			if decision := p.item(c.ID); decision != nil && decision != item {
				own(decision, "decision_clause", "description", "name")
			}
		}
	}
	return all
}

// nodes writes the nodes that come, and takes those out that go.
func (p *encoding) nodes() error {
	list := p.body.Get("nodes")
	for i, v := range items(list) {
		id := strings.TrimSpace(textOf(v, "id"))
		if p.Before.Node(p.ids[id]) == nil || p.After.Node(p.ids[id]) != nil {
			continue
		}
		p.Drop(list, i)
		next, err := p.edges.Without(p.Edits, id)
		if err != nil {
			return err
		}
		p.forget(id, next)
	}
	for i := range p.After.Nodes {
		n := &p.After.Nodes[i]
		spec, isAgent := n.Spec.(*flow.AgentSpec)
		if p.Before.Node(n.ID) == nil && isAgent {
			p.Add(list, p.added(n, p.After.AgentByID(spec.Agent)))
			p.last(n)
		}
	}
	return nil
}

func textOf(v *source.Value, key string) string {
	if part := v.Get(key); part != nil {
		return part.Text
	}
	return ""
}

// forget takes a node out of the lists that name it.
func (p *encoding) forget(id, next string) {
	if textOf(p.body, "entry_node") == id && next != "" {
		p.Set(p.body, "entry_node", next)
	}
	for _, key := range []string{"terminal_nodes", "pause_nodes"} {
		p.unlist(p.body.Get(key), id)
	}
	if mapped := p.root.Get("flowchart_map"); mapped != nil {
		p.Remove(mapped, id)
	}
	for _, v := range items(p.body.Get("nodes")) {
		p.unlist(v.Get("sub_agents"), id)
	}
}

func (p *encoding) unlist(list *source.Value, id string) {
	for i, v := range items(list) {
		if v.Text == id {
			p.Drop(list, i)
		}
	}
}

// added is a node that came, as the format has it.
func (p *encoding) added(n *flow.Node, a *flow.Agent) []source.Field {
	out := []source.Field{{Key: "id", Value: n.ID}, {Key: "name", Value: n.DisplayName()}}
	words := n.Description
	if a != nil {
		words = cmp.Or(a.Instructions, words)
	}
	if p.root.Get("graph") != nil {
		out = append(out, source.Field{Key: "node_type", Value: typeLoop}, source.Field{Key: "system_prompt", Value: words})
	}
	return append(out, source.Field{Key: "description", Value: cmp.Or(n.Description, words)})
}

// last keeps the list of the last nodes right, and the map of a published draft.
func (p *encoding) last(n *flow.Node) {
	if mapped := p.root.Get("flowchart_map"); mapped != nil {
		p.Set(mapped, n.ID, []any{n.ID})
	}
	list := p.body.Get("terminal_nodes")
	if list == nil || len(n.Routes) > 0 {
		return
	}
	for i := range p.Before.Nodes {
		was := &p.Before.Nodes[i]
		is := p.After.Node(was.ID)
		if is != nil && len(was.Routes) == 0 && slices.ContainsFunc(is.Routes, func(r flow.Route) bool { return r.To == n.ID }) {
			p.unlist(list, p.written(was.ID))
		}
	}
	p.Add(list, n.ID)
}

// routes writes where the edges of nodes lead that were there before, and the edges of those that come.
func (p *encoding) routes() {
	if p.edges.List == nil {
		return // a chain
	}
	for i := range p.After.Nodes {
		is := &p.After.Nodes[i]
		var was []flow.Route
		if n := p.Before.Node(is.ID); n != nil {
			was = n.Routes
		}
		for _, r := range is.Routes {
			for len(was) > 0 && p.gone(was[0].To) && (was[0].If != r.If || was[0].When != r.When) {
				was = was[1:]
			}
			if len(was) == 0 {
				p.Add(p.edges.List, p.edge(is.ID, r))
				continue
			}
			p.route(is.ID, was[0], r)
			was = was[1:]
		}
	}
}

// gone reports whether a node was there before.
func (p *encoding) gone(id string) bool { return p.Before.Node(id) != nil && p.After.Node(id) == nil }

// route writes where an edge leads, its condition and its label.
func (p *encoding) route(from string, was, is flow.Route) {
	switch {
	case p.Before.Node(is.To) != nil && p.gone(was.To):
		// the node between them is gone, and its edges with it
	case was.To != is.To:
		p.edges.Lead(p.Edits, p.written(from), p.written(was.To), p.written(is.To))
	default:
		p.said(from, "description", was, was.When, is.When)
		p.said(from, "label", was, was.Label, is.Label)
	}
}

// said writes the condition or the label of an edge. key is where it is written if the edge has none.
func (p *encoding) said(from, key string, r flow.Route, was, is string) {
	if was == is {
		return
	}
	if v, value, ok := document.Said(was, is, p.texts(from, p.item(from)), document.Trimmed); ok {
		p.Put(v, value)
	} else if edge := p.edges.Between(p.written(from), p.written(r.To)); edge != nil && (key == "label" || r.If == flow.IfLLM) {
		p.Set(edge, key, is)
	}
}

// edge is an edge that came, as the format has it.
func (p *encoding) edge(from string, r flow.Route) []source.Field {
	out := []source.Field{}
	list := items(p.edges.List)
	if len(list) > 0 && list[0].Get("id") != nil {
		id := "edge-" + p.written(from) + "-" + p.written(r.To)
		for slices.ContainsFunc(list, func(v *source.Value) bool { return textOf(v, "id") == id }) {
			id += "-"
		}
		out = append(out, source.Field{Key: "id", Value: id})
	}
	out = append(out, source.Field{Key: "source", Value: p.written(from)}, source.Field{Key: "target", Value: p.written(r.To)})
	condition := onSuccess
	if r.If == flow.IfAlways {
		condition = always
	}
	return append(out, source.Field{Key: "condition", Value: condition})
}
