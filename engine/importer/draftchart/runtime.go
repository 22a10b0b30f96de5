package draftchart

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/source"
)

// Graph is the runtime graph of an agent.
type Graph struct {
	Name            string        `json:"name"`
	Description     string        `json:"description"`
	Goal            string        `json:"goal"`
	SuccessCriteria []string      `json:"success_criteria"`
	Constraints     []string      `json:"constraints"`
	Identity        string        `json:"identity_prompt"`
	EntryNode       string        `json:"entry_node"`
	TerminalNodes   []string      `json:"terminal_nodes"`
	PauseNodes      []string      `json:"pause_nodes"`
	Nodes           []RuntimeNode `json:"nodes"`
	Edges           []RuntimeEdge `json:"edges"`
	MaxSteps        int           `json:"max_steps"`
}

// RuntimeNode is a node of a runtime graph.
type RuntimeNode struct {
	Node
	SystemPrompt string   `json:"system_prompt"`
	Model        string   `json:"model"`
	Nullable     []string `json:"nullable_output_keys"`
	ClientFacing bool     `json:"client_facing"`
	MaxRetries   int      `json:"max_retries"`
	MaxVisits    int      `json:"max_node_visits"` // 0 = no cap
}

// RuntimeEdge is an edge of a runtime graph.
type RuntimeEdge struct {
	Edge
	Expr     string            `json:"condition_expr"` // empty = the condition holds
	Priority int               `json:"priority"`
	Mapping  map[string]string `json:"input_mapping"` // by input of the target: the key whose value it gets

	verdicts []verdict // that lead to it, of decisions that were dissolved
	asks     string    // a question to a model; empty = Expr decides
	drawn    []string  // ids of the edges that are drawn for it
}

// verdict is an answer to the clause of a decision.
type verdict struct {
	decision string
	met      bool
}

const (
	defaultSteps = 100 // of a run
	maxDecisions = 30  // on one way from a node to the next
)

// graph reads a runtime graph: {agent, goal, graph}.
func (r reader) graph(root *source.Value) (g Graph) {
	v, goal := root.Get("graph"), root.Get("goal")
	g = Graph{
		Name: r.text(root.Get("agent"), "id"), Description: r.text(root.Get("agent"), "description"),
		Goal: r.text(goal, "description"), SuccessCriteria: r.descriptions(goal, "success_criteria"), Constraints: r.descriptions(goal, "constraints"),
		Identity: r.text(v, "identity_prompt"), EntryNode: r.text(v, "entry_node"), TerminalNodes: r.texts(v, "terminal_nodes"),
		PauseNodes: r.texts(v, "pause_nodes"), MaxSteps: r.number(v, "max_steps"),
	}
	if g.Name == "" {
		g.Name = r.text(v, "id")
	}
	nodes, edges := v.Get("nodes"), v.Get("edges")
	if nodes == nil || nodes.Kind != source.List || len(nodes.Items) == 0 {
		r.Error(place(v), "", "missing-key", "the graph has no nodes", "")
		return g
	}
	draft := Draft{EntryNode: g.EntryNode, TerminalNodes: g.TerminalNodes}
	r.nodes(&draft, withoutTypes(nodes))
	r.edges(&draft, edges)
	r.names(&draft, v)
	for i, k := 0, 0; i < len(nodes.Items) && k < len(draft.Nodes); i++ {
		if r.text(nodes.Items[i], "id") == draft.Nodes[k].ID {
			g.Nodes = append(g.Nodes, r.runtimeNode(draft.Nodes[k], nodes.Items[i]))
			k++
		}
	}
	for i, e := range draft.Edges {
		item := edges.Items[i]
		g.Edges = append(g.Edges, RuntimeEdge{
			Edge: e, Expr: r.text(item, "condition_expr"), Priority: r.number(item, "priority"), Mapping: r.mapping(item.Get("input_mapping")),
		})
	}
	return g
}

// withoutTypes is a list of nodes whose types are read elsewhere: a runtime graph has more of them than a draft.
func withoutTypes(nodes *source.Value) *source.Value {
	out := *nodes
	out.Items = slices.Clone(nodes.Items)
	for i, n := range out.Items {
		out.Items[i] = n.Without("node_type")
	}
	return &out
}

func (r reader) runtimeNode(n Node, v *source.Value) RuntimeNode {
	n.NodeType = r.text(v, "node_type")
	out := RuntimeNode{
		Node: n, SystemPrompt: r.text(v, "system_prompt"), Model: r.text(v, "model"), Nullable: r.texts(v, "nullable_output_keys"),
		MaxRetries: r.number(v, "max_retries"), MaxVisits: r.number(v, "max_node_visits"),
	}
	if facing := v.Get("client_facing"); facing != nil {
		out.ClientFacing, _ = facing.Data.(bool)
	}
	return out
}

// descriptions lists the descriptions of objects, such as those of success criteria. A plain text stands for itself.
func (r reader) descriptions(v *source.Value, key string) []string {
	out := []string{}
	list := v.Get(key)
	if list == nil {
		return out
	}
	for _, item := range list.Items {
		text := r.text(item, "description")
		if item.Kind == source.String {
			text = item.Text
		}
		if text != "" {
			out = append(out, text)
		}
	}
	return out
}

func (r reader) number(v *source.Value, key string) int {
	part := v.Get(key)
	if part == nil || part.Kind == source.Null {
		return 0
	}
	n, ok := part.Data.(float64)
	if !ok || n != float64(int(n)) || n < -1e6 || n > 1e6 {
		r.Error(part.At, "", "wrong-type", fmt.Sprintf("'%s' must be a whole number", key), "")
		return 0
	}
	return int(n)
}

func (r reader) mapping(v *source.Value) map[string]string {
	if v == nil || len(v.Pairs) == 0 {
		return nil
	}
	out := map[string]string{}
	for _, p := range v.Pairs {
		if p.Value.Kind == source.String {
			out[p.Key] = strings.TrimSpace(p.Value.Text)
		}
	}
	return out
}

// Fallback makes the draft of a runtime graph that has none, with the map in which every node stands for itself.
func Fallback(g Graph) (Draft, map[string][]string) {
	d := Draft{
		AgentName: g.Name, Goal: g.Goal, Description: g.Description, SuccessCriteria: g.SuccessCriteria, Constraints: g.Constraints,
		EntryNode: g.EntryNode, TerminalNodes: g.TerminalNodes,
	}
	for _, n := range g.Nodes {
		if n.NodeType != typeBrowser {
			n.NodeType = typeLoop
		}
		d.Nodes = append(d.Nodes, n.Node)
	}
	for _, e := range g.Edges {
		d.Edges = append(d.Edges, e.Edge)
	}
	d, _ = Enrich(d)
	own := map[string][]string{}
	for _, n := range d.Nodes {
		own[n.ID] = []string{n.ID}
	}
	return d, own
}

// ways gives the edges of the graph that a draft means: those of its runtime nodes, with a verdict for every decision on the way. There are
// at most maxEdges of them, with at most maxDecisions each; full says that there are more.
func ways(d Draft, gone map[string]bool) (all []RuntimeEdge, full bool) {
	w := waysOf{draft: d, gone: gone, out: map[string][]Edge{}}
	for _, e := range d.Edges {
		if !d.delegates(e) && (e.Source != e.Target || !gone[e.Source]) {
			w.out[e.Source] = append(w.out[e.Source], e)
		}
	}
	for _, n := range d.Nodes {
		if gone[n.ID] {
			continue
		}
		for _, e := range w.out[n.ID] {
			w.follow(RuntimeEdge{Edge: e, asks: questionOf(d, e), drawn: []string{e.ID}})
		}
	}
	return w.all, w.full
}

type waysOf struct {
	draft Draft
	gone  map[string]bool
	out   map[string][]Edge
	all   []RuntimeEdge
	steps int
	full  bool
}

// follow goes on through decisions until a runtime node is reached.
func (w *waysOf) follow(way RuntimeEdge) {
	id := way.Target
	circle := slices.ContainsFunc(way.verdicts, func(v verdict) bool { return v.decision == id })
	w.steps++
	switch {
	case w.steps > 4*maxEdges, len(w.all) >= maxEdges, len(way.verdicts) > maxDecisions:
		w.full = true
	case !w.gone[id]:
		w.all = append(w.all, way)
	case !circle:
		s := sidesOf(w.out[id])
		for i, e := range append([]Edge{s.yes, s.no}, s.others...) {
			if e.Target == "" {
				continue
			}
			next := way
			next.Target, next.Label, next.Description = e.Target, e.Label, e.Description
			next.drawn = append(slices.Clone(way.drawn), e.ID)
			if i < 2 {
				next.verdicts = append(slices.Clone(way.verdicts), verdict{id, i == 0})
			} else {
				next.Condition, next.asks = e.Condition, questionOf(w.draft, e)
			}
			w.follow(next)
		}
	}
}

// questionOf is what a model is asked about an edge of a draft, whose conditions have no expressions.
func questionOf(d Draft, e Edge) string {
	if e.Condition != conditional && e.Condition != llmDecide {
		return ""
	}
	if e.Description != "" {
		return e.Description
	}
	target := d.node(e.Target).Name
	if e.Label != "" {
		return fmt.Sprintf("Does '%s' apply, so that the next step is '%s'?", e.Label, target)
	}
	return fmt.Sprintf("Is '%s' the next step?", target)
}

// clauses lists the decisions on the ways from a node, as criteria of the node.
func clauses(d Draft, ways []RuntimeEdge) (all []flow.Clause) {
	seen := map[string]bool{}
	for _, w := range ways {
		for _, v := range w.verdicts {
			if !seen[v.decision] {
				seen[v.decision] = true
				all = append(all, flow.Clause{ID: v.decision, Text: clauseOf(*d.node(v.decision))})
			}
		}
	}
	return all
}
