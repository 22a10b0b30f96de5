package flow

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Lock is what a flow depends on outside itself, by hash, as it was when a person approved it.
type Lock struct {
	Tools    map[string]ToolLock `json:"tools,omitempty"`
	Subflows map[string]string   `json:"subflows,omitempty"` // name -> hash of the revision
	Agents   map[string]string   `json:"agents,omitempty"`   // id of a registry agent -> hash of its content
}

// ToolLock is a tool as it was approved.
type ToolLock struct {
	Effects Effects `json:"effects,omitempty"`
	Hash    string  `json:"hash"` // of its schemas
}

// ApprovalHash is what an approval binds to: the canonical flow and its lock.
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
		switch s := f.Nodes[i].Spec.(type) {
		case *ToolSpec:
			names[s.Tool] = true
		case *LLMSpec:
			add(names, s.Tools)
		case *ToolexecSpec:
			add(names, s.Tools)
		}
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

// SubflowNames lists the flows that the flow runs, sorted.
func (f *Flow) SubflowNames() []string {
	names := map[string]bool{}
	for i := range f.Nodes {
		if s, ok := f.Nodes[i].Spec.(*SubflowSpec); ok {
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

// LockChange is one difference between two locks.
type LockChange struct {
	Kind    string `json:"kind"` // tool, subflow, agent
	Name    string `json:"name"`
	Riskier bool   `json:"riskier,omitempty"` // a tool's effects became riskier: refused until a person approves again
	Words   string `json:"words"`
}

// CompareLock lists what changed between the approved lock and the present one, ordered by kind and name.
func CompareLock(old, now Lock) []LockChange {
	var changes []LockChange
	for _, name := range keysOfBoth(old.Tools, now.Tools) {
		was, had := old.Tools[name]
		is, has := now.Tools[name]
		c := LockChange{Kind: "tool", Name: name}
		switch {
		case !has:
			c.Words = fmt.Sprintf("the tool %s is gone", name)
		case !had:
			c.Words = fmt.Sprintf("the tool %s is new", name)
		case is.Effects.Risk() > was.Effects.Risk():
			c.Riskier = true
			c.Words = fmt.Sprintf("the tool %s became riskier: %s instead of %s", name, is.Effects, was.Effects)
		case is.Effects != was.Effects:
			c.Words = fmt.Sprintf("the tool %s is now %s instead of %s", name, is.Effects, was.Effects)
		case is.Hash != was.Hash:
			c.Words = fmt.Sprintf("the parameters or the result of the tool %s changed", name)
		default:
			continue
		}
		changes = append(changes, c)
	}
	changes = append(changes, changedHashes("subflow", old.Subflows, now.Subflows)...)
	changes = append(changes, changedHashes("agent", old.Agents, now.Agents)...)
	slices.SortStableFunc(changes, func(a, b LockChange) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return changes
}

func changedHashes(kind string, old, now map[string]string) []LockChange {
	var changes []LockChange
	for _, name := range keysOfBoth(old, now) {
		was, had := old[name]
		is, has := now[name]
		word := ""
		switch {
		case !has:
			word = "is gone"
		case !had:
			word = "is new"
		case is != was:
			word = "changed"
		default:
			continue
		}
		changes = append(changes, LockChange{Kind: kind, Name: name, Words: fmt.Sprintf("the %s %s %s", kind, name, word)})
	}
	return changes
}

func keysOfBoth[V any](a, b map[string]V) []string {
	all := map[string]bool{}
	for k := range a {
		all[k] = true
	}
	for k := range b {
		all[k] = true
	}
	return slices.Sorted(maps.Keys(all))
}
