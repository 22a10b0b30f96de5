package talk

import (
	"cmp"
	"fmt"
	"slices"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
	"sluice/engine/run/scope"
)

// turnsMost is the default of rules.tool_turns for such a conversation.
const turnsMost = 10

// Turn is one turn of a conversation: what an agent said, and what it heard: the results of its calls, else a person's words.
type Turn struct {
	Said    history.Output
	Results history.Output
}

// exchanges are the complete turns that an agent goes on from, each with the fact of what was said and that of what was heard, in order.
func exchanges(t *history.Token, node string) (all [][]int64, began *history.Talk) {
	if t.Conversation.Turns != nil {
		all, began = slices.Collect(slices.Chunk(t.Conversation.Turns, 2)), &t.Conversation
	}
	if k := t.Talk(node); k != nil {
		all, began = slices.AppendSeq(all, slices.Chunk(k.Turns, 2)), cmp.Or(began, k)
	}
	slices.SortStableFunc(all, func(a, b []int64) int { return cmp.Compare(a[0], b[0]) })
	return slices.DeleteFunc(all, func(pair []int64) bool { return len(pair) < 2 }), began
}

// Turns loads what an agent's conversation holds so far; an agent that begins one, or does not need it, has none.
func Turns(rd *scope.Reader, n *compile.Node, t history.Token) (turns []Turn) {
	if n.Kind != flow.KindAgent {
		return nil
	}
	all, began := exchanges(&t, n.ID)
	if began == nil {
		return nil
	}
	rd.WantConversations(t)
	rd.Foresee(t, n.AheadOnEntry)
	for _, pair := range all {
		turn := Turn{}
		turn.Said, _ = rd.Load(pair[0])
		turn.Results, _ = rd.Load(pair[1])
		turns = append(turns, turn)
	}
	return turns
}

// Began gives the token as it was when an agent's conversation began. The agent's input is rendered again from it instead of being stored.
// since is what was said to the agent after its last turn.
func Began(rd *scope.Reader, n *compile.Node, t history.Token) (then history.Token, since string) {
	if n.Kind != flow.KindAgent {
		return t, ""
	}
	all, began := exchanges(&t, n.ID)
	if len(all) == 0 {
		return t, ""
	}
	if t.Prev != all[len(all)-1][1] {
		since = rd.PreviousText(n, t)
	}
	t.Prev, t.PrevNode = began.Prev, began.PrevNode
	return t, since
}

// TooMany checks how often an agent may ask for tools before it answers.
func TooMany(rd *scope.Reader, n *compile.Node, t history.Token) *history.NodeError {
	k := t.Talk(n.ID)
	spec, ok := n.Spec.(*flow.AgentSpec)
	if !ok || k == nil {
		return nil
	}
	most := cmp.Or(rd.Program.Flow().Rules.ToolTurns, turnsMost)
	if a := rd.Program.Flow().AgentByID(spec.Agent); a != nil && a.Limits.Turns > 0 {
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

// Pending gives the calls that a toolexec node performs, and the node of the agent that asked for them.
func Pending(rd *scope.Reader, n *compile.Node, t history.Token, spec *flow.ToolexecSpec) (calls []history.ToolCall, caller string, nerr *history.NodeError) {
	if spec.Calls != "" {
		sc := rd.Scope(t)
		v, nerr := rd.Evaluate(t, n.AheadOnEntry, func() (any, error) { return n.Value.Expr.Eval(sc, rd.Options(t)) })
		if nerr != nil {
			return nil, "", nerr
		}
		calls, err := scope.CallsOf(history.Normal(v))
		if err != nil && rd.Unknown {
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
	out, ok := rd.Load(k.Turns[len(k.Turns)-1])
	if !ok {
		rd.Foresee(t, n.AheadOnEntry)
	}
	return out.Calls, k.Node, nil
}
