package draftchart

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/source"
	"sluice/engine/importer/document"
	"sluice/engine/naming"
)

// maxEdges are the edges of a draft, before and after its decisions are dissolved.
const maxEdges = 10_000

// reader reads the parts of a document and reports what does not fit.
type reader struct{ *document.Source }

// draft reads a draft. What is missing or wrong is reported as an error.
func (r reader) draft(v *source.Value) (d Draft) {
	if v == nil || v.Kind != source.Map {
		r.Error(place(v), "", "wrong-type", "a draft is a mapping", "")
		return Draft{}
	}
	for _, key := range []string{"agent_name", "goal"} {
		if r.text(v, key) == "" {
			r.Error(place(v), "", "missing-key", fmt.Sprintf("the draft has no %s", key), "")
		}
	}
	nodes := v.Get("nodes")
	if nodes == nil || nodes.Kind != source.List || len(nodes.Items) == 0 {
		r.Error(place(v), "", "missing-key", "the draft has no nodes", "")
		return Draft{}
	}
	d = Draft{
		AgentName: r.text(v, "agent_name"), Goal: r.text(v, "goal"), Description: r.text(v, "description"),
		SuccessCriteria: r.texts(v, "success_criteria"), Constraints: r.texts(v, "constraints"),
		EntryNode: r.text(v, "entry_node"), TerminalNodes: r.texts(v, "terminal_nodes"),
	}
	r.nodes(&d, nodes)
	r.edges(&d, v.Get("edges"))
	r.names(&d, v)
	return d
}

// nodes reads the nodes of a draft.
func (r reader) nodes(d *Draft, list *source.Value) {
	seen := map[string]bool{}
	for i, v := range list.Items {
		id := r.text(v, "id")
		switch {
		case v.Kind != source.Map:
			r.Error(v.At, "", "wrong-type", fmt.Sprintf("nodes[%d] is not a mapping", i), "")
			continue
		case id == "":
			r.Error(v.At, "", "missing-key", fmt.Sprintf("nodes[%d] has no id", i), "")
			continue
		case seen[id]:
			r.Error(v.Get("id").At, "", "duplicate-id", fmt.Sprintf("nodes[%d]: the id '%s' is used twice", i, id), "")
			continue
		}
		seen[id] = true
		n := Node{
			ID: id, Name: r.text(v, "name"), Description: r.text(v, "description"), NodeType: r.text(v, "node_type"),
			Tools: r.texts(v, "tools"), InputKeys: r.texts(v, "input_keys"), OutputKeys: r.texts(v, "output_keys"),
			SuccessCriteria: r.text(v, "success_criteria"), DecisionClause: r.text(v, "decision_clause"), SubAgents: r.texts(v, "sub_agents"),
			FlowchartType: flow.FlowchartType(r.text(v, "flowchart_type")),
		}
		if n.NodeType != "" && n.NodeType != typeLoop && n.NodeType != typeBrowser {
			r.Error(v.Get("node_type").At, "", "wrong-value", fmt.Sprintf("unknown node_type '%s' on node '%s'", n.NodeType, id), "event_loop or gcu")
		}
		if _, known := n.FlowchartType.Canonical(); !known {
			r.Warn(v.Get("flowchart_type").At, "", "wrong-value", fmt.Sprintf("unknown flowchart_type '%s' on node '%s': its type is found from what it does", n.FlowchartType, id), "")
		}
		d.Nodes = append(d.Nodes, n)
	}
}

// edges reads the edges of a draft.
func (r reader) edges(d *Draft, list *source.Value) {
	if list == nil || list.Kind == source.Null {
		return
	}
	if list.Kind != source.List {
		r.Error(list.At, "", "wrong-type", "'edges' must be a list", "")
		return
	}
	if len(list.Items) > maxEdges {
		r.Error(list.At, "", "too-many-edges", fmt.Sprintf("the draft has %d edges; it may have %d", len(list.Items), maxEdges), "")
		return
	}
	for i, v := range list.Items {
		e := Edge{
			ID: r.text(v, "id"), Source: r.text(v, "source"), Target: r.text(v, "target"), Condition: r.text(v, "condition"),
			Description: r.text(v, "description"), Label: r.text(v, "label"),
		}
		for _, end := range []struct{ key, id string }{{"source", e.Source}, {"target", e.Target}} {
			if end.id == "" {
				r.Error(v.At, "", "missing-key", fmt.Sprintf("edges[%d] has no %s", i, end.key), "")
			}
		}
		if e.Condition != "" && !slices.Contains(conditions, e.Condition) {
			r.Error(v.Get("condition").At, "", "wrong-value", fmt.Sprintf("edges[%d] has the unknown condition '%s'", i, e.Condition), "one of "+strings.Join(conditions, ", "))
		}
		d.Edges = append(d.Edges, e)
	}
}

// names reports ids that are not those of a node.
func (r reader) names(d *Draft, v *source.Value) {
	var ids []string
	known := map[string]bool{"": true}
	for _, n := range d.Nodes {
		ids, known[n.ID] = append(ids, n.ID), true
	}
	check := func(at *source.Value, where, id string) {
		if !known[id] && !r.Full() {
			r.Error(place(at), "", "unknown-node", fmt.Sprintf("%s: there is no node '%s'", where, id), naming.Suggest(id, ids))
		}
	}
	for i, e := range d.Edges {
		at := v.Get("edges").Items[i]
		check(at.Get("source"), fmt.Sprintf("edges[%d].source", i), e.Source)
		check(at.Get("target"), fmt.Sprintf("edges[%d].target", i), e.Target)
	}
	for _, id := range d.TerminalNodes {
		check(v.Get("terminal_nodes"), "terminal_nodes", id)
	}
	check(v.Get("entry_node"), "entry_node", d.EntryNode)
	for _, n := range d.Nodes {
		for _, id := range n.SubAgents {
			check(v.Get("nodes"), "sub_agents of '"+n.ID+"'", id)
		}
	}
}

// flowchartMap reads the map from run-time nodes to nodes of the draft; nil when there is none.
func (r reader) flowchartMap(v *source.Value) map[string][]string {
	if v == nil || v.Kind != source.Map {
		return nil
	}
	all := map[string][]string{}
	for _, p := range v.Pairs {
		all[p.Key] = r.list(p.Value, "flowchart_map."+p.Key)
	}
	return all
}

// text gives a text of a mapping; a missing one is empty.
func (r reader) text(v *source.Value, key string) string {
	part := v.Get(key)
	switch {
	case part == nil || part.Kind == source.Null:
		return ""
	case part.Kind != source.String:
		r.Error(part.At, "", "wrong-type", fmt.Sprintf("'%s' must be a string, not %s", key, part.Kind.Words()), "")
		return ""
	}
	return strings.TrimSpace(part.Text)
}

// texts gives a list of texts of a mapping; a missing one is empty.
func (r reader) texts(v *source.Value, key string) []string { return r.list(v.Get(key), key) }

func (r reader) list(v *source.Value, key string) []string {
	out := []string{}
	if v == nil || v.Kind == source.Null {
		return out
	}
	if v.Kind != source.List {
		r.Error(v.At, "", "wrong-type", fmt.Sprintf("'%s' must be a list of strings, not %s", key, v.Kind.Words()), "")
		return out
	}
	for _, item := range v.Items {
		if item.Kind != source.String {
			r.Error(item.At, "", "wrong-type", fmt.Sprintf("'%s' must be a list of strings, and one is %s", key, item.Kind.Words()), "")
			continue
		}
		out = append(out, item.Text)
	}
	return out
}

func place(v *source.Value) source.Place {
	if v == nil {
		return source.Place{Line: 1, Column: 1}
	}
	return v.At
}
