// Package agents resolves the agents that a flow names and does not declare: those of the installation.
//
//	Resolve  puts copies of them into the flow
//	Without  takes the copies out again, for the file of the flow
//	Hash     is the hash of an agent's content
//
// A flow with its copies is whole: its hash covers what its agents are told and may call, and a run goes on with them whatever becomes of
// the agents of the installation.
//
// The package is pure. Look next at engine/registry, which reads the agents of the installation, and at engine/lock, which finds out that
// one has changed since an approval.
package agents

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"sluice/engine/flow"
)

// Hash is the hash of what an agent is told and may do.
func Hash(a flow.Agent) string {
	a.Registered = false
	b, err := json.Marshal(a)
	if err != nil {
		panic("agents: an agent has a JSON form: " + err.Error())
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Resolve puts copies of the known agents into a flow: those that its steps and agents name and that it does not declare, and those that
// they call. Copies that it has already are made anew. An agent that is not known stays a name. Nil known leaves the flow as it is.
func Resolve(f *flow.Flow, known []flow.Agent) {
	if known == nil {
		return
	}
	f.Agents = slices.DeleteFunc(slices.Clone(f.Agents), registered)
	named := names(f)
	for len(named) > 0 {
		id := named[0]
		named = named[1:]
		i := slices.IndexFunc(known, func(a flow.Agent) bool { return a.ID == id })
		if i < 0 || f.AgentByID(id) != nil {
			continue
		}
		a := known[i]
		a.Registered = true
		f.Agents = append(f.Agents, a)
		named = append(named, a.Subagents...)
	}
}

// Without is a copy of a flow without its copies of agents.
func Without(f *flow.Flow) *flow.Flow {
	f = f.Clone()
	f.Agents = slices.DeleteFunc(f.Agents, registered)
	return f
}

// names lists the agents that a flow names, in its order.
func names(f *flow.Flow) (ids []string) {
	for i := range f.Nodes {
		for _, u := range f.Nodes[i].Uses() {
			if u.What == flow.UsedAgent {
				ids = append(ids, u.Name)
			}
		}
	}
	for i := range f.Agents {
		ids = append(ids, f.Agents[i].Subagents...)
	}
	return ids
}

func registered(a flow.Agent) bool { return a.Registered }
