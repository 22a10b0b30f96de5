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

// Deadline is that of a gate node; nil when it has none.
func (n *Node) Deadline() *flow.Deadline {
	if q := n.Question(); q != nil {
		return q.Deadline
	}
	return nil
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
