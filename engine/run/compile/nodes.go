package compile

import (
	"cmp"
	"slices"

	"sluice/engine/flow"
	"sluice/engine/history"
)

// Retries reports whether another attempt follows by itself.
func (n *Node) Retries(attempt int, e history.NodeError) bool {
	if n.Retry == nil || e.Permanent || attempt >= n.Retry.MaxAttempts {
		return false
	}
	return n.RetryOn == nil || n.RetryOn.MatchString(e.Type) || n.RetryOn.MatchString(e.Message)
}

// schemaFields gives the fields of an agent's answer that a person gives in its place.
func schemaFields(a *flow.Agent) map[string]flow.FormField {
	if a == nil {
		return nil
	}
	properties, _ := a.Output["properties"].(map[string]any)
	fields := make(map[string]flow.FormField, len(properties))
	for name, p := range properties {
		schema, _ := p.(map[string]any)
		kind, _ := schema["type"].(string)
		enum, _ := schema["enum"].([]any)
		fields[name] = flow.FormField{Type: kind, Enum: enum}
	}
	return fields
}

// Deadline is that of a gate node; nil when it has none.
func (n *Node) Deadline() *flow.Deadline {
	switch spec := n.Spec.(type) {
	case *flow.ApprovalSpec:
		return spec.Deadline
	case *flow.AskSpec:
		return spec.Deadline
	}
	return nil
}

// Journals reports whether the acts inside a step of the node have intents and keys of their own.
func (n *Node) Journals() bool {
	switch n.Kind {
	case flow.KindAgent, flow.KindLLM, flow.KindToolexec:
		return true
	}
	return false
}

// External reports whether the node is an agent whose calls other nodes perform.
func (n *Node) External() bool {
	spec, ok := n.Spec.(*flow.AgentSpec)
	return ok && spec.ToolMode == flow.ToolsExternal
}

// Named takes the next node from an agent's JSON answer, if its routes go by that and it has not named one otherwise.
func (n *Node) Named(out history.Output) history.Output {
	byNext := slices.ContainsFunc(n.Outgoing, func(r Route) bool { return r.If == flow.IfNext })
	if out.Next != "" || !byNext || len(out.Data) == 0 {
		return out
	}
	fields, _ := history.Decode(out.Data).(map[string]any)
	out.Next, _ = fields["next"].(string)
	return out
}

// Sizes are what values may take, as JSON, in bytes. Zero is the usual: 1 MiB.
type Sizes struct {
	Output   int // what a step gives; tools bound theirs themselves
	Variable int // one variable
}

const sizeMost = 1 << 20

// Bound sets what values of runs may take. It is for right after Flow.
func (p *Program) Bound(s Sizes) {
	p.Most = Sizes{Output: cmp.Or(s.Output, sizeMost), Variable: cmp.Or(s.Variable, sizeMost)}
}
