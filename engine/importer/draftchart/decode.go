package draftchart

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/chart"
	"sluice/engine/flow/source"
	"sluice/engine/importer/document"
)

// Profile names the format.
const Profile flow.Profile = "draftchart"

// Recognise looks for a draft, for a file with a draft and its map, or for a runtime graph with its goal.
func Recognise(src []byte) (why string, ok bool) {
	s, err := document.JSON("", src)
	if err != nil {
		return "", false
	}
	switch root := s.Root; {
	case root.Get("original_draft") != nil:
		return "it has original_draft", true
	case root.Get("agent_name") != nil && root.Get("nodes") != nil:
		return "it has agent_name and nodes", true
	case root.Get("goal") != nil && root.Get("graph").Get("nodes") != nil:
		return "it has goal and graph with nodes", true
	}
	return "", false
}

// Decode reads a document. Its error lists everything that is missing or does not fit.
func Decode(name string, src []byte) (document.Document, error) {
	s, err := document.JSON(name, src)
	if err != nil {
		return document.Document{}, err
	}
	r := reader{s}
	if s.Root.Kind != source.Map {
		return document.Document{}, s.Unreadable(s.Root, "wrong-type", "a draft is a mapping", "")
	}
	s.RefuseSecrets()
	_, doc, err := r.decode()
	return doc, err
}

func (r reader) decode() (*lowering, document.Document, error) {
	if r.Root.Get("graph") != nil {
		return r.decodeGraph()
	}
	return r.decodeDraft()
}

// ReadDraft reads the draft of a document, and its map where there is one. A runtime graph has the draft that is made of it.
func ReadDraft(name string, src []byte) (Draft, map[string][]string, error) {
	s, err := document.JSON(name, src)
	if err != nil {
		return Draft{}, nil, err
	}
	r := reader{s}
	if s.Root.Get("graph") != nil {
		g, err := r.checkedGraph()
		if err != nil {
			return Draft{}, nil, err
		}
		d, own := Fallback(g)
		return d, own, nil
	}
	return r.checkedDraft()
}

// checkedDraft reads a draft as its author wrote it.
func (r reader) checkedDraft() (Draft, map[string][]string, error) {
	body, mapped := r.Root, map[string][]string(nil)
	if v := r.Root.Get("original_draft"); v != nil {
		body, mapped = v, r.flowchartMap(r.Root.Get("flowchart_map"))
	}
	if err := r.Count(body.Get("nodes")); err != nil {
		return Draft{}, nil, err
	}
	d := r.draft(body)
	return d, mapped, r.Problems().Err()
}

func (r reader) checkedGraph() (Graph, error) {
	if err := r.Count(r.Root.Get("graph").Get("nodes")); err != nil {
		return Graph{}, err
	}
	g := r.graph(r.Root)
	if err := r.Problems().Err(); err != nil {
		return Graph{}, err
	}
	if g.EntryNode == "" {
		g.EntryNode = g.Nodes[0].ID
	}
	edges := make([]Edge, len(g.Edges))
	for i, e := range g.Edges {
		edges[i] = e.Edge
	}
	numbered := Draft{Edges: edges}
	numberEdges(&numbered)
	for i := range g.Edges {
		e := &g.Edges[i]
		e.Edge, e.drawn = edges[i], []string{edges[i].ID}
		if e.Condition == llmDecide {
			e.asks = questionOf(Draft{Nodes: g.plain()}, e.Edge)
		}
	}
	return g, nil
}

// plain lists the nodes of the graph as those of a draft.
func (g Graph) plain() []Node {
	nodes := make([]Node, len(g.Nodes))
	for i, n := range g.Nodes {
		nodes[i] = n.Node
	}
	return nodes
}

func (r reader) decodeGraph() (*lowering, document.Document, error) {
	g, err := r.checkedGraph()
	if err != nil {
		return nil, document.Document{}, err
	}
	for _, id := range g.PauseNodes {
		r.notice("pause", fmt.Sprintf("the run does not pause at '%s'", id), "put an approval behind it")
	}
	if facing := slices.IndexFunc(g.Nodes, func(n RuntimeNode) bool { return n.ClientFacing }); facing >= 0 {
		r.notice("client-facing", fmt.Sprintf("nodes such as '%s' talk with a person while they work: here they get what was said when the run was started", g.Nodes[facing].ID), "")
	}
	d, own := Fallback(g)
	l := lower(g, nil, nil, r.notice)
	return l, r.finish(l, d, own), nil
}

func (r reader) decodeDraft() (*lowering, document.Document, error) {
	original, mapped, err := r.checkedDraft()
	if err != nil {
		return nil, document.Document{}, err
	}
	d, corrections := Enrich(original)
	keep := map[string]bool{}
	for id := range mapped {
		keep[id] = true
	}
	x := Dissolve(d, keep)
	r.dissolvedSteps(original, d, x)
	for _, c := range append(corrections, x.Problems...) {
		r.notice("corrected", c, "")
	}
	g, agents, decisions, full := x.graph(d)
	if full {
		r.Error(place(r.Root), "", "too-many-ways", fmt.Sprintf("more than %d decisions follow each other, or more than %d ways lead through them", maxDecisions, maxEdges),
			"ask fewer questions one after the other")
	}
	l := lower(g, agents, decisions, r.notice)
	if mapped == nil {
		mapped = x.Map
	}
	return l, r.finish(l, d, mapped), r.Problems().Err()
}

// dissolvedSteps warns of nodes that do something and are decisions only because their edges have different conditions.
func (r reader) dissolvedSteps(original, enriched Draft, x Dissolved) {
	body := r.Root
	if v := body.Get("original_draft"); v != nil {
		body = v
	}
	for i, n := range original.Nodes {
		is := enriched.node(n.ID)
		decides := is != nil && is.FlowchartType == flow.TypeDecision && x.Draft.node(n.ID) == nil
		if does := len(n.Tools)+len(n.OutputKeys) > 0; does && decides && n.FlowchartType == "" && n.DecisionClause == "" {
			r.Warn(place(items(body.Get("nodes"))[i]), "", "decision",
				fmt.Sprintf("'%s' is a decision, because its edges have different conditions: it becomes a question about the step before it, and its tools are not used", n.ID),
				"give it the flowchart_type process if it is a step")
		}
	}
}

// graph gives the runtime graph with its decisions: its nodes have their own criteria, and its edges the verdicts that lead to them.
func (x Dissolved) graph(enriched Draft) (g Graph, agents []Node, decisions []flow.Clause, full bool) {
	planned := enriched.clone()
	moveAgents(&planned, x.kept())
	gone := map[string]bool{}
	called := planned.called()
	for _, n := range slices.Clone(planned.Nodes) {
		left := x.Draft.node(n.ID)
		switch {
		case left == nil && called[n.ID]:
			agents = append(agents, n)
		case left == nil:
			gone[n.ID] = true
		case n.FlowchartType == flow.TypeDecision && left.FlowchartType == flow.TypeProcess:
			planned.ask(n.ID, sidesOf(planned.edges(func(e Edge) bool { return e.Source == n.ID && e.Target != n.ID && !planned.delegates(e) })))
		}
	}
	g = Graph{
		Name: planned.AgentName, Description: planned.Description, Goal: planned.Goal, SuccessCriteria: planned.SuccessCriteria, Constraints: planned.Constraints,
		EntryNode: planned.EntryNode, TerminalNodes: x.Draft.TerminalNodes, MaxSteps: defaultSteps,
	}
	for _, n := range planned.Nodes {
		if x.Draft.node(n.ID) != nil {
			g.Nodes = append(g.Nodes, RuntimeNode{Node: n, MaxRetries: 3})
		}
	}
	g.Edges, full = ways(planned, gone)
	return g, agents, clauses(planned, g.Edges), full
}

// kept names the nodes that were not dissolved.
func (x Dissolved) kept() map[string]bool {
	kept := map[string]bool{}
	for id := range x.Map {
		kept[id] = true
	}
	return kept
}

// notice is a warning about the document as a whole.
func (r reader) notice(code, message, hint string) {
	r.Warn(source.Place{Line: 1, Column: 1}, "", code, message, hint)
}

// finish makes the document of a flow with the chart of its author.
func (r reader) finish(l *lowering, d Draft, mapped map[string][]string) document.Document {
	r.places(l)
	doc := r.Document(l.flow)
	doc.Map = map[string][]string{}
	for id, nodes := range mapped {
		if l.ids[id] != "" {
			doc.Map[l.ids[id]] = nodes
		}
	}
	c := chartOf(d, l.shows)
	c.Map = maps.Clone(doc.Map)
	doc.Chart = &c
	return doc
}

// places notes where the document has the nodes and agents of the flow.
func (r reader) places(l *lowering) {
	written := map[string]*source.Value{}
	for _, key := range []string{"nodes", "original_draft", "graph"} {
		list := r.Root.Get(key)
		if key != "nodes" {
			list = list.Get("nodes")
		}
		for _, v := range items(list) {
			written[l.ids[strings.TrimSpace(textOf(v, "id"))]] = v
		}
	}
	for i, n := range l.flow.Nodes {
		r.At(fmt.Sprintf("flow.nodes[%d]", i), written[n.ID])
	}
	for i, a := range l.flow.Agents {
		r.At(fmt.Sprintf("agents[%d]", i), written[a.ID])
		r.At(fmt.Sprintf("agents[%d].tools", i), written[a.ID].Get("tools"))
	}
}

// chartOf draws a draft. shows has the edges of the flow that each of its edges stands for.
func chartOf(d Draft, shows map[string][]string) chart.Chart {
	c := chart.Chart{Title: d.AgentName, Description: d.Goal, Shown: map[string][]string{}}
	for _, n := range d.Nodes {
		node := chart.Node{ID: n.ID, Name: n.Name, Description: n.Description, Type: n.FlowchartType, Tools: n.Tools}
		for _, text := range []string{n.SuccessCriteria, n.DecisionClause} {
			if text != "" {
				node.Criteria = append(node.Criteria, text)
			}
		}
		c.Nodes = append(c.Nodes, node)
	}
	for _, e := range d.Edges {
		edge := chart.Edge{ID: e.ID, From: e.Source, To: e.Target, Label: e.Label, Description: e.Description}
		if edge.Label == "" && e.Condition != onSuccess {
			edge.Label = e.Condition
		}
		c.Edges = append(c.Edges, edge)
		for _, route := range shows[e.ID] {
			c.Shown[route] = append(c.Shown[route], e.ID)
		}
	}
	return c
}
