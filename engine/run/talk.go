package run

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"sluice/engine/expr"
	"sluice/engine/flow"
)

// LimitTurns is the limit of the answers of one agent in a conversation that goes on over several steps.
const LimitTurns = "tool_turns"

// turnsMost is the default of rules.tool_turns for such a conversation.
const turnsMost = 10

// ToolCall is a call that a model asks for.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments,omitempty"` // meant to be a JSON object; models make mistakes
}

// Talk is the conversation of an agent whose tool calls another node performs. It goes on over several steps of the agent, until
// the agent answers without a call. What was said is in the facts and not repeated here.
type Talk struct {
	Node     string  `json:"node"`            // of the agent
	Turns    []int64 `json:"turns,omitempty"` // facts: what the agent said, the results, what it said then, ...
	Prev     int64   `json:"prev,omitempty"`  // the previous output when the conversation began
	PrevNode string  `json:"prev_node,omitempty"`
}

// open reports whether the calls of the latest turn have not been performed yet.
func (k *Talk) open() bool { return k != nil && len(k.Turns)%2 == 1 }

// Turn is one turn of a conversation: what the agent said, and the results of its calls.
type Turn struct {
	Said    Output
	Results Output
}

func (t *Token) talk(node string) *Talk {
	if i := slices.IndexFunc(t.Talks, func(k Talk) bool { return k.Node == node }); i >= 0 {
		return &t.Talks[i]
	}
	return nil
}

// said notes in a token what an output means for the conversations on its way: an agent's calls wait to be performed, their
// results wait for the agent, an answer without calls ends its conversation.
func (t *Token) said(node string, seq int64, b *StepFinished) {
	switch {
	case len(b.Output.Calls) > 0 && b.Output.Pending:
		t.Caller = node
		k := t.talk(node)
		if k == nil {
			t.Talks = append(slices.Clip(t.Talks), Talk{Node: node, Prev: t.Prev, PrevNode: t.PrevNode})
			k = &t.Talks[len(t.Talks)-1]
		}
		if k.open() { // nobody performed the calls before: the agent has been told so, and now asks for others
			k.Turns = k.Turns[:len(k.Turns)-1]
		}
		k.Turns = append(slices.Clip(k.Turns), seq)
	case b.Answers != "":
		if k := t.talk(b.Answers); k.open() { // else a person gave a value to a step that had nothing to perform
			k.Turns = append(slices.Clip(k.Turns), seq)
		}
	case t.talk(node) != nil:
		t.Talks = slices.DeleteFunc(slices.Clone(t.Talks), func(k Talk) bool { return k.Node == node })
		if t.Caller == node {
			t.Caller = ""
		}
	}
}

// spoken loads what an agent's conversation holds so far; an agent that begins one, or does not need it, has none.
func (m *machine) spoken(n *node, t Token) []Turn {
	k := t.talk(n.ID)
	if k == nil {
		return nil
	}
	m.wantTalks(t)
	m.foresee(t, n.ahead0)
	var turns []Turn
	for pair := range slices.Chunk(k.Turns, 2) {
		turn := Turn{}
		turn.Said, _ = m.load(pair[0])
		if len(pair) == 2 {
			turn.Results, _ = m.load(pair[1])
		}
		turns = append(turns, turn)
	}
	return turns
}

// wantTalks notes what the conversations of a token hold.
func (m *machine) wantTalks(t Token) {
	for _, k := range t.Talks {
		m.want(k.Prev)
		for _, seq := range k.Turns {
			m.want(seq)
		}
	}
}

// asSpokenTo gives the token as it was when an agent's conversation began: what the agent was given then is rendered anew from
// it, instead of being stored with all that it may hold. since is what was said to the agent after the results of its calls.
func (m *machine) asSpokenTo(n *node, t Token) (then Token, since string) {
	k := t.talk(n.ID)
	if k == nil || len(k.Turns) == 0 {
		return t, ""
	}
	if t.Prev != k.Turns[len(k.Turns)-1] {
		since = m.previousText(n, t)
	}
	t.Prev, t.PrevNode = k.Prev, k.PrevNode
	return t, since
}

// tooManyTurns checks how often an agent may speak in one conversation.
func (m *machine) tooManyTurns(n *node, t Token) *NodeError {
	k := t.talk(n.ID)
	spec, ok := n.Spec.(*flow.AgentSpec)
	if !ok || k == nil {
		return nil
	}
	most := cmp.Or(m.p.flow.Rules.ToolTurns, turnsMost)
	if a := m.p.flow.AgentByID(spec.Agent); a != nil && a.Limits.Turns > 0 {
		most = a.Limits.Turns
	}
	turns := len(k.Turns) / 2
	if turns < most {
		return nil
	}
	return &NodeError{
		Node: t.Node, Type: ErrorLimit, Permanent: true, Limit: LimitTurns,
		Message: fmt.Sprintf("the agent %s asked for tools %d times without an answer, as often as the flow allows", spec.Agent, turns),
	}
}

// pending gives the calls that a toolexec node performs, and the node of the agent that asked for them.
func (m *machine) pending(n *node, t Token, spec *flow.ToolexecSpec) (calls []ToolCall, caller string, nerr *NodeError) {
	if spec.Calls != "" {
		sc := &scope{m: m, t: t}
		v, nerr := m.evaluate(t, n.ahead0, func() (any, error) { return n.value.expr.Eval(sc, m.options(t)) })
		if nerr != nil {
			return nil, "", nerr
		}
		calls, err := callsOf(normal(v))
		if err != nil && m.doubt {
			return nil, "", nil
		}
		if err != nil {
			return nil, "", &NodeError{Node: t.Node, Type: ErrorExpression, Permanent: true, Message: fmt.Sprintf("%s: %v", spec.Calls, err)}
		}
		return calls, "", nil
	}
	k := t.talk(t.Caller)
	if !k.open() {
		return nil, "", nil
	}
	out, ok := m.load(k.Turns[len(k.Turns)-1])
	if !ok {
		m.foresee(t, n.ahead0)
	}
	return out.Calls, k.Node, nil
}

// callsOf reads calls from a value: a list of {name, arguments}, or one of them.
func callsOf(v any) ([]ToolCall, error) {
	list, isList := v.([]any)
	switch {
	case v == nil:
		return nil, nil
	case !isList:
		list = []any{v}
	}
	var calls []ToolCall
	for i, item := range list {
		fields, _ := item.(map[string]any)
		name, _ := fields["name"].(string)
		if name == "" {
			return nil, fmt.Errorf("call %d is not of the form {name, arguments}", i+1)
		}
		c := ToolCall{ID: expr.Text(fields["id"]), Name: name}
		switch arguments := fields["arguments"].(type) {
		case nil:
		case string:
			c.Arguments = arguments
		default:
			c.Arguments = expr.JSON(arguments)
		}
		if c.ID == "" {
			c.ID = fmt.Sprintf("call_%d", i+1)
		}
		calls = append(calls, c)
	}
	return calls, nil
}

// performCalls starts the step of a toolexec node. Without calls there is nothing to perform.
func (m *machine) performCalls(n *node, t Token, spec *flow.ToolexecSpec) {
	calls, caller, nerr := m.pending(n, t, spec)
	switch {
	case nerr != nil:
		m.fail(t.ID, *nerr)
	case len(calls) == 0:
		m.doubt = m.doubt || m.c.Trial != nil && spec.Calls == "" // in a trial nobody knows what is asked for
		m.keep(t, &StepFinished{Output: Output{Data: json.RawMessage(`{"results":[],"success":true}`)}, Aside: true})
		m.leave(t.ID)
	default:
		m.begins(n, t, Perform{Asked: calls, Caller: m.agentOf(caller)}, json.RawMessage(expr.JSON(map[string]any{"calls": callNames(calls)})))
	}
}

// agentOf names the declared agent of a node.
func (m *machine) agentOf(node string) string {
	if n := m.p.nodes[node]; n != nil {
		if spec, ok := n.Spec.(*flow.AgentSpec); ok {
			return spec.Agent
		}
	}
	return ""
}

func callNames(calls []ToolCall) []any {
	names := make([]any, len(calls))
	for i, c := range calls {
		names[i] = c.Name
	}
	return names
}

// executor finds the route that leads from an agent with pending calls straight to a node that performs them: it is taken
// whatever its condition says, for the agent does not name it.
func (m *machine) executor(n *node, t Token) *route {
	if !t.talk(n.ID).open() {
		return nil
	}
	return m.toExecutor(n)
}

func (m *machine) toExecutor(n *node) *route {
	for i := range n.routes {
		if to := m.p.nodes[n.routes[i].To]; to != nil && to.Kind == flow.KindToolexec {
			return &n.routes[i]
		}
	}
	return nil
}

// external reports whether the node is an agent whose calls other nodes perform.
func (n *node) external() bool {
	spec, ok := n.Spec.(*flow.AgentSpec)
	return ok && spec.ToolMode == flow.ToolsExternal
}

// callerOf is the node of the agent whose calls a toolexec node has performed, or in a trial would have performed.
func (m *machine) callerOf(t Token) string {
	if from := m.p.nodes[cameFrom(t)]; m.c.Trial != nil && from != nil && from.external() {
		return from.ID
	}
	if k := t.talk(t.Caller); k != nil && !k.open() && k.Turns[len(k.Turns)-1] == t.Done {
		return t.Caller
	}
	return ""
}

// named takes the next node from an agent's JSON answer, if its routes go by that and it has not named one otherwise.
func (n *node) named(out Output) Output {
	byNext := slices.ContainsFunc(n.routes, func(r route) bool { return r.If == flow.IfNext })
	if out.Next != "" || !byNext || len(out.Data) == 0 {
		return out
	}
	fields, _ := decode(out.Data).(map[string]any)
	out.Next, _ = fields["next"].(string)
	return out
}

// answers names the node whose agent's calls the token's step has performed, or nothing.
func (m *machine) answers(t Token) string {
	n := m.node(t)
	if n == nil {
		return ""
	}
	if spec, ok := n.Spec.(*flow.ToolexecSpec); ok && spec.Calls == "" && t.talk(t.Caller).open() {
		return t.Caller
	}
	return ""
}
