package agent

import (
	"fmt"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/llm"
	"sluice/engine/naming"
	"sluice/engine/tool"
)

// offer is what one agent may call, under the names that the model knows.
type offer struct {
	agent  string
	tools  []llm.Tool
	byName map[string]choice
}

// choice is a tool or a sub-agent.
type choice struct {
	tool  string // name in the catalogue
	agent *flow.Agent
	hands string // a tool that hands over
}

// ownToolName begins the id of an agent that is the name of its tool, too, as imported graphs of agents have it.
const ownToolName = "subagent_"

// offer lists the agent's tools and, unless it is too deep down, its sub-agents. A tool that policy denies is not shown,
// but its name stays known, so that a call of it is refused by name.
func (r *runner) offer(a flow.Agent, depth int) (*offer, error) {
	o := &offer{agent: a.ID, byName: map[string]choice{}}
	for _, name := range a.Tools {
		t, ok := r.deps.Tools.Lookup(name)
		switch {
		case !ok && r.spec.Hints:
			continue
		case !ok:
			return nil, r.unknownTool(a.ID, name)
		}
		shown := o.add(wireName(name), choice{tool: name})
		if t.Policy != tool.Deny {
			o.tools = append(o.tools, llm.Tool{Name: shown, Description: t.Description, Params: objectSchema(t.Params)})
		}
	}
	if depth == 0 {
		o.handing(r.spec.External)
	}
	if depth+1 >= MaxDepth {
		return o, nil
	}
	for _, id := range a.Subagents {
		sub := r.find(id)
		if sub == nil {
			return nil, fail("UnknownAgentError", "the agent %s may call the agent %s, which the flow does not declare", a.ID, id)
		}
		name := o.add(wireName("agent."+id), choice{agent: sub})
		if strings.HasPrefix(id, ownToolName) {
			name = o.add(wireName(id), choice{agent: sub})
		}
		o.tools = append(o.tools, llm.Tool{Name: name, Description: describe(*sub), Params: taskSchema})
	}
	return o, nil
}

func (r *runner) unknownTool(agent, name string) error {
	var names []string
	for _, t := range r.deps.Tools.All() {
		names = append(names, t.Name)
	}
	message := fmt.Sprintf("the agent %s may call %s, which is not installed", agent, name)
	if near := naming.Related(name, names, 2); len(near) > 0 {
		message += "; the nearest are " + strings.Join(near, " and ")
	}
	return fail("UnknownToolError", "%s", message)
}

func (r *runner) find(id string) *flow.Agent {
	for i := range r.spec.All {
		if r.spec.All[i].ID == id {
			return &r.spec.All[i]
		}
	}
	return nil
}

const maxWireName = 64

// wireName writes a name with the characters that models accept: shop.get_order is shop__get_order.
func wireName(name string) string {
	wire := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		case r == '.':
			return '.'
		default:
			return '_'
		}
	}, name)
	wire = strings.ReplaceAll(wire, ".", "__")
	return wire[:min(len(wire), maxWireName)]
}

// add gives a choice a name that no other one has.
func (o *offer) add(name string, c choice) string {
	free := name
	for i := 2; ; i++ {
		if _, taken := o.byName[free]; !taken {
			break
		}
		suffix := fmt.Sprintf("_%d", i)
		free = name[:min(len(name), maxWireName-len(suffix))] + suffix
	}
	o.byName[free] = c
	return free
}

// names lists what the model may call.
func (o *offer) names() string {
	if len(o.tools) == 0 {
		return "none"
	}
	all := make([]string, len(o.tools))
	for i, t := range o.tools {
		all[i] = t.Name
	}
	return strings.Join(all, ", ")
}

func objectSchema(params map[string]any) map[string]any {
	if params["type"] == "object" {
		return params
	}
	return map[string]any{"type": "object", "properties": map[string]any{}}
}

var taskSchema = map[string]any{
	"type":       "object",
	"required":   []any{"task"},
	"properties": map[string]any{"task": map[string]any{"type": "string", "description": "what the agent shall do, with everything it needs to know"}},
}

func describe(a flow.Agent) string {
	if a.Description != "" {
		return a.Description
	}
	line, _, _ := strings.Cut(strings.TrimSpace(a.Instructions), "\n")
	return "An agent: " + line
}
