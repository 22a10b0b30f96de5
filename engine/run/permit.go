package run

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
)

// A tool's policy is the operator's word about every call of it, wherever the call comes from. A tool node asks before its step starts,
// so that nothing is under way while people think; a call inside a step (of an agent, of a node that makes an agent's calls) ends the
// worker's turn with CallAsked, and the step goes on behind its journal. A yes holds for one call: for these arguments, in this attempt,
// under this key. It is stored with the token, so that a crash between the yes and the call asks nobody again; another attempt, another
// generation and other arguments do.

// callPermitted tells whether a tool node may make its call now. If not, the node has failed or a person is asked.
func callPermitted(m *machine, t history.Token, tool string, params map[string]any, shown json.RawMessage) bool {
	policy := flow.ToolAllow
	if m.c.Policy != nil {
		policy = m.c.Policy(tool)
	}
	switch policy {
	case flow.ToolDeny:
		m.fail(t.ID, history.NodeError{Node: t.Node, Type: history.ErrorPolicy, Message: Denied(tool), Permanent: true})
		return false
	case flow.ToolAsk:
		c := &history.CallAsked{Tool: tool, Args: shown, Attempt: nextAttempt(&t), Gen: t.Gen, Digest: history.ArgsDigest(params)}
		if t.Permit == nil || *t.Permit != c.Permit() {
			openCall(m, t, c)
			return false
		}
	}
	return true
}

// Denied says that a tool's policy lets nothing call it.
func Denied(tool string) string {
	return fmt.Sprintf("the policy of the tool %s is deny: the operator lets nothing call it", tool)
}

// attempt is the number of the attempt that starts next.
func nextAttempt(t *history.Token) int {
	if t.Resume {
		return max(t.Attempt, 1)
	}
	return t.Attempt + 1
}

// openCall asks people whether a call may be made. They see every argument; what they see is part of the gate's hash.
func openCall(m *machine, t history.Token, c *history.CallAsked) {
	g := &history.GateOpened{Kind: history.GateCall, Message: fmt.Sprintf("Call %s?", c.Tool), Choices: []string{history.ChoiceYes, history.ChoiceNo}, Call: c}
	if c.Attempt > 1 {
		g.Message = fmt.Sprintf("Call %s once more (attempt %d)?", c.Tool, c.Attempt)
	}
	args, _ := m.Mask(history.Decode(c.Args)).(map[string]any)
	c.Args = json.RawMessage(expr.JSON(args))
	for _, name := range slices.Sorted(maps.Keys(args)) {
		g.Show = append(g.Show, history.Shown{Name: name, Value: history.Normal(args[name])})
	}
	m.open(t, g, nil)
}

// answerCall takes a person's word about a call. After a no the node fails by the name of it; a call inside a step has that as its result.
func answerCall(m *machine, t history.Token, g history.Gate, in Answer) {
	m.closeGate(g, &history.GateDecided{Gate: g.ID, Choice: in.Choice, Note: in.Note, Shown: in.Shown})
	t = m.Token(t.ID)
	if in.Choice == history.ChoiceYes {
		m.Queue = append(m.Queue, t.ID)
		return
	}
	e := history.NodeError{Node: t.Node, Type: history.ErrorRefused, Message: "a person said no to the call of " + g.Call.Tool, Permanent: true}
	if in.Note != "" {
		e.Message += ": " + in.Note
	}
	if g.Call.Number == 0 {
		m.fail(t.ID, e)
		return
	}
	m.emit(t, &history.CallIntended{Number: g.Call.Number, What: g.Call.Tool, Effects: flow.EffectsRead, Args: g.Call.Args})
	m.emit(t, &history.CallFinished{Number: g.Call.Number, Error: &e})
	m.Queue = append(m.Queue, t.ID)
}
