package routing

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/source"
)

// The kinds of nodes and edges.
const (
	agentNode    = "AGENT"
	executorNode = "TOOL_EXECUTOR"
	routerNode   = "ROUTER"

	always      = "ALWAYS"
	conditional = "CONDITIONAL"
	onComplete  = "ON_COMPLETE"
)

// messageInput is the input with what the agents are told, where a run does not begin with a message.
const messageInput = "message"

// handoffName is the name of the node that goes on at a limit.
const handoffName = "human_handoff"

// path is the path of a node in the flow.
func (r *reading) path(id string) string { return fmt.Sprintf("flow.nodes[%d]", r.index[id]) }

// nodes reads the nodes.
func (r *reading) nodes(list *source.Value) {
	names := map[string]string{}
	external := slices.ContainsFunc(list.Items, func(v *source.Value) bool { return text(v, "nodeType") == executorNode })
	for _, v := range list.Items {
		id, name := text(v, "id"), text(v, "nodeName")
		if id == "" {
			r.s.Error(v.At, "", "missing-key", "'id' is missing in nodes", "")
			continue
		}
		if _, twice := r.index[id]; twice {
			r.s.Error(at(v, "id"), "", "duplicate-id", fmt.Sprintf("node id '%s' is used twice", id), "")
			continue
		}
		i := len(r.flow.Nodes)
		r.index[id] = i
		r.written = append(r.written, v)
		r.s.At(r.path(id), v)
		r.s.At(r.path(id)+".id", v.Get("id"))
		r.s.Key(r.path(id)+".name", v, "nodeName", nil)
		r.workflow(v, "node", id)
		if first, twice := names[name]; twice && name != "" {
			r.s.Error(at(v, "nodeName"), r.path(id)+".name", "duplicate-name", fmt.Sprintf("nodeName '%s' is used twice: by '%s' and '%s'", name, first, id), "agents name the next node by it")
		}
		names[name] = id
		n := flow.Node{ID: id, Name: name}
		if n.Name == "" {
			n.Name = id
		}
		r.kind(&n, v, external)
		r.flow.Nodes = append(r.flow.Nodes, n)
	}
	r.checkEntry()
}

// workflow checks that a part of the file belongs to the workflow.
func (r *reading) workflow(v *source.Value, what, id string) {
	if w := text(v, "workflowId"); w != "" && w != text(r.root, "id") {
		r.s.Warn(at(v, "workflowId"), "", "name-mismatch", fmt.Sprintf("the %s '%s' says that it belongs to the workflow '%s'", what, id, w), "it is read as one of this workflow")
	}
}

// kind reads the part of a node that depends on its type.
func (r *reading) kind(n *flow.Node, v *source.Value, external bool) {
	id := text(v, "agentId")
	switch typ := text(v, "nodeType"); {
	case strings.EqualFold(n.Name, handoffName) && id == "":
		n.Spec = &flow.AskSpec{Message: "The workflow has come to a limit or hands over to a person. What should be said? The last words were: {{previous}}"}
	case typ == executorNode:
		n.Spec, n.NoMatch = &flow.ToolexecSpec{}, flow.NoMatchCaller
		if id != "" {
			r.s.Warn(at(v, "agentId"), "", "out-of-place", fmt.Sprintf("'agentId' means nothing on the tool executor '%s'", n.ID), "")
		}
	case typ == routerNode || typ == agentNode && id != "":
		if id == "" {
			r.s.Warn(at(v, "nodeType"), "", "not-kept", fmt.Sprintf("the router '%s' is read as an agent that names the next node", n.ID), "")
			id = "router-" + n.ID
			r.flow.Agents = append(r.flow.Agents, flow.Agent{ID: id, Instructions: "You are " + n.Name + "."})
		}
		spec := &flow.AgentSpec{
			Agent: r.agent(id),
			Input: map[string]any{"user_message": "{{event.payload.message}} {{inputs." + messageInput + "}}"},
		}
		if external {
			spec.ToolMode = flow.ToolsExternal
		}
		n.Spec = spec
		r.s.At(r.path(n.ID)+".agent", v.Get("agentId"))
	case typ == agentNode:
		r.s.Error(at(v, "agentId"), r.path(n.ID)+".agent", "missing-key", fmt.Sprintf("'agentId' is missing on node '%s'", n.ID), "")
		n.Spec = &flow.OpaqueSpec{Type: typ, Reason: "it names no agent"}
	default:
		r.s.Error(at(v, "nodeType"), r.path(n.ID)+".type", "unknown-type", fmt.Sprintf("unknown nodeType '%s' on node '%s'", typ, n.ID), "AGENT or TOOL_EXECUTOR")
		n.Spec = &flow.OpaqueSpec{Type: typ, Reason: "its type is not known"}
	}
}

// edges adds the routes. Conditions come before what is always taken.
func (r *reading) edges() {
	list := items(r.root.Get("edges"))
	for _, fallback := range []bool{false, true} {
		for _, v := range list {
			if (text(v, "conditionType") != conditional) == fallback {
				r.edge(v)
			}
		}
	}
	used := map[string]bool{r.flow.Entry: true}
	for _, v := range list {
		used[text(v, "sourceNodeId")], used[text(v, "targetNodeId")] = true, true
	}
	for i := range r.flow.Nodes {
		if n := &r.flow.Nodes[i]; !used[n.ID] && !strings.EqualFold(n.Name, handoffName) {
			r.s.Warn(at(r.written[i], "id"), r.path(n.ID), "no-edges", fmt.Sprintf("no edge leads to or from node '%s'", n.ID), "")
		}
	}
}

// edge adds one route.
func (r *reading) edge(v *source.Value) {
	id := text(v, "id")
	r.workflow(v, "edge", id)
	from, to := text(v, "sourceNodeId"), text(v, "targetNodeId")
	i, known := r.index[from]
	if !known {
		r.s.Warn(at(v, "sourceNodeId"), "", "dangling-edge", fmt.Sprintf("edge '%s' begins at '%s', which is not a node: it is left out", id, from), "")
		return
	}
	if _, known := r.index[to]; !known && to != "" {
		r.s.Warn(at(v, "targetNodeId"), "", "dangling-edge", fmt.Sprintf("edge '%s' leads to '%s', which is not a node: it is left out", id, to), "")
		return
	}
	n := &r.flow.Nodes[i]
	route, ok := r.route(v, n, id)
	if !ok {
		return
	}
	route.To = to
	if to == "" {
		route.To = flow.End
	}
	path := fmt.Sprintf("%s.routes[%d]", r.path(from), len(n.Routes))
	r.s.At(path, v)
	r.s.At(path+".to", v.Get("targetNodeId"))
	r.s.At(path+".when", v.Get("conditionValue"))
	n.Routes = append(n.Routes, route)
	r.links[v] = link{from, route}
}

// route reads the condition of an edge.
func (r *reading) route(v *source.Value, n *flow.Node, id string) (route flow.Route, ok bool) {
	value, executor := text(v, "conditionValue"), n.Spec.Kind() == flow.KindToolexec
	ends := text(v, "targetNodeId") == ""
	switch typ := text(v, "conditionType"); {
	case typ == onComplete, typ == always:
		if executor && len(n.Routes) > 0 && n.Routes[len(n.Routes)-1].Default() {
			r.s.Error(at(v, "conditionType"), "", "second-default", fmt.Sprintf("the tool executor '%s' has two ALWAYS edges", n.ID), "keep one of them")
		}
		return flow.Route{}, true
	case typ != conditional:
		r.s.Error(at(v, "conditionType"), "", "wrong-value", fmt.Sprintf("unknown conditionType '%s' on edge '%s'", typ, id), "ALWAYS, CONDITIONAL or ON_COMPLETE")
	case value == "":
		r.s.Error(at(v, "conditionValue"), "", "missing-key", fmt.Sprintf("'conditionValue' is missing on edge '%s'", id), "")
	case ends && value != flow.NextEnd:
		r.s.Error(at(v, "targetNodeId"), "", "missing-key", fmt.Sprintf("edge '%s' leads nowhere: only an edge with the conditionValue END may do that", id), "")
	case executor:
		return flow.Route{If: flow.IfTool, When: value}, true
	default:
		return flow.Route{If: flow.IfNext, When: value}, true
	}
	return flow.Route{}, false
}

// executors checks that the tools of agents can be called, also of agents of the installation.
func (r *reading) executors(f *flow.Flow) (all flow.Problems) {
	if slices.ContainsFunc(f.Nodes, func(n flow.Node) bool { return n.Spec.Kind() == flow.KindToolexec }) {
		return nil
	}
	for i := range f.Nodes {
		s, is := f.Nodes[i].Spec.(*flow.AgentSpec)
		if !is {
			continue
		}
		if a := f.AgentByID(s.Agent); a != nil && len(a.Tools) > 0 {
			place := at(r.written[i], "agentId")
			if listed := r.agents[a.ID]; listed != nil {
				place = at(listed, "tools")
			}
			p := r.s.Problem(place, flow.SeverityError, "no-executor", fmt.Sprintf("the agent '%s' has tools, but the workflow has no TOOL_EXECUTOR", a.ID), "add such a node, and edges to and from it")
			p.Node, p.Path = f.Nodes[i].ID, fmt.Sprintf("flow.nodes[%d].agent", i)
			all = append(all, p)
		}
	}
	return all
}

// handoff lets the node for people go on at a limit.
func (r *reading) handoff() {
	for i := range r.flow.Nodes {
		if n := &r.flow.Nodes[i]; strings.EqualFold(n.Name, handoffName) {
			r.flow.OnLimit = flow.OnLimit{Action: flow.LimitHandoff, To: n.ID}
			return
		}
	}
}
