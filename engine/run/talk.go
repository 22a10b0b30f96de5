package run

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
	"sluice/engine/run/scope"
)

// turnsMost is the default of rules.tool_turns for such a conversation.
const turnsMost = 10

// turnsOf loads what an agent's conversation holds so far; an agent that begins one, or does not need it, has none.
func turnsOf(m *machine, n *compile.Node, t history.Token) []Turn {
	k := t.Talk(n.ID)
	if k == nil {
		return nil
	}
	m.WantConversations(t)
	m.Foresee(t, n.AheadOnEntry)
	var turns []Turn
	for pair := range slices.Chunk(k.Turns, 2) {
		turn := Turn{}
		turn.Said, _ = m.Load(pair[0])
		if len(pair) == 2 {
			turn.Results, _ = m.Load(pair[1])
		}
		turns = append(turns, turn)
	}
	return turns
}

// asSpokenTo gives the token as it was when an agent's conversation began: what the agent was given then is rendered anew from
// it, instead of being stored with all that it may hold. since is what was said to the agent after the results of its calls.
func asSpokenTo(m *machine, n *compile.Node, t history.Token) (then history.Token, since string) {
	k := t.Talk(n.ID)
	if k == nil || len(k.Turns) == 0 {
		return t, ""
	}
	if t.Prev != k.Turns[len(k.Turns)-1] {
		since = m.PreviousText(n, t)
	}
	t.Prev, t.PrevNode = k.Prev, k.PrevNode
	return t, since
}

// tooManyTurns checks how often an agent may speak in one conversation.
func tooManyTurns(m *machine, n *compile.Node, t history.Token) *history.NodeError {
	k := t.Talk(n.ID)
	spec, ok := n.Spec.(*flow.AgentSpec)
	if !ok || k == nil {
		return nil
	}
	most := cmp.Or(m.Program.Flow().Rules.ToolTurns, turnsMost)
	if a := m.Program.Flow().AgentByID(spec.Agent); a != nil && a.Limits.Turns > 0 {
		most = a.Limits.Turns
	}
	turns := len(k.Turns) / 2
	if turns < most*(1+k.Granted) || t.ByHand {
		return nil
	}
	return &history.NodeError{
		Node: t.Node, Type: history.ErrorLimit, Permanent: true, Limit: history.LimitTurns,
		Message: fmt.Sprintf("the agent %s asked for tools %d times without an answer, as often as the flow allows", spec.Agent, turns),
	}
}

// pendingCalls gives the calls that a toolexec node performs, and the node of the agent that asked for them.
func pendingCalls(m *machine, n *compile.Node, t history.Token, spec *flow.ToolexecSpec) (calls []history.ToolCall, caller string, nerr *history.NodeError) {
	if spec.Calls != "" {
		sc := m.Scope(t)
		v, nerr := m.Evaluate(t, n.AheadOnEntry, func() (any, error) { return n.Value.Expr.Eval(sc, m.Options(t)) })
		if nerr != nil {
			return nil, "", nerr
		}
		calls, err := scope.CallsOf(history.Normal(v))
		if err != nil && m.Unknown {
			return nil, "", nil
		}
		if err != nil {
			return nil, "", &history.NodeError{Node: t.Node, Type: history.ErrorExpression, Permanent: true, Message: fmt.Sprintf("%s: %v", spec.Calls, err)}
		}
		return calls, "", nil
	}
	k := t.Talk(t.Caller)
	if !k.Open() {
		return nil, "", nil
	}
	out, ok := m.Load(k.Turns[len(k.Turns)-1])
	if !ok {
		m.Foresee(t, n.AheadOnEntry)
	}
	return out.Calls, k.Node, nil
}

// enterToolexec starts the step of a toolexec node. Without calls there is nothing to perform.
func enterToolexec(m *machine, n *compile.Node, t history.Token, spec *flow.ToolexecSpec) {
	calls, caller, nerr := pendingCalls(m, n, t, spec)
	switch {
	case nerr != nil:
		m.fail(t.ID, *nerr)
	case len(calls) == 0:
		m.Unknown = m.Unknown || m.Trial != nil && spec.Calls == "" // in a trial nobody knows what is asked for
		m.keep(t, &history.StepFinished{Output: history.Output{Data: json.RawMessage(`{"results":[],"success":true}`)}, Aside: true})
		m.leave(t.ID)
	default:
		m.begins(n, t, Perform{Asked: calls, Caller: agentOf(m, caller)}, json.RawMessage(expr.JSON(map[string]any{"calls": callNames(calls)})))
	}
}

// agentOf names the declared agent of a node.
func agentOf(m *machine, node string) string {
	if n := m.Program.Nodes[node]; n != nil {
		if spec, ok := n.Spec.(*flow.AgentSpec); ok {
			return spec.Agent
		}
	}
	return ""
}

func callNames(calls []history.ToolCall) []any {
	names := make([]any, len(calls))
	for i, c := range calls {
		names[i] = c.Name
	}
	return names
}

// executorOf finds the route that leads from an agent with pending calls straight to a node that performs them: it is taken
// whatever its condition says, for the agent does not name it.
func executorOf(m *machine, n *compile.Node, t history.Token) *compile.Route {
	if !t.Talk(n.ID).Open() {
		return nil
	}
	return m.Program.Executor(n)
}

// callerOf is the node of the agent whose calls a toolexec node has performed, or in a trial would have performed.
func callerOf(m *machine, t history.Token) string {
	if from := m.Program.Nodes[cameFrom(t)]; m.Trial != nil && from != nil && from.External() {
		return from.ID
	}
	if k := t.Talk(t.Caller); k != nil && !k.Open() && k.Turns[len(k.Turns)-1] == t.Done {
		return t.Caller
	}
	return ""
}

// answersFor names the node whose agent's calls the token's step has performed, or nothing.
func answersFor(m *machine, t history.Token) string {
	n := m.Node(t)
	if n == nil {
		return ""
	}
	if spec, ok := n.Spec.(*flow.ToolexecSpec); ok && spec.Calls == "" && t.Talk(t.Caller).Open() {
		return t.Caller
	}
	return ""
}
