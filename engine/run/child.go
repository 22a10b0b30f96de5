package run

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"sluice/engine/expr"
	"sluice/engine/expr/value"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
)

// limitDepth is limits.depth, in LimitReached.
const limitDepth = "depth"

// childID derives the id of a child: a decision that is made again after a crash asks for the same run, and a step that is tried
// again for another one. It has the form of a UUID of version 8.
func childID(parent string, step, gen int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d/%d", parent, step, gen))
	id := sum[:16]
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// enterSubflow asks for a run of another flow; the token waits for its end.
func enterSubflow(m *machine, n *compile.Node, t history.Token, spec *flow.SubflowSpec) {
	depth := m.Start().Depth + 1
	if most := cmp.Or(m.Program.Flow().Limits.Depth, flow.DepthDefault); depth > most {
		m.emit(t, &history.LimitReached{Limit: limitDepth, Action: flow.LimitFail, Value: int64(depth)})
		m.fail(t.ID, history.NodeError{
			Node: t.Node, Type: history.ErrorLimit, Permanent: true,
			Message: fmt.Sprintf("%s would lie within %d other runs; limits.depth allows %d", spec.Flow, depth, most),
		})
		return
	}
	inputs, nerr := m.Render(n, t, m.Scope(t))
	if nerr != nil {
		m.fail(t.ID, *nerr)
		return
	}
	shown, nerr := m.Render(n, t, m.Scope(t).Masked())
	if nerr != nil {
		m.fail(t.ID, *nerr)
		return
	}
	b := &history.ChildStarted{Flow: spec.Flow, Attempt: t.Attempt + 1, Gen: t.Gen, GoesOn: dropsRefusal(&t, n, flow.EffectsOnce)}
	if t.Attempt > 0 {
		b.Gen++
	}
	if len(shown) > 0 {
		b.Inputs = json.RawMessage(expr.JSON(shown))
	}
	b.Child = childID(m.c.RunID, t.Step, b.Gen)
	m.emit(t, b)
	m.setTimeout(n, t)
	given, _ := value.Native(inputs).(map[string]any)
	m.effect(StartChild{Child: b.Child, Flow: spec.Flow, Inputs: given, Depth: depth})
}

// waitedTooLong fails a node whose timeout has passed.
func waitedTooLong(m *machine, t history.Token) {
	if fr := m.State.FrameOf(t.ID); fr != nil {
		stopBranches(m, *fr, fmt.Sprintf("it did not end within the timeout of %s", t.Node))
		m.stopJoinTimer(fr.ID)
		m.fail(t.ID, history.NodeError{Node: t.Node, Type: history.ErrorTimeout, Limit: history.LimitNodeTime, Message: "the node took longer than its timeout of " + m.Node(t).Timeout.String()})
		return
	}
	what := fmt.Sprintf("the event %s did not happen", t.Event)
	if t.Child != "" {
		what = "the subflow did not end"
		cancelChild(m, t, m.actor)
	}
	e := history.NodeError{Node: t.Node, Type: history.ErrorTimeout, Limit: history.LimitNodeTime, Message: what + " within the node's timeout"}
	if n := m.Node(t); n != nil {
		e.Message += " of " + n.Timeout.String()
	}
	m.fail(t.ID, e)
}

// takeChildOver moves the token that waits for a child: with the child's output, or with an error.
func takeChildOver(m *machine, in ChildOver) error {
	var t history.Token
	for i := range m.State.Tokens {
		if m.State.Tokens[i].Phase == history.PhaseChild && m.State.Tokens[i].Child == in.Child {
			t = m.State.Tokens[i]
		}
	}
	if t.ID == 0 {
		return ErrNoWaiter
	}
	m.stopTimeout(t)
	m.emit(t, &history.ChildEnded{Child: in.Child, Name: in.Name, Status: in.Status, Reason: in.Reason, Ending: in.Ending})
	switch {
	case in.Error != nil:
		e := *in.Error
		e.Node = t.Node
		m.fail(t.ID, e)
	case in.Status != history.Succeeded:
		e := history.NodeError{Node: t.Node, Type: history.ErrorSubflow, Message: in.Name + " was cancelled"}
		if in.Reason != "" {
			e.Message += ": " + in.Reason
		}
		m.fail(t.ID, e)
	default:
		m.Unknown = in.Unknown
		out := in.Output
		if out.Outcome = ""; in.Ending != nil {
			out.Outcome = in.Ending.Outcome
		}
		m.storeOutput(m.Token(t.ID), &history.StepFinished{Output: out})
		m.leave(t.ID)
	}
	return nil
}
