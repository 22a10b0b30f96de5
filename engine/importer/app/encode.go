package app

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/file"
	"sluice/engine/flow/names"
	"sluice/engine/flow/source"
	"sluice/engine/importer/document"
)

var form = document.Form{Decode: Decode, Patch: patch, Derived: []string{"inputs"}}

// Encode gives the source of a flow where nothing changed, otherwise the source with what changed. The channels of the source stay, whether they
// start the flow here or not.
func Encode(f *flow.Flow) ([]byte, error) { return form.Reencode(withoutStarts(f)) }

// withoutStarts says of the channels of a flow's source that start it neither by their names nor by what stands for them that they were left:
// flows that an earlier release has read start by none.
func withoutStarts(f *flow.Flow) *flow.Flow {
	src, ok := document.Original(f)
	if !ok {
		return f
	}
	doc, err := Decode(f.Name, src)
	if err != nil {
		return f
	}
	table, changed := document.Names(f), false
	for _, t := range doc.Flow.Triggers {
		name := names.Name{Kind: names.Channel, Text: t.Message.Channel}
		here := cmp.Or(table[name.String()], t.Message.Channel)
		if !table.Left(name) && !slices.ContainsFunc(f.Triggers, func(s flow.Trigger) bool { return s.Message != nil && s.Message.Channel == here }) {
			table[name.String()], changed = "", true
		}
	}
	if !changed {
		return f
	}
	return document.With(f, table)
}

func patch(before, after *flow.Flow, src []byte) ([]byte, error) {
	s, err := document.YAML(before.Name, src)
	if err != nil {
		return nil, err
	}
	r, err := newReading(s)
	if err != nil {
		return nil, err
	}
	doc, _ := r.file()
	p := &encoding{reading: r, doc: doc}
	p.Patching = document.NewPatching(s.Edits(), before, after, p.slot)
	if err := p.Values("routes"); err != nil {
		return nil, err
	}
	p.agents()
	p.nodes()
	return p.Bytes()
}

// encoding writes changes into an app.
type encoding struct {
	*document.Patching
	*reading
	doc *file.Document
}

// agentKeys are the keys of an agent in the file, by those of a flow.
var agentKeys = map[string]string{"instructions": "system_prompt", "description": "specialty"}

// slot says how a part of the flow is written.
func (p *encoding) slot(path string) document.Write {
	key := path[strings.LastIndexByte(path, '.')+1:]
	in, v := p.doc.Value(flow.ParentPath(path)), p.doc.Value(path)
	agent := 0
	n, _ := fmt.Sscanf(path, "agents[%d].", &agent)
	switch {
	case path == "description" && v == nil:
		in = p.graph
	case n == 1 && agentKeys[key] != "":
		in, key = items(p.root.Get("agents"))[agent], agentKeys[key]
		for _, other := range descriptionKeys {
			if d := in.Get(other); agentKeys["description"] == key && d != nil && d == v {
				key = other
			}
		}
	case n == 1 && key == "model":
		return brainModel(items(p.root.Get("agents"))[agent].Get("brain"))
	case v != nil:
		return func(e *source.Edits, _, value any) error {
			switch {
			case value != nil:
				e.Put(v, value)
			case in != nil:
				e.Remove(in, key)
			}
			return nil
		}
	}
	if in == nil || in.Kind != source.Map || key == "" {
		return nil
	}
	return func(e *source.Edits, _, value any) error {
		if value != nil {
			e.Set(in, key, value)
		}
		return nil
	}
}

// brainModel writes the model of an agent: the provider and the model of its brain.
func brainModel(brain *source.Value) document.Write {
	if brain == nil || brain.Kind != source.Map {
		return nil
	}
	return func(e *source.Edits, _, value any) error {
		name, _ := value.(string)
		provider, model, both := strings.Cut(name, "/")
		if !both {
			provider, model = "", name
		}
		for key, is := range map[string]string{"provider": provider, "model": model} {
			was := brain.Get(key)
			switch {
			case is == "":
				e.Remove(brain, key)
			case was == nil || was.Text != is:
				e.Set(brain, key, is)
			}
		}
		return nil
	}
}

func items(v *source.Value) []*source.Value {
	if v == nil {
		return nil
	}
	return v.Items
}

// agents writes the agents that come, and takes those out that go.
func (p *encoding) agents() {
	list := p.root.Get("agents")
	for i, v := range items(list) {
		if id := v.Get("id"); id != nil && p.After.AgentByID(id.Text) == nil {
			p.Drop(list, i)
		}
	}
	for i := range p.After.Agents {
		a := &p.After.Agents[i]
		if p.Before.AgentByID(a.ID) != nil || list == nil {
			continue
		}
		out := []source.Field{{Key: "id", Value: a.ID}}
		if a.Description != "" {
			out = append(out, source.Field{Key: "specialty", Value: a.Description})
		}
		p.Add(list, append(out, source.Field{Key: "system_prompt", Value: a.Instructions}))
	}
}

// nodes writes the nodes that come, takes those out that go, and writes the routes of the others.
func (p *encoding) nodes() {
	list := p.graph.Get("nodes")
	for i, v := range list.Items {
		id := v.Get("id")
		if id == nil {
			continue
		}
		before, after := p.Before.Node(id.Text), p.After.Node(id.Text)
		switch {
		case before == nil:
		case after == nil:
			p.Drop(list, i)
		default:
			p.routes(v, before, after)
		}
	}
	for i := range p.After.Nodes {
		if n := &p.After.Nodes[i]; p.Before.Node(n.ID) == nil {
			p.Add(list, fields(n))
		}
	}
}

// routes writes the routes of a node.
func (p *encoding) routes(v *source.Value, before, after *flow.Node) {
	list, was, is := v.Get("routes"), routesOf(before), routesOf(after)
	switch {
	case slices.EqualFunc(was, is, maps.Equal):
	case list == nil:
		var all []any
		for _, r := range is {
			all = append(all, route(r))
		}
		p.Set(v, "routes", all)
	case len(was) == len(is) && len(was) == len(list.Items):
		for i := range is {
			for _, key := range []string{"when", "to"} {
				switch item := list.Items[i]; {
				case was[i][key] == is[i][key]:
				case is[i][key] == "":
					p.Remove(item, key)
				default:
					p.Set(item, key, is[i][key])
				}
			}
		}
	default:
		p.comeAndGo(list, was, is)
	}
}

// comeAndGo takes routes out of a list, and writes others at its end.
func (p *encoding) comeAndGo(list *source.Value, was, is []map[string]string) {
	for i, r := range was {
		at := slices.IndexFunc(is, func(o map[string]string) bool { return maps.Equal(o, r) })
		if at >= 0 {
			is = slices.Delete(slices.Clone(is), at, at+1)
		} else if i < len(list.Items) {
			p.Drop(list, i)
		}
	}
	for _, r := range is {
		p.Add(list, route(r))
	}
}

func routesOf(n *flow.Node) (all []map[string]string) {
	for _, r := range n.Routes {
		all = append(all, map[string]string{"when": r.When, "to": r.To})
	}
	return all
}

// route is a route as the format has it.
func route(r map[string]string) []source.Field {
	if r["when"] == "" {
		return []source.Field{{Key: "to", Value: r["to"]}}
	}
	return []source.Field{{Key: "when", Value: r["when"]}, {Key: "to", Value: r["to"]}}
}

// fields is a node that came, as the format has it.
func fields(n *flow.Node) []source.Field {
	var all map[string]any
	if body, err := json.Marshal(n); err != nil || json.Unmarshal(body, &all) != nil {
		return nil
	}
	out := []source.Field{}
	first := []string{"id", "type", "description"}
	for _, key := range append(first, slices.Sorted(maps.Keys(all))...) {
		if v, has := all[key]; has && key != "routes" && key != "deadline" {
			out = append(out, source.Field{Key: key, Value: v})
			delete(all, key)
		}
	}
	var routes []any
	for _, r := range routesOf(n) {
		routes = append(routes, route(r))
	}
	if len(routes) > 0 {
		out = append(out, source.Field{Key: "routes", Value: routes})
	}
	return out
}
