package chart

import (
	"slices"

	"sluice/engine/flow"
)

// Chart is the picture of a flow: nodes and edges with flowchart types, and the map from run-time nodes to chart nodes.
// It holds no coordinates; package render lays it out.
type Chart struct {
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Nodes       []Node `json:"nodes"`
	Edges       []Edge `json:"edges"`
	// Map names, for every run-time node id, the chart nodes that show its status.
	Map map[string][]string `json:"map,omitempty"`
	// Shown names, for every edge that facts of a run name, the edges of an author's own chart that show it; nil = the edge of that id.
	Shown map[string][]string `json:"shown,omitempty"`
}

// Node is one node of the chart.
type Node struct {
	ID          string             `json:"id"`
	Name        string             `json:"name"`
	Description string             `json:"description,omitempty"`
	Type        flow.FlowchartType `json:"type"`
	// Number is what people call the node in chat ("2a goes to Ana"); empty for the drawn start and end, which have none.
	Number string `json:"number,omitempty"`
	// Person marks a step of a person: an approval or a question. It is drawn in a shape and colour of its own, whatever its type.
	Person bool `json:"person,omitempty"`
	// Stub marks an ending beside the main path that only posts a message to the requester. It is drawn small, and no edge leads on from it.
	Stub bool `json:"stub,omitempty"`
	// Open marks a step that needs an answer before the flow can be approved.
	Open bool `json:"open,omitempty"`
	// Tools are the names of the tools that the step may call, and Criteria what its result is judged by. They show when
	// the pointer rests on the shape.
	Tools    []string `json:"tools,omitempty"`
	Criteria []string `json:"criteria,omitempty"`
	// Link is an address to open when the shape is clicked, such as a page of the subflow.
	Link string `json:"link,omitempty"`
}

// Edge is one edge of the chart. Its ID equals the edge id that facts of a run name when the route is taken.
type Edge struct {
	ID    string `json:"id"`
	From  string `json:"from"`
	To    string `json:"to"`
	Label string `json:"label,omitempty"`
	// Description is the condition in words or as an expression, for tooltips.
	Description string `json:"description,omitempty"`
	// Error marks a route that is taken on a technical error.
	Error bool `json:"error,omitempty"`
}

// Taken gives the edges that are taken when a fact of a run names an edge.
func (p Chart) Taken(edge string) []string {
	if p.Shown == nil {
		return []string{edge}
	}
	return p.Shown[edge]
}

// Numbered is the chart with the author's numbers, such as "2" or "2a", by the ids of run-time nodes. Every other node has none, and no stub
// has that of the step that it ends.
func (p Chart) Numbered(numbers map[string]string) Chart {
	steps := map[string]bool{}
	return p.changed(func(n *Node, id string) {
		n.Number = numbers[id]
		if n.Stub && steps[n.Number] {
			n.Number = ""
		}
		steps[n.Number] = true
	})
}

// WithOpen is the chart in which exactly the given run-time nodes are marked as steps that need an answer.
func (p Chart) WithOpen(ids ...string) Chart {
	return p.changed(func(n *Node, id string) { n.Open = n.ID == id && slices.Contains(ids, id) })
}

// changed is a copy of the chart. set is called for every node with the id of its run-time node, or "" where it has none.
func (p Chart) changed(set func(n *Node, id string)) Chart {
	of := map[string]string{}
	for id, shapes := range p.Map {
		for _, shape := range shapes {
			of[shape] = id
		}
	}
	p.Nodes = slices.Clone(p.Nodes)
	for i := range p.Nodes {
		set(&p.Nodes[i], of[p.Nodes[i].ID])
	}
	return p
}
