package draftchart

import (
	"slices"

	"sluice/engine/flow"
)

// Draft is a chart under discussion. The fields after Constraints, and most of a node's, are filled in by [Enrich].
type Draft struct {
	AgentName       string                         `json:"agent_name"`
	Goal            string                         `json:"goal"`
	Description     string                         `json:"description"`
	SuccessCriteria []string                       `json:"success_criteria"`
	Constraints     []string                       `json:"constraints"`
	EntryNode       string                         `json:"entry_node"`
	TerminalNodes   []string                       `json:"terminal_nodes"`
	Nodes           []Node                         `json:"nodes"`
	Edges           []Edge                         `json:"edges"`
	Legend          map[flow.FlowchartType]Drawing `json:"flowchart_legend"`
}

// Node is a node of a draft.
type Node struct {
	ID              string             `json:"id"`
	Name            string             `json:"name"`
	Description     string             `json:"description"`
	NodeType        string             `json:"node_type"`
	Tools           []string           `json:"tools"` // hints
	InputKeys       []string           `json:"input_keys"`
	OutputKeys      []string           `json:"output_keys"`
	SuccessCriteria string             `json:"success_criteria"`
	DecisionClause  string             `json:"decision_clause"`
	SubAgents       []string           `json:"sub_agents"` // nodes that the node's agent calls
	FlowchartType   flow.FlowchartType `json:"flowchart_type"`
	FlowchartShape  string             `json:"flowchart_shape"`
	FlowchartColor  string             `json:"flowchart_color"`
}

// Edge is an edge of a draft.
type Edge struct {
	ID          string `json:"id"`
	Source      string `json:"source"`
	Target      string `json:"target"`
	Condition   string `json:"condition"`
	Description string `json:"description"`
	Label       string `json:"label"`
}

// Drawing is the shape and colour of a flowchart type.
type Drawing struct {
	Shape string `json:"shape"`
	Color string `json:"color"`
}

// The types of nodes. A node of type gcu works with a browser.
const (
	typeLoop    = "event_loop"
	typeBrowser = "gcu"
)

// The conditions of edges.
const (
	always      = "always"
	onSuccess   = "on_success"
	onFailure   = "on_failure"
	conditional = "conditional"
	llmDecide   = "llm_decide"
)

var conditions = []string{always, onSuccess, onFailure, conditional, llmDecide}

// The labels of the edges between a node and the agents that it calls.
const (
	labelDelegate = "delegate"
	labelReport   = "report"
)

// drawings are the published shapes and colours.
var drawings = map[flow.FlowchartType]Drawing{
	flow.TypeStart:      {"stadium", "#8aad3f"},
	flow.TypeTerminal:   {"stadium", "#b5453a"},
	flow.TypeProcess:    {"rectangle", "#b5a575"},
	flow.TypeDecision:   {"diamond", "#d89d26"},
	flow.TypeIO:         {"parallelogram", "#d06818"},
	flow.TypeDocument:   {"document", "#c4b830"},
	flow.TypeDatabase:   {"cylinder", "#508878"},
	flow.TypeSubprocess: {"subroutine", "#887a48"},
	flow.TypeBrowser:    {"hexagon", "#cc8850"},
}

// clone is a copy whose nodes and edges can be changed.
func (d Draft) clone() Draft {
	nodes := make([]Node, len(d.Nodes))
	for i, n := range d.Nodes {
		n.SubAgents = append([]string{}, n.SubAgents...)
		nodes[i] = n
	}
	d.Nodes = nodes
	d.Edges = append([]Edge{}, d.Edges...)
	d.TerminalNodes = append([]string{}, d.TerminalNodes...)
	return d
}

// node gives the node with an id, or nil.
func (d *Draft) node(id string) *Node {
	for i := range d.Nodes {
		if d.Nodes[i].ID == id {
			return &d.Nodes[i]
		}
	}
	return nil
}

// from lists the edges that leave a node, to those that lead to it.
func (d *Draft) from(id string) []Edge {
	return d.edges(func(e Edge) bool { return e.Source == id })
}

func (d *Draft) to(id string) []Edge {
	return d.edges(func(e Edge) bool { return e.Target == id })
}

func (d *Draft) edges(want func(e Edge) bool) []Edge {
	var out []Edge
	for _, e := range d.Edges {
		if want(e) {
			out = append(out, e)
		}
	}
	return out
}

// delegates reports whether an edge only shows that a node calls another as its agent.
func (d *Draft) delegates(e Edge) bool {
	return d.calls(e.Source, e.Target) || d.calls(e.Target, e.Source)
}

func (d *Draft) calls(caller, called string) bool {
	n := d.node(caller)
	if n == nil {
		return false
	}
	return slices.Contains(n.SubAgents, called)
}

// called lists the nodes that other nodes call as their agents.
func (d *Draft) called() map[string]bool {
	all := map[string]bool{}
	for _, n := range d.Nodes {
		for _, id := range n.SubAgents {
			all[id] = true
		}
	}
	return all
}
