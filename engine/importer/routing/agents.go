package routing

import (
	"cmp"
	"fmt"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/flow/source"
)

// listAgents finds the agents that the file lists.
func (r *reading) listAgents() {
	list := r.root.Get("agents")
	if list == nil || list.Kind != source.List {
		return
	}
	r.listed = true
	for _, a := range list.Items {
		if id := text(a, "agentId"); id != "" {
			r.agents[id] = a
		} else {
			r.s.Error(a.At, "", "missing-key", "'agentId' is missing in agents", "")
		}
	}
}

// agent declares an agent that the file lists, and gives its id.
func (r *reading) agent(id string) string {
	if r.flow.AgentByID(id) != nil {
		return id
	}
	written := r.agents[id]
	if written == nil {
		return id // of the installation, see Resolve of engine/flow/agents
	}
	a := flow.Agent{ID: id, Description: text(written, "description")}
	var words []string
	for _, m := range items(written.Get("messages")) {
		if content := text(m, "content"); content != "" {
			words = append(words, content)
		}
	}
	a.Instructions = strings.Join(words, "\n\n")
	for _, t := range items(written.Get("tools")) {
		if name := toolName(t); name != "" {
			a.Tools = append(a.Tools, name)
		}
	}
	i := len(r.flow.Agents)
	r.s.At(fmt.Sprintf("agents[%d]", i), written)
	r.agentSlots(fmt.Sprintf("agents[%d]", i), written)
	r.flow.Agents = append(r.flow.Agents, a)
	return id
}

func toolName(v *source.Value) string {
	return cmp.Or(text(v.Get("function"), "name"), text(v, "toolId"))
}

func items(v *source.Value) []*source.Value {
	if v == nil {
		return nil
	}
	return v.Items
}
