package run

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
)

// A tool's policy is the operator's rule for every call of it, wherever the call comes from. A tool node asks before its step starts,
// so that nothing is under way while people think. A call inside a step (of an agent, of a node that makes an agent's calls) ends the
// worker's turn with CallAsked, and the step resumes from its journal. A permission holds for one call: for these arguments, in this attempt,
// under this key. It is stored with the token, so that after a crash between the answer and the call no person is asked again. Another
// attempt, another generation and other arguments ask again, with what people have set in the arguments before (CallAsked.Take).

// callPermitted gives the arguments with which a tool node may make its call now. If it may not, the node has failed or a person is asked.
func callPermitted(m *machine, t history.Token, tool string, params map[string]any, shown json.RawMessage) (map[string]any, json.RawMessage, bool) {
	policy := flow.ToolAllow
	if m.c.Policy != nil {
		policy = m.c.Policy(tool)
	}
	if t.Permit == nil && t.Edited == nil && policy != flow.ToolAsk && policy != flow.ToolDeny { // people are not asked, and were not before
		return params, shown, true
	}
	public, _ := m.Mask(history.Decode(shown)).(map[string]any)
	c := &history.CallAsked{Tool: tool, Args: json.RawMessage(expr.JSON(public)), Attempt: nextAttempt(&t), Gen: t.Gen, Digest: history.ArgsDigest(params)}
	switch permitted := t.Permit.Covers(c); {
	case policy == flow.ToolDeny:
		m.fail(t.ID, history.NodeError{Node: t.Node, Type: history.ErrorPolicy, Message: Denied(tool), Permanent: true})
		return nil, nil, false
	case policy == flow.ToolAsk && !permitted:
		openCall(m, t, c)
		return nil, nil, false
	case permitted:
		c.Edits = t.Permit.Edits
	default:
		c.Take(t.Edited)
	}
	return history.Edited(params, c.Edits), shownEdited(m, public, c.Edits), true // whatever the policy is by now
}

// shownEdited gives the arguments with the values that people have set, as they are shown and stored.
func shownEdited(m *machine, shown map[string]any, edits json.RawMessage) json.RawMessage {
	return json.RawMessage(expr.JSON(m.Mask(history.Edited(shown, edits))))
}

// Denied is the message for a tool whose policy forbids every call.
func Denied(tool string) string {
	return fmt.Sprintf("the policy of the tool %s is deny: the operator lets nothing call it", tool)
}

// nextAttempt is the number of the attempt that starts next. A call that was refused has not been attempted: its step has no effects yet.
func nextAttempt(t *history.Token) int {
	if t.Resume || t.Effects == "" {
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
	c.Take(t.Edited)
	c.Args = shownEdited(m, args, c.Edits)
	args, _ = history.Decode(c.Args).(map[string]any)
	g.Show = history.ShownArgs(args)
	m.open(t, g, nil)
}

// Edit sets arguments of a call that waits for a person's permission; nil leaves one out. The caller has checked that the person may do it and
// that the values fit the tool.
type Edit struct {
	At    time.Time
	Actor history.Actor
	Gate  int
	Set   map[string]any
	Shown string // hash of what the person saw
}

func (Edit) input() {}

// takeEdit changes the arguments that a question is about. An answer to the earlier arguments decides nothing any more.
func takeEdit(m *machine, in Edit) error {
	g := m.State.Gate(in.Gate)
	switch {
	case g == nil || g.Call == nil:
		return ErrNoGate
	case in.Shown != shownHash(g):
		return ErrShown
	case sentBefore(m.Token(g.Token), g.Call):
		return ErrSent
	}
	edits, was := g.Call.Edit(in.Set)
	shown, _ := history.Decode(g.Call.Args).(map[string]any)
	b := &history.CallEdited{Gate: in.Gate, Edits: edits, Was: was, Args: shownEdited(m, shown, edits), Shown: in.Shown}
	b.Hash = history.Digest([]any{in.Shown, string(edits), string(b.Args)})
	m.emit(m.Token(g.Token), b)
	return nil
}

// sentBefore reports whether a call may have been made already: under the same key it may only be made again with the same arguments.
func sentBefore(t history.Token, c *history.CallAsked) bool {
	if c.Number == 0 {
		return t.Attempt > 0 && t.Effects != ""
	}
	return slices.ContainsFunc(t.Calls, func(made history.Call) bool { return made.Number == c.Number })
}

// AskByName asks one of the deciders of a gate by name. The caller has checked both the person who asks and the person who is asked.
type AskByName struct {
	At    time.Time
	Actor history.Actor
	Gate  int
	User  string
}

func (AskByName) input() {}

func takeAskByName(m *machine, in AskByName) error {
	g := m.State.Gate(in.Gate)
	if g == nil {
		return ErrNoGate
	}
	m.emit(m.Token(g.Token), &history.GateReminded{Gate: in.Gate, Asked: in.User})
	return nil
}

// answerCall takes a person's answer about a call. A refusal fails the node with its own type of error; a call inside a step gets the refusal as
// its result.
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
