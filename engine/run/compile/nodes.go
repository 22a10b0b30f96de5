package compile

import (
	"cmp"
	"math"
	"slices"
	"time"

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

const (
	backoffFirst      = 500 * time.Millisecond
	backoffMultiplier = 2
	backoffMost       = 30 * time.Second
)

// Backoff is the pause after a failed attempt, counted from 1.
func Backoff(r *flow.Retry, attempt int) time.Duration {
	first, most, multiplier := backoffFirst, backoffMost, float64(backoffMultiplier)
	if r.BackoffMS > 0 {
		first = time.Duration(r.BackoffMS) * time.Millisecond
	}
	if r.MaxBackoffMS > 0 {
		most = time.Duration(r.MaxBackoffMS) * time.Millisecond
	}
	if r.Multiplier > 0 {
		multiplier = r.Multiplier
	}
	pause := float64(first) * math.Pow(multiplier, float64(attempt-1))
	return time.Duration(min(pause, float64(most)))
}
