package draftchart

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/flow"
)

// lowering makes the flow of a runtime graph.
type lowering struct {
	graph  Graph
	agents []Node            // that nodes call and that are no nodes themselves
	ids    map[string]string // by id of the document: the id in the flow
	out    map[string][]RuntimeEdge
	called map[string]bool
	shows  map[string][]string // by id of an edge of the document: the edges of the flow that show it
	flow   *flow.Flow
	warn   func(code, message, hint string)
}

// lower makes the flow of a runtime graph. The ids of decisions are those of its criteria.
func lower(g Graph, agents []Node, decisions []flow.Clause, warn func(code, message, hint string)) *lowering {
	l := &lowering{
		graph: g, agents: agents, ids: map[string]string{}, out: map[string][]RuntimeEdge{}, called: map[string]bool{}, shows: map[string][]string{}, warn: warn,
	}
	for _, e := range g.Edges {
		l.out[e.Source] = append(l.out[e.Source], e)
	}
	l.flow = &flow.Flow{
		Name: cmp.Or(flow.Slug(g.Name), "agent"), Description: cmp.Or(g.Goal, g.Description), Profile: Profile,
		MaxVisits: cmp.Or(max(g.MaxSteps, 0), defaultSteps), Rules: flow.Rules{Memory: true, Visits: l.visits()},
	}
	for _, n := range g.Nodes {
		l.name(n.ID)
	}
	for _, n := range agents {
		l.name(n.ID)
	}
	for _, c := range decisions {
		l.name(c.ID)
	}
	for _, n := range g.Nodes {
		for _, id := range n.SubAgents {
			l.called[id] = true
		}
	}
	l.flow.Entry = l.ids[g.EntryNode]
	l.inputs()
	for _, n := range g.Nodes {
		l.node(n, decisions)
	}
	for _, n := range agents {
		l.agent(RuntimeNode{Node: n})
	}
	l.mappings()
	return l
}

var oddCharacter = regexp.MustCompile(`[^\p{L}\p{N}_.-]+`)

// name gives an id of the document an id that a flow may have.
func (l *lowering) name(id string) {
	if l.ids[id] != "" {
		return
	}
	base := strings.Trim(oddCharacter.ReplaceAllString(id, "-"), "-")
	if base == "" || base == flow.End {
		base = strings.Trim("node-"+base, "-")
	}
	free := base
	taken := slices.Collect(maps.Values(l.ids))
	for k := 2; slices.Contains(taken, free); k++ {
		free = fmt.Sprintf("%s-%d", base, k)
	}
	l.ids[id] = free
}

// inputs declares what nodes read and no node gives, and what the first node reads.
func (l *lowering) inputs() {
	given := map[string]bool{}
	for _, n := range l.graph.Nodes {
		for _, key := range n.OutputKeys {
			given[key] = true
		}
	}
	seen := map[string]bool{}
	for _, n := range l.graph.Nodes {
		for _, key := range n.InputKeys {
			if (n.ID == l.graph.EntryNode || !given[key]) && !seen[key] && identifier.MatchString(key) {
				seen[key] = true
				l.flow.Inputs = append(l.flow.Inputs, flow.Input{Name: key, Type: "string"})
			}
		}
	}
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// read is the template that reads a key of the memory.
func read(key string) string {
	return `{{memory["` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "}}", `}\x7d`).Replace(key) + `"]}}`
}

func (l *lowering) node(n RuntimeNode, decisions []flow.Clause) {
	out := flow.Node{ID: l.ids[n.ID], Name: n.Name, Description: n.Description, FlowchartType: n.FlowchartType}
	if !slices.Contains(agentTypes, n.NodeType) {
		out.Spec = &flow.OpaqueSpec{Type: n.NodeType, Reason: fmt.Sprintf("nodes of type %s are programs", n.NodeType)}
	} else {
		input := map[string]any{}
		for _, key := range n.InputKeys {
			input[key] = read(key)
		}
		l.agent(n)
		out.Spec = &flow.AgentSpec{Agent: l.ids[n.ID], Input: input}
		out.Subagents = l.named(n.SubAgents, true)
		if n.MaxRetries > 1 {
			out.Retry = &flow.Retry{MaxAttempts: min(n.MaxRetries, 100)}
		}
	}
	if n.SuccessCriteria != "" {
		out.Criteria = append(out.Criteria, flow.Clause{ID: out.ID, Text: n.SuccessCriteria})
	}
	edges := l.out[n.ID]
	switch {
	case l.called[n.ID] && n.ID != l.graph.EntryNode:
	case slices.Contains(l.graph.TerminalNodes, n.ID):
		if len(edges) > 0 {
			l.warn("terminal-edges", fmt.Sprintf("'%s' is a terminal node: its path ends there, and its edges are only drawn", n.ID), "")
		}
	default:
		l.routes(&out, edges, decisions)
	}
	l.flow.Nodes = append(l.flow.Nodes, out)
}

// agentTypes are the types of nodes that an agent does.
var agentTypes = []string{"", typeLoop, typeBrowser, "llm_generate", "llm_tool_use"}

// named gives the ids of nodes in the flow; with nodes only those that are nodes of it.
func (l *lowering) named(ids []string, nodes bool) (out []string) {
	for _, id := range ids {
		apart := slices.ContainsFunc(l.agents, func(n Node) bool { return n.ID == id })
		if l.ids[id] != "" && !(nodes && apart) {
			out = append(out, l.ids[id])
		}
	}
	return out
}

// agent declares the agent of a node.
func (l *lowering) agent(n RuntimeNode) {
	a := flow.Agent{
		ID: l.ids[n.ID], Description: cmp.Or(n.Description, n.Name), Model: n.Model, Instructions: l.instructions(n), Tools: n.Tools,
		Subagents: l.named(n.SubAgents, false),
	}
	if len(n.OutputKeys) > 0 {
		properties, required := map[string]any{}, []any{}
		for _, key := range n.OutputKeys {
			properties[key] = map[string]any{}
			if !slices.Contains(n.Nullable, key) {
				required = append(required, key)
			}
		}
		a.Output = map[string]any{"type": "object", "properties": properties, "required": required}
	}
	if l.flow.AgentByID(a.ID) == nil {
		l.flow.Agents = append(l.flow.Agents, a)
	}
}

// instructions are the instructions of an agent: its own task, the criteria of its result, and the rules of the whole graph.
func (l *lowering) instructions(n RuntimeNode) string {
	parts := []string{l.graph.Identity, cmp.Or(n.SystemPrompt, n.Description, n.Name)}
	if strings.Contains(n.SystemPrompt, "set_output(") {
		parts = append(parts, "Where these instructions say set_output(key, value), give the value under that key in your answer.")
	}
	if n.SuccessCriteria != "" {
		parts = append(parts, "Your result is good when this holds: "+n.SuccessCriteria)
	}
	for _, list := range []struct {
		head  string
		items []string
	}{{"The whole work succeeds when:", l.graph.SuccessCriteria}, {"Constraints:", l.graph.Constraints}} {
		if len(list.items) > 0 {
			parts = append(parts, list.head+"\n- "+strings.Join(list.items, "\n- "))
		}
	}
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	return strings.Join(parts, "\n\n")
}

// visits is the limit on visits that all nodes on circles share; 0 = none.
func (l *lowering) visits() int {
	most, least := 0, -1
	limited := slices.ContainsFunc(l.graph.Nodes, func(n RuntimeNode) bool { return n.MaxVisits > 0 })
	for _, n := range l.graph.Nodes {
		if limited && l.onCircle(n.ID) {
			most = max(most, n.MaxVisits)
			if least < 0 || n.MaxVisits < least {
				least = n.MaxVisits
			}
		}
	}
	switch {
	case least == 0 && most > 0:
		l.warn("visits", "some nodes on a circle have no max_node_visits: here none of them has a limit", "max_steps limits the run")
		return 0
	case least != most && least > 0:
		l.warn("visits", fmt.Sprintf("the nodes on circles have different max_node_visits: here it is %d for each", most), "")
	}
	return most
}

// onCircle reports whether edges lead from a node back to it.
func (l *lowering) onCircle(id string) bool {
	seen := map[string]bool{}
	for stack := []string{id}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, e := range l.out[at] {
			if e.Target == id {
				return true
			}
			if !seen[e.Target] {
				seen[e.Target] = true
				stack = append(stack, e.Target)
			}
		}
	}
	return false
}

// mappings gives nodes the values that edges map to their inputs.
func (l *lowering) mappings() {
	for _, e := range l.graph.Edges {
		if len(e.Mapping) == 0 {
			continue
		}
		n := l.flow.Node(l.ids[e.Target])
		if _, isAgent := n.Spec.(*flow.AgentSpec); !isAgent {
			continue
		}
		values := map[string]any{}
		for input, key := range e.Mapping {
			values[input] = read(key)
		}
		for _, route := range l.shows[e.ID] {
			if n.Arrivals == nil {
				n.Arrivals = map[string]map[string]any{}
			}
			n.Arrivals[route] = values
		}
	}
}
