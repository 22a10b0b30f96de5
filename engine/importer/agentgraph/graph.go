package agentgraph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow/source"
	"sluice/engine/importer/document"
	"sluice/engine/naming"
)

// The types of nodes.
const (
	typeStart    = "start"
	typeAgent    = "agent"
	typeIf       = "if"
	typeApproval = "approval"
	typeInput    = "input" // the older name of an approval
	typeEnd      = "end"   // of older documents; a path ends without it
)

// The handles of connections.
const (
	handleSubagent = "subagent"
	handleInput    = "input"
	handleFalse    = "false"
	handleTrue     = "true" // the older name of the first condition
	handleApprove  = "approve"
	handleReject   = "reject"
)

// The values that the editor of the format gives.
const (
	defaultSystem   = "You are a helpful assistant."
	defaultName     = "Agent"
	defaultApproval = "Review and approve this step."
	placeholder     = "{{PREVIOUS_OUTPUT}}"
)

// node is a node of a document.
type node struct {
	id, kind string
	at       *source.Value
	data     *source.Value
}

// connection is an edge of a document.
type connection struct {
	source, target, handle, targetHandle string
	at                                   *source.Value
}

// condition is one condition of an if.
type condition struct{ operator, value string }

// graph is a document.
type graph struct {
	name        string
	nodes       []node
	connections []connection
	index       map[string]int
}

// reader reads a document and reports what does not fit.
type reader struct{ *document.Source }

func (r reader) graph() (g graph) {
	g.index = map[string]int{}
	g.name = text(r.Root, "name")
	dropped := map[string]bool{}
	for i, v := range list(r.Root, "nodes") {
		n := node{id: text(v, "id"), kind: text(v, "type"), at: v, data: v.Get("data")}
		switch {
		case n.id == "":
			r.Error(v.At, "", "missing-key", fmt.Sprintf("nodes[%d] has no id", i), "")
			continue
		case n.kind == typeEnd:
			dropped[n.id] = true
			continue
		case n.kind == typeInput:
			n.kind = typeApproval
		}
		if _, twice := g.index[n.id]; twice {
			r.Error(v.At, "", "duplicate-id", fmt.Sprintf("the id '%s' is used twice", n.id), "")
			continue
		}
		g.index[n.id] = len(g.nodes)
		g.nodes = append(g.nodes, n)
	}
	for i, v := range list(r.Root, "connections") {
		c := connection{source: text(v, "source"), target: text(v, "target"), handle: text(v, "sourceHandle"), targetHandle: text(v, "targetHandle"), at: v}
		if dropped[c.source] || dropped[c.target] {
			continue
		}
		if r.known(g, c, i) {
			if g.nodes[g.index[c.source]].kind == typeIf && c.handle == handleTrue {
				c.handle = conditionHandle(0)
			}
			g.connections = append(g.connections, c)
		}
	}
	return g
}

// known reports a connection whose ends are no nodes.
func (r reader) known(g graph, c connection, i int) bool {
	for _, end := range []struct{ key, id string }{{"source", c.source}, {"target", c.target}} {
		if _, known := g.index[end.id]; !known {
			r.Error(c.at.At, "", "unknown-node", fmt.Sprintf("connections[%d].%s: there is no node '%s'", i, end.key, end.id), r.near(g, end.id))
			return false
		}
	}
	return true
}

// near names the nodes that an id may mean.
func (r reader) near(g graph, id string) string {
	if r.Full() {
		return ""
	}
	ids := make([]string, len(g.nodes))
	for k, n := range g.nodes {
		ids[k] = n.id
	}
	return naming.Suggest(id, ids)
}

// execution lists the connections of a node that advance a run.
func (g graph) execution(id string) []connection {
	return g.where(func(c connection) bool { return c.source == id && c.handle != handleSubagent })
}

func (g graph) where(want func(c connection) bool) (out []connection) {
	for _, c := range g.connections {
		if want(c) {
			out = append(out, c)
		}
	}
	return out
}

// subagents lists the agents that an agent calls.
func (g graph) subagents(id string) (ids []string) {
	for _, c := range g.where(func(c connection) bool { return c.source == id && c.handle == handleSubagent }) {
		if !slices.Contains(ids, c.target) {
			ids = append(ids, c.target)
		}
	}
	return ids
}

// conditions are those of an if. An older document has one text, which the input must contain.
func (n node) conditions() (all []condition) {
	if len(list(n.data, "conditions")) == 0 {
		if old := n.data.Get("condition"); old != nil {
			return []condition{{"contains", old.Text}}
		}
		return []condition{{"equal", ""}}
	}
	for _, v := range list(n.data, "conditions") {
		all = append(all, condition{cmp.Or(text(v, "operator"), "equal"), text(v, "value")})
	}
	return all
}

func conditionHandle(i int) string { return fmt.Sprintf("condition-%d", i) }

// slug writes a name as a part of the name of a tool.
func slug(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.Join(words, "_")
}

// text gives a text of a mapping; anything else is empty.
func text(v *source.Value, key string) string {
	if part := v.Get(key); part != nil && (part.Kind == source.String || part.Kind == source.Number || part.Kind == source.Bool) {
		return part.Text
	}
	return ""
}

func flag(v *source.Value, key string) bool {
	on := false
	if part := v.Get(key); part != nil {
		on, _ = part.Data.(bool)
	}
	return on
}

func list(v *source.Value, key string) []*source.Value {
	if part := v.Get(key); part != nil {
		return part.Items
	}
	return nil
}
