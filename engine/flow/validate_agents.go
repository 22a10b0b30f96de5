package flow

import (
	"fmt"
	"slices"
	"strings"
)

func (v *validator) agents() {
	used := map[string]bool{}
	for i := range v.f.Nodes {
		if s, ok := v.f.Nodes[i].Spec.(*AgentSpec); ok {
			used[s.Agent] = true
		}
	}
	for i := range v.f.Agents {
		for _, sub := range v.f.Agents[i].Subagents {
			used[sub] = true
		}
	}
	for i := range v.f.Agents {
		g := &v.f.Agents[i]
		a := at{path: fmt.Sprintf("agents[%d]", i), on: fmt.Sprintf(" on agent '%s'", g.ID)}
		if v.required(a.in("id"), "id", g.ID) && v.f.AgentByID(g.ID) != g {
			v.error(a.in("id"), "duplicate-id", fmt.Sprintf("agent id '%s' is used twice", g.ID), "")
		}
		if !used[g.ID] {
			v.warn(a.in("id"), "unused-agent", fmt.Sprintf("no node runs agent '%s'", g.ID), "")
		}
		v.agent(a, g)
	}
	v.subagentCycle()
}

func (v *validator) agent(a at, g *Agent) {
	for i, sub := range g.Subagents {
		if v.f.AgentByID(sub) == nil {
			v.error(a.item("subagents", i), "unknown-agent", fmt.Sprintf("unknown agent '%s'%s", sub, a.on), v.agentHint(sub))
		}
	}
	v.secretFree(a.in("instructions"), g.Instructions)
	v.agentOutput(a.in("output"), g.Output)
	limits := a.in("limits")
	v.nonNegative(limits.in("turns"), "turns", float64(g.Limits.Turns))
	v.nonNegative(limits.in("tokens"), "tokens", float64(g.Limits.Tokens))
	v.nonNegative(limits.in("usd"), "usd", g.Limits.USD)
}

func (v *validator) agentOutput(a at, schema map[string]any) {
	if schema == nil {
		return
	}
	if typ, written := schema["type"]; written && typ != "object" {
		v.error(a.in("type"), "wrong-value", "the output of an agent must be an object"+a.on, "write type: object and name the values under properties")
		return
	}
	if v.checks.Schema != nil {
		if err := v.checks.Schema(schema); err != nil {
			v.error(a, "bad-schema", fmt.Sprintf("'output' is no JSON Schema%s: %s", a.on, strings.ReplaceAll(err.Error(), "\n", " ")), "")
		}
	}
}

// subagentCycle reports agents that call each other in a cycle.
func (v *validator) subagentCycle() {
	done := map[string]bool{}
	var walk func(id string, path []string) bool
	walk = func(id string, path []string) bool {
		if i := slices.Index(path, id); i >= 0 {
			index := slices.IndexFunc(v.f.Agents, func(g Agent) bool { return g.ID == path[len(path)-1] })
			v.error(at{path: fmt.Sprintf("agents[%d].subagents", index)}, "subagent-cycle", "agents call each other in a circle",
				strings.Join(append(path[i:], id), "->"))
			return true
		}
		g := v.f.AgentByID(id)
		if g == nil || done[id] {
			return false
		}
		for _, sub := range g.Subagents {
			if walk(sub, append(slices.Clone(path), id)) {
				return true
			}
		}
		done[id] = true
		return false
	}
	for i := range v.f.Agents {
		if walk(v.f.Agents[i].ID, nil) {
			return
		}
	}
}
