package draftchart

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sluice/engine/flow"
)

// Enrich fills in what an author may leave out: names, edges from each node to the next, ids of edges, the first and the last nodes, and the
// type, shape and colour of every node. It also corrects what a runtime graph cannot have, and says so in a sentence each: browser nodes are
// agents that the nodes before them call, and nodes without a connection to the first one are left out.
func Enrich(d Draft) (enriched Draft, corrections []string) {
	d = d.clone()
	if len(d.Nodes) == 0 {
		return d, nil
	}
	linked(&d)
	for i := range d.Nodes {
		n := &d.Nodes[i]
		n.Name = cmp.Or(n.Name, titled(n.ID))
		n.NodeType = cmp.Or(n.NodeType, typeLoop)
		n.Tools, n.InputKeys, n.OutputKeys = orEmpty(n.Tools), orEmpty(n.InputKeys), orEmpty(n.OutputKeys)
	}
	d.SuccessCriteria, d.Constraints = orEmpty(d.SuccessCriteria), orEmpty(d.Constraints)
	d.EntryNode = cmp.Or(d.EntryNode, d.Nodes[0].ID)
	corrections = attachAgents(&d)
	corrections = append(corrections, dropUnconnected(&d)...)
	showAgents(&d)
	numberEdges(&d)
	d.TerminalNodes = terminals(d)
	out := map[string][]Edge{}
	for _, e := range d.Edges {
		if !d.delegates(e) {
			out[e.Source] = append(out[e.Source], e)
		}
	}
	called := d.called()
	for i := range d.Nodes {
		n := &d.Nodes[i]
		last := slices.Contains(d.TerminalNodes, n.ID) || len(out[n.ID]) == 0 && !called[n.ID]
		n.paint(Classify(*n, n.ID == d.EntryNode, last, out[n.ID]))
	}
	d.Legend = Legend()
	return d, corrections
}

// paint gives a node its type with the shape and colour of it.
func (n *Node) paint(t flow.FlowchartType) {
	n.FlowchartType, n.FlowchartShape, n.FlowchartColor = t, drawings[t].Shape, drawings[t].Color
}

// Legend is the shape and colour of every flowchart type.
func Legend() map[flow.FlowchartType]Drawing {
	all := map[flow.FlowchartType]Drawing{}
	maps.Copy(all, drawings)
	return all
}

// Classify finds the flowchart type of a node. The first rule that applies decides: the author's own type, browser automation, the
// first node, a last node, edges under different conditions, agents that it calls, its tools, its description.
func Classify(n Node, first, last bool, out []Edge) flow.FlowchartType {
	explicit, known := n.FlowchartType.Canonical()
	switch {
	case known && explicit != "":
		return explicit
	case n.NodeType == typeBrowser:
		return flow.TypeBrowser
	case first:
		return flow.TypeStart
	case last:
		return flow.TypeTerminal
	case decides(out):
		return flow.TypeDecision
	case len(n.SubAgents) > 0:
		return flow.TypeSubprocess
	}
	return cmp.Or(flow.TypeOfTools(n.Tools), flow.TypeOfWords(n.Description), flow.TypeProcess)
}

// decides reports whether edges lead to different nodes under different conditions.
func decides(out []Edge) bool {
	return len(out) >= 2 && slices.ContainsFunc(out, func(e Edge) bool { return cmp.Or(e.Condition, onSuccess) != onSuccess })
}

// linked connects each node with the next when the draft has no edges.
func linked(d *Draft) {
	if len(d.Edges) > 0 {
		return
	}
	for i := 1; i < len(d.Nodes); i++ {
		d.Edges = append(d.Edges, Edge{Source: d.Nodes[i-1].ID, Target: d.Nodes[i].ID})
	}
}

// numberEdges gives every edge a condition, and an id where it has none or that of another one.
func numberEdges(d *Draft) {
	taken := map[string]bool{}
	for _, e := range d.Edges {
		taken[e.ID] = true
	}
	seen := map[string]bool{}
	for i := range d.Edges {
		e := &d.Edges[i]
		e.Condition = cmp.Or(e.Condition, onSuccess)
		if e.ID == "" || seen[e.ID] {
			id := fmt.Sprintf("edge-%d", i)
			for k := len(d.Edges); taken[id]; k++ {
				id = fmt.Sprintf("edge-%d", k)
			}
			e.ID, taken[id] = id, true
		}
		seen[e.ID] = true
	}
}

// terminals lists the last nodes: those that the author named, else those without edges. When all nodes have edges it is the last of the list.
func terminals(d Draft) []string {
	called := d.called()
	out := map[string]bool{}
	for _, e := range d.Edges {
		out[e.Source] = out[e.Source] || !d.delegates(e)
	}
	last := []string{}
	for _, id := range d.TerminalNodes {
		if d.node(id) != nil && !called[id] && !slices.Contains(last, id) {
			last = append(last, id)
		}
	}
	if len(last) > 0 {
		return last
	}
	for _, n := range d.Nodes {
		if !out[n.ID] && !called[n.ID] {
			last = append(last, n.ID)
		}
	}
	if len(last) == 0 {
		last = append(last, d.Nodes[len(d.Nodes)-1].ID)
	}
	return last
}

// titled turns an id into a name: "check-tier" is "Check Tier".
func titled(id string) string {
	words := strings.FieldsFunc(id, func(r rune) bool { return r == '-' || r == '_' })
	for i, w := range words {
		first, size := utf8.DecodeRuneInString(w)
		words[i] = string(unicode.ToTitle(first)) + w[size:]
	}
	return cmp.Or(strings.Join(words, " "), id)
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
