package agent

import (
	"time"

	"sluice/engine/flow"
	"sluice/engine/llm"
	"sluice/engine/tool"
)

// Defaults of [flow.AgentLimits], and limits that have no setting in a flow.
const (
	DefaultTurns   = 10
	DefaultTokens  = 200_000
	DefaultTimeout = 10 * time.Minute
	MaxDepth       = flow.MaxSubagents // agents inside agents, the first one counted
	MaxCalls       = 16                // tool calls of one turn that are performed
	MaxResult      = 32 << 10          // bytes of a tool's result that the model sees
	MaxPrompt      = 256 << 10         // bytes of an agent's input
)

// budget counts what one agent has used. What a sub-agent uses counts for its callers too.
type budget struct {
	limits   flow.AgentLimits
	parent   *budget
	deadline time.Time
	turns    int
	used     llm.Usage
}

// newBudget starts counting. Time begins anew in every try of a step; all else is counted through the journal.
// granted is how often people have granted the limits once more.
func newBudget(limits flow.AgentLimits, granted int, parent *budget) *budget {
	if limits.Turns <= 0 {
		limits.Turns = DefaultTurns
	}
	if limits.Tokens <= 0 {
		limits.Tokens = DefaultTokens
	}
	limits.Turns, limits.Tokens, limits.USD = limits.Turns*(1+granted), limits.Tokens*(1+granted), limits.USD*float64(1+granted)
	timeout := limits.Timeout.Clock
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	b := &budget{limits: limits, parent: parent, deadline: time.Now().Add(timeout)}
	if parent != nil && parent.deadline.Before(b.deadline) {
		b.deadline = parent.deadline
	}
	return b
}

// spend counts a turn of the model.
func (b *budget) spend(u llm.Usage) {
	b.turns++
	for up := b; up != nil; up = up.parent {
		up.used = up.used.Add(u)
	}
}

// over says which limit forbids another turn of the agent.
func (b *budget) over(id string) error {
	if !time.Now().Before(b.deadline) {
		return late(id)
	}
	if b.turns >= b.limits.Turns {
		return &ownLimit{fail("LimitError", "the agent %s had no answer after %d turns (limits.turns)", id, b.limits.Turns)}
	}
	for up := b; up != nil; up = up.parent {
		e := up.overspent(id)
		switch {
		case e == nil:
		case up == b:
			return &ownLimit{e}
		default:
			return e
		}
	}
	return nil
}

// unpriced is the error of an agent that limits USD and would ask a model without a price, itself or for an agent that called it.
func (b *budget) unpriced(terms llm.Terms) error {
	if terms.Price != nil {
		return nil
	}
	for up := b; up != nil; up = up.parent {
		if up.limits.USD > 0 {
			return fail(llm.PriceError, "limits.usd cannot be kept: no price is known for the model %s. An operator can give it in SLUICE_MODELS; limits in tokens and turns hold without one", terms.Model)
		}
	}
	return nil
}

func (b *budget) overspent(id string) *tool.Error {
	if tokens := b.used.Tokens(); tokens >= b.limits.Tokens {
		return fail("LimitError", "the agent %s had no answer after %d tokens (limits.tokens is %d)", id, tokens, b.limits.Tokens)
	}
	if b.limits.USD > 0 && b.used.USD >= b.limits.USD {
		return fail("LimitError", "the agent %s had no answer after %.4f USD (limits.usd is %g)", id, b.used.USD, b.limits.USD)
	}
	return nil
}

// late is the error of the time limit. Another try starts the time again and keeps all finished acts.
func late(id string) error {
	e := fail("LimitError", "the agent %s had no answer in time (limits.timeout)", id)
	e.Permanent = false
	return e
}

// ownLimit is a limit of the agent itself that every try meets at the same place: if it is a sub-agent, its caller is told
// and goes on. See the package's Decisions.
type ownLimit struct{ err *tool.Error }

func (l *ownLimit) Error() string { return l.err.Error() }
func (l *ownLimit) Unwrap() error { return l.err }
