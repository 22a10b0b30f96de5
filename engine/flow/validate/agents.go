package validate

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
)

func (v *validator) agents() {
	used := map[string]bool{}
	for i := range v.Flow.Nodes {
		if s, ok := v.Flow.Nodes[i].Spec.(*flow.AgentSpec); ok {
			used[s.Agent] = true
		}
	}
	for i := range v.Flow.Agents {
		for _, sub := range v.Flow.Agents[i].Subagents {
			used[sub] = true
		}
	}
	for i := range v.Flow.Agents {
		g := &v.Flow.Agents[i]
		a := flow.At{Path: fmt.Sprintf("agents[%d]", i), On: fmt.Sprintf(" on agent '%s'", g.ID)}
		if v.Required(a.In("id"), "id", g.ID) && v.Flow.AgentByID(g.ID) != g {
			v.Error(a.In("id"), "duplicate-id", fmt.Sprintf("agent id '%s' is used twice", g.ID), "")
		}
		if !used[g.ID] {
			v.Warn(a.In("id"), "unused-agent", fmt.Sprintf("no node runs agent '%s'", g.ID), "")
		}
		v.agent(a, g)
	}
	if !v.subagentCycle() {
		v.subagentDepth()
	}
}

// subagentDepth warns of agents that are called through so many others that they are not offered.
func (v *validator) subagentDepth() {
	depth := map[string]int{}
	var below func(id string) int
	below = func(id string) int {
		if d, known := depth[id]; known {
			return d
		}
		most := 0
		if g := v.Flow.AgentByID(id); g != nil {
			for _, sub := range g.Subagents {
				most = max(most, below(sub))
			}
		}
		depth[id] = most + 1
		return most + 1
	}
	for i := range v.Flow.Agents {
		if n := below(v.Flow.Agents[i].ID); n == flow.MaxSubagents+1 {
			v.Warn(flow.At{Path: fmt.Sprintf("agents[%d].subagents", i)}, "too-deep",
				fmt.Sprintf("'%s' and the agents below it call each other %d deep: the last of %d is not offered", v.Flow.Agents[i].ID, n, n), "")
		}
	}
}

func (v *validator) agent(a flow.At, g *flow.Agent) {
	for i, sub := range g.Subagents {
		if v.Flow.AgentByID(sub) == nil {
			v.Error(a.Item("subagents", i), "unknown-agent", fmt.Sprintf("unknown agent '%s'%s", sub, a.On), v.AgentHint(sub))
		}
	}
	if g.Registered {
		v.Template(a.In("instructions"), g.Instructions, true)
	}
	v.SecretFree(a.In("instructions"), g.Instructions)
	if t := g.Temperature; t != nil && (*t < 0 || *t > 2) {
		v.Error(a.In("temperature"), "out-of-range", "'temperature' must be from 0 to 2"+a.On, "")
	}
	v.agentOutput(a.In("output"), g.Output)
	limits := a.In("limits")
	v.NonNegative(limits.In("turns"), "turns", float64(g.Limits.Turns))
	v.NonNegative(limits.In("tokens"), "tokens", float64(g.Limits.Tokens))
	v.NonNegative(limits.In("usd"), "usd", g.Limits.USD)
}

func (v *validator) agentOutput(a flow.At, schema map[string]any) {
	if schema == nil {
		return
	}
	if typ, written := schema["type"]; written && typ != "object" {
		v.Error(a.In("type"), "wrong-value", "the output of an agent must be an object"+a.On, "write type: object and name the values under properties")
		return
	}
	if v.Checks.Schema != nil {
		if err := v.Checks.Schema(schema); err != nil {
			v.Error(a, "bad-schema", fmt.Sprintf("'output' is no JSON Schema%s: %s", a.On, strings.ReplaceAll(err.Error(), "\n", " ")), "")
		}
	}
}

// subagentCycle reports agents that call each other in a cycle.
func (v *validator) subagentCycle() (found bool) {
	done := map[string]bool{}
	var walk func(id string, path []string) bool
	walk = func(id string, path []string) bool {
		if i := slices.Index(path, id); i >= 0 {
			index := slices.IndexFunc(v.Flow.Agents, func(g flow.Agent) bool { return g.ID == path[len(path)-1] })
			v.Error(flow.At{Path: fmt.Sprintf("agents[%d].subagents", index)}, "subagent-cycle", "agents call each other in a circle",
				strings.Join(append(path[i:], id), "->"))
			return true
		}
		g := v.Flow.AgentByID(id)
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
	for i := range v.Flow.Agents {
		if walk(v.Flow.Agents[i].ID, nil) {
			return true
		}
	}
	return false
}
