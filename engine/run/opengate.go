package run

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
)

// open emits a gate with its timers.
func (m *machine) open(t history.Token, g *history.GateOpened, d *flow.Deadline) {
	g.Gate, g.Due = m.State.NextGate, m.ends(d)
	g.Hash = hashShown(t, g)
	m.emit(t, g)
	askPeople(m, t, g)
	if !g.Due.IsZero() {
		m.setTimer(t, history.Timer{Kind: history.TimerDeadline, Gate: g.Gate, Due: g.Due})
	}
	setReminder(m, t, g.Gate, d)
	if d != nil && d.Escalate != nil && !d.Escalate.After.IsZero() {
		m.setTimer(t, history.Timer{Kind: history.TimerEscalate, Gate: g.Gate, Due: m.due(d.Escalate.After)})
	}
}

// askPeople has the installation look up who may answer a gate that has just been opened. Questions about errors stay open even if no person
// may answer them: without them nobody could do anything with the run.
func askPeople(m *machine, t history.Token, g *history.GateOpened) {
	if m.c.People && (g.Kind == history.GateApproval || g.Kind == history.GateAsk || g.Kind == history.GateAgent || g.Kind == history.GateCall || g.Kind == history.GateTurn) {
		m.setTimer(t, history.Timer{Kind: history.TimerPeople, Gate: g.Gate, Due: m.Now})
	}
}

// closeGate takes a gate's timers away and closes it.
func (m *machine) closeGate(g history.Gate, b *history.GateDecided) {
	for _, id := range []int{g.Deadline, g.Remind, g.Escalate, g.People} {
		if id != 0 {
			m.stopTimer(id, false)
		}
	}
	m.Fresh[m.emit(m.Token(g.Token), b)] = history.Output{Text: b.Text}
}

// openFailure asks what to do about an error that no route has caught. A gate without an answer, or without people who could give one, cannot be
// skipped with a value: that would decide in their place. A limit cannot be skipped either, but that of an agent can be granted once more.
func openFailure(m *machine, t history.Token, e history.NodeError) {
	m.stopTimeout(t)
	g := &history.GateOpened{Kind: history.GateFailure, Message: e.Error(), Choices: []string{history.ChoiceRetry, history.ChoiceSkip, history.ChoiceAbort}, Error: &e}
	if e.Type == history.ErrorGate || e.Type == history.ErrorPeople || e.Type == history.ErrorTooLarge || e.Type == history.ErrorLimit || spreads(m, t) {
		g.Choices = []string{history.ChoiceRetry, history.ChoiceAbort}
	}
	if grantsMore(&e, m.Node(t)) {
		g.Choices = []string{history.ChoiceContinue, history.ChoiceAnswer, history.ChoiceAbort}
	}
	m.open(t, g, nil)
}

// openUnknown asks what became of an act whose outcome is not known; cause is the error that says so, nil when its worker was lost.
func openUnknown(m *machine, t history.Token, message string, cause *history.NodeError) {
	m.open(t, &history.GateOpened{
		Kind:    history.GateUnknown,
		Message: message,
		Choices: []string{history.ChoiceAgain, history.ChoiceDone, history.ChoiceAbort},
		Error:   &history.NodeError{Node: t.Node, Type: history.ErrorUnknown, Message: "the outcome of " + m.actWords(t) + " is not known"},
		Cause:   cause,
	}, nil)
}

// hashShown is the hash of all that a gate shows: everything in the fact, in the step that it belongs to. What a failed step was given is
// in an earlier fact of that step, which never changes.
func hashShown(t history.Token, g *history.GateOpened) string {
	all := *g
	all.Hash = ""
	body, err := json.Marshal(all)
	if err != nil { // a value that is no JSON cannot be stored either
		body = fmt.Append(nil, all)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s", t.Node, t.Step, body))
	return hex.EncodeToString(sum[:])
}

// grantsMore reports whether a person may grant a limit once more, or answer in the agent's place.
func grantsMore(e *history.NodeError, n *compile.Node) bool {
	return n != nil && (n.Kind == flow.KindAgent || n.Kind == flow.KindLLM) && (e.Limit == history.LimitAgent || e.Limit == history.LimitTurns)
}
