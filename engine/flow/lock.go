package flow

import (
	"encoding/json"
	"maps"
	"slices"
)

// Lock holds the hashes of a flow's dependencies at the time of its approval.
type Lock struct {
	Tools    map[string]ToolLock `json:"tools,omitempty"`
	Subflows map[string]string   `json:"subflows,omitempty"` // name -> hash of the revision
	Agents   map[string]string   `json:"agents,omitempty"`   // id of a registry agent -> hash of its content
}

// ToolPolicy says whether a person must confirm a call of a tool.
type ToolPolicy string

// The policies.
const (
	ToolAllow ToolPolicy = "allow"
	ToolAsk   ToolPolicy = "ask"  // before each call, with its arguments
	ToolDeny  ToolPolicy = "deny" // no call is allowed
)

// ToolLock is a tool as it was approved. An empty field besides Hash was not recorded by an older release, and is not compared.
type ToolLock struct {
	Effects Effects    `json:"effects,omitempty"`
	Hash    string     `json:"hash"`              // of its schemas and its host
	Policy  ToolPolicy `json:"policy,omitempty"`  // as it was declared
	Host    string     `json:"host,omitempty"`    // the host of its requests, when it is fixed
	Request string     `json:"request,omitempty"` // hash of what a declared action sends: method, address, headers, body
}

// ApprovalHash is the hash that an approval is valid for: that of the canonical flow and its lock.
func ApprovalHash(f *Flow, lock Lock) string {
	b, err := json.Marshal(lock) // map keys are sorted
	if err != nil {
		panic("flow: a lock holds only strings: " + err.Error())
	}
	return sum(append(append(Canonical(f), '\n'), b...))
}

// ToolNames lists the tools that the flow names, in nodes and agents, sorted.
func (f *Flow) ToolNames() []string {
	names := map[string]bool{}
	for i := range f.Nodes {
		add(names, f.Nodes[i].Tools())
	}
	for i := range f.Agents {
		add(names, f.Agents[i].Tools)
	}
	return slices.Sorted(maps.Keys(names))
}

func add(to map[string]bool, names []string) {
	for _, name := range names {
		to[name] = true
	}
}

// SubflowNames lists the other flows that the flow runs, sorted.
func (f *Flow) SubflowNames() []string {
	names := map[string]bool{}
	for i := range f.Nodes {
		if s, ok := f.Nodes[i].Spec.(*SubflowSpec); ok && s.Flow != f.Name {
			names[s.Flow] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// Risk orders effects: read 0, idempotent 1, once 2. Unknown effects count as once.
func (e Effects) Risk() int {
	switch e {
	case EffectsRead:
		return 0
	case EffectsIdempotent:
		return 1
	default:
		return 2
	}
}
