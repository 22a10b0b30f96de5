package approval

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
)

// Surroundings are the inputs of a review besides the two documents.
type Surroundings struct {
	Tool ToolFacts // as the tools are now; nil = none is known
	// Writes says whether a flow that is run as a subflow can write: the revision with this lock hash, "" = the newest one. Nil: every
	// flow can.
	Writes func(flow, lockHash string) bool
	Was    flow.Lock                // the lock of the old revision
	Is     flow.Lock                // the present dependencies
	Step   func(node string) string // the number by which people know a node; nil or "" = it has none
}

// Review lists why a revision needs a second person: the effects that it newly allows and, when the flow can write before or after it, every change
// that is not harmless. old is nil for a first revision. If the list is empty, the author may approve the revision alone. The order is stable.
func Review(old, now *flow.Flow, about Surroundings) []Allowance {
	out := NewlyAllows(old, now, about.Tool)
	if old == nil {
		return out
	}
	writes := about.writes(old, about.Was) || about.writes(now, about.Is)
	if writes {
		for _, c := range changes(old, now, about.Step) {
			out = append(out, Allowance{Kind: AllowsChange, Node: c.node, Words: c.words, New: c.isNew})
		}
	}
	for _, c := range CompareLock(about.Was, about.Is) {
		if (writes || c.Riskier) && c.used(old) && c.used(now) {
			out = append(out, Allowance{Kind: AllowsDependency, Words: c.Words})
		}
	}
	return out
}

// writes reports whether a revision can write, as it was approved or with the tools of today.
func (about Surroundings) writes(f *flow.Flow, lock flow.Lock) bool {
	facts := func(name string) (flow.Effects, string, bool) {
		effects, host, known := flow.EffectsOnce, "", false
		if about.Tool != nil {
			effects, host, known = factsOf(about.Tool, name)
		}
		if locked, ok := lock.Tools[name]; ok && (!known || locked.Effects.Risk() > effects.Risk()) {
			effects, known = locked.Effects, true
		}
		return effects, host, known
	}
	var subflow func(name string) bool
	if about.Writes != nil {
		subflow = func(name string) bool { return about.Writes(name, lock.Subflows[name]) }
	}
	return CanWrite(f, facts, subflow)
}

// CanWrite reports whether a run of the flow may change something outside: by a tool that does more than read (whatever its step says),
// by an agent's tools, by an event that other runs wait for, or by another flow. subflow says which flows can write; nil = all. A message
// into the run's own thread (say) does not count, a message that a tool posts does.
func CanWrite(f *flow.Flow, tool ToolFacts, subflow func(name string) bool) bool {
	if tool == nil {
		tool = func(string) (flow.Effects, string, bool) { return flow.EffectsOnce, "", false }
	}
	for i := range f.Nodes {
		if s, ok := f.Nodes[i].Spec.(*flow.SubflowSpec); ok && (subflow == nil || subflow(s.Flow)) {
			return true
		}
	}
	return slices.ContainsFunc(usesOf(f, tool), func(u use) bool {
		return u.kind == AllowsEffect && u.risk > 0 && !strings.HasPrefix(u.what, subflowUse)
	})
}

// subflowUse is the prefix of the name of a subflow's effect. It has a space, which the name of a tool cannot contain.
const subflowUse = "flow "

// harmless lists the paths of the canonical form whose change needs no second person, and the condition for it. Every other path counts. Not
// harmless, though it looks so: a step's name, description and the label of a route (deciders see them), an input's description and
// example (people follow them), the order of the nodes, a default that is written out differently.
var harmless = []struct {
	path string
	when func(old, now *flow.Flow) bool // nil = always
}{
	{"description", func(old, now *flow.Flow) bool { return !asksModel(old) && !asksModel(now) }}, // models read it as the goal
	{"nodes.*.flowchart_type", nil},
	{"raw", nil}, // the imported document with its positions and comments: no run reads it
}

// asksModel reports whether a step of the flow uses a model.
func asksModel(f *flow.Flow) bool {
	if len(f.Agents) > 0 {
		return true
	}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		asks := func(r flow.Route) bool { return r.If == flow.IfLLM }
		if n.Kind == flow.KindAgent || n.Kind == flow.KindLLM || len(n.Criteria) > 0 || slices.ContainsFunc(n.Routes, asks) {
			return true
		}
	}
	return false
}

// callNode gives the name of a node in a sentence.
func callNode(f *flow.Flow, id string, step func(string) string) string {
	name := flow.Words(id)
	if n := f.Node(id); n != nil {
		name = n.DisplayName()
	}
	if step != nil && step(id) != "" {
		return fmt.Sprintf("step %s '%s'", step(id), visible(name))
	}
	return fmt.Sprintf("step '%s'", visible(name))
}
