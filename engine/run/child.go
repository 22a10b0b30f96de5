package run

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"sluice/engine/expr"
	"sluice/engine/flow"
)

// depthMost is the default of limits.depth: how many runs may lie within each other.
const depthMost = 10

// LimitDepth is limits.depth, in LimitReached.
const LimitDepth = "depth"

// childID derives the id of a child: a decision that is made again after a crash asks for the same run, and a step that is tried
// again for another one. It has the form of a UUID of version 8.
func childID(parent string, step, gen int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d/%d", parent, step, gen))
	id := sum[:16]
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// subflow asks for a run of another flow and lets the token wait for its end.
func (m *machine) subflow(n *node, t Token, spec *flow.SubflowSpec) {
	depth := m.start().Depth + 1
	if most := cmp.Or(m.p.flow.Limits.Depth, depthMost); depth > most {
		m.emit(t, &LimitReached{Limit: LimitDepth, Action: flow.LimitFail, Value: int64(depth)})
		m.fail(t.ID, NodeError{
			Node: t.Node, Type: ErrorLimit, Permanent: true,
			Message: fmt.Sprintf("%s would lie within %d other runs; limits.depth allows %d", spec.Flow, depth, most),
		})
		return
	}
	inputs, nerr := m.render(n, t, &scope{m: m, t: t})
	if nerr != nil {
		m.fail(t.ID, *nerr)
		return
	}
	shown, nerr := m.render(n, t, &scope{m: m, t: t, mask: true})
	if nerr != nil {
		m.fail(t.ID, *nerr)
		return
	}
	b := &ChildStarted{Flow: spec.Flow, Attempt: t.Attempt + 1, Gen: t.Gen}
	if t.Attempt > 0 {
		b.Gen++
	}
	if len(shown) > 0 {
		b.Inputs = json.RawMessage(expr.JSON(shown))
	}
	b.Child = childID(m.c.RunID, t.Step, b.Gen)
	m.emit(t, b)
	m.setTimeout(n, t)
	given, _ := native(inputs).(map[string]any)
	m.effect(StartChild{Child: b.Child, Flow: spec.Flow, Inputs: given, Depth: depth})
}

// setTimeout bounds how long a node may wait for another run or an event, or for its branches or items.
func (m *machine) setTimeout(n *node, t Token) {
	if !n.Timeout.IsZero() {
		m.setTimer(t, Timer{Kind: TimerTimeout, Due: m.due(n.Timeout)})
	}
}

func (m *machine) stopTimeout(t Token) {
	if tm := m.s.Timer(t.Timer); tm != nil && tm.Kind == TimerTimeout {
		m.stopTimer(t.Timer, false)
	}
}

// waitedTooLong fails a node whose time is over.
func (m *machine) waitedTooLong(t Token) {
	if fr := m.s.fork(t.ID); fr != nil {
		m.stopBranches(*fr, fmt.Sprintf("it did not end within the timeout of %s", t.Node))
		m.stopJoinTimer(fr.ID)
		m.fail(t.ID, NodeError{Node: t.Node, Type: ErrorTimeout, Limit: LimitNodeTime, Message: "the node took longer than its timeout of " + m.node(t).Timeout.String()})
		return
	}
	what := fmt.Sprintf("the event %s did not happen", t.Event)
	if t.Child != "" {
		what = "the subflow did not end"
		m.cancelChild(t, m.actor)
	}
	e := NodeError{Node: t.Node, Type: ErrorTimeout, Limit: LimitNodeTime, Message: what + " within the node's timeout"}
	if n := m.node(t); n != nil {
		e.Message += " of " + n.Timeout.String()
	}
	m.fail(t.ID, e)
}

// cancelChild says that nobody waits for a token's child any more. One that was asked for in this very decision is not asked for.
func (m *machine) cancelChild(t Token, by Actor) {
	m.emit(t, &ChildCancelled{Child: t.Child})
	for i, e := range m.effects {
		if start, ok := e.(StartChild); ok && start.Child == t.Child {
			m.effects = append(m.effects[:i:i], m.effects[i+1:]...)
			return
		}
	}
	m.effect(CancelChild{Child: t.Child, By: by})
}

// childOver takes the token on that waits for a child: with what the child gave, or with an error.
func (m *machine) childOver(in ChildOver) error {
	var t Token
	for i := range m.s.Tokens {
		if m.s.Tokens[i].Phase == PhaseChild && m.s.Tokens[i].Child == in.Child {
			t = m.s.Tokens[i]
		}
	}
	if t.ID == 0 {
		return ErrNobodyWaits
	}
	m.stopTimeout(t)
	m.emit(t, &ChildEnded{Child: in.Child, Name: in.Name, Status: in.Status, Reason: in.Reason})
	switch {
	case in.Error != nil:
		e := *in.Error
		e.Node = t.Node
		m.fail(t.ID, e)
	case in.Status != Succeeded:
		e := NodeError{Node: t.Node, Type: ErrorSubflow, Message: in.Name + " was cancelled"}
		if in.Reason != "" {
			e.Message += ": " + in.Reason
		}
		m.fail(t.ID, e)
	default:
		m.doubt = in.Doubtful
		m.keep(m.tok(t.ID), &StepFinished{Output: in.Output})
		m.leave(t.ID)
	}
	return nil
}

// tellParent says to the run that waits for this one that it is over.
func (m *machine) tellParent(status Status, reason string) {
	if parent := m.start().Parent; parent != "" {
		m.effect(TellParent{Parent: parent, Status: status, Reason: reason})
	}
}

func (b *ChildStarted) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	t.Phase, t.Child, t.Attempt, t.Gen = PhaseChild, b.Child, b.Attempt, b.Gen
	if t.Started.IsZero() {
		t.Started = f.At
	}
	return nil
}

var errNoChild = errors.New("the token waits for another child, or for none")

func (b *ChildEnded) apply(s *State, f Fact) error { return s.withoutChild(f.Token, b.Child) }

func (b *ChildCancelled) apply(s *State, f Fact) error { return s.withoutChild(f.Token, b.Child) }

func (s *State) withoutChild(token int, child string) error {
	t, err := s.need(token)
	if err != nil {
		return err
	}
	if t.Phase != PhaseChild || t.Child != child {
		return errNoChild
	}
	t.Phase, t.Child = PhaseReady, ""
	return nil
}
