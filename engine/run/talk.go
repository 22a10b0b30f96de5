package run

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
	"sluice/engine/run/routes"
	"sluice/engine/run/scope"
	"sluice/engine/run/talk"
)

// enterToolexec starts the step of a toolexec node. Without calls there is nothing to perform.
func enterToolexec(m *machine, n *compile.Node, t history.Token, spec *flow.ToolexecSpec) {
	calls, caller, nerr := talk.Pending(m.Reader, n, t, spec)
	switch {
	case nerr != nil:
		m.fail(t.ID, *nerr)
	case len(calls) == 0:
		m.Unknown = m.Unknown || m.Trial != nil && spec.Calls == "" // in a trial the calls of the agent are unknown
		m.storeOutput(t, &history.StepFinished{Output: history.Output{Data: json.RawMessage(`{"results":[],"success":true}`)}, Aside: true})
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

// executorOf finds the route that leads from an agent with pending calls to the node that performs them. It is taken whatever its condition
// says, because the agent does not name it.
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

// answersFor names the node whose agent asked for the calls that the token's step performed; "" = none.
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

// speaks reports whether an agent says something to the person of the run: it neither asks for tools nor names the next step, or says that all is
// over before it has heard everything. In a trial there is nobody to answer.
func speaks(m *machine, n *compile.Node, out history.Output, given bool) bool {
	last := out.Next == "" || out.Next == flow.NextEnd && len(m.State.Unheard) > 0
	return n != nil && n.Kind == flow.KindAgent && m.Program.Flow().Rules.Conversational && m.Trial == nil && !given && last && !out.Pending
}

// waitsForPerson reports whether an agent's words wait for an answer: they were said to the person of the run, and no route leads on.
func waitsForPerson(t history.Token, c routes.Choice) bool {
	k := t.Conversation
	return k.Open() && k.Turns[len(k.Turns)-1] == t.Done && (len(c.Ways) == 0 || len(c.Ways) == 1 && c.Ways[0].To == flow.End)
}

// openTurn asks for the person's next message. Messages that they sent before they could read this are the answer to it.
func openTurn(m *machine, n *compile.Node, t history.Token) {
	said := []string{}
	for _, w := range m.State.Unheard {
		words, _ := m.Load(w.Fact)
		said = append(said, words.Text)
	}
	out := finishedOutput(m, n, t)
	m.Foresee(t, n.Ahead)
	m.open(t, &history.GateOpened{Kind: history.GateTurn, Message: cmp.Or(out.Text, n.DisplayName()), Model: scope.Whole(out)}, nil)
	if len(said) > 0 {
		g, worker := m.State.Gate(m.Token(t.ID).Gate), m.actor
		m.actor = m.State.Unheard[0].By
		m.closeGate(*g, &history.GateDecided{Gate: g.ID, Choice: answered, Text: strings.Join(said, "\n"), Shown: g.Shown})
		m.actor = worker
		m.leave(t.ID)
	}
}

// wordsMost is how many messages are kept for an agent that is still at work.
const wordsMost = 20

// takeSaid takes a message of the person of a conversation: it answers the agent that waits for one, else the next that will.
func takeSaid(m *machine, in Said) error {
	if m.State.Status.Final() {
		return ErrOver
	}
	for _, g := range m.State.Gates {
		if g.Kind == history.GateTurn {
			return takeAnswer(m, Answer{At: in.At, Actor: in.Actor, Gate: g.ID, Text: in.Text, Shown: shownHash(&g)})
		}
	}
	works := func(t history.Token) bool {
		g := m.State.Gate(t.Gate)
		return t.Phase != history.PhaseFailed && (g == nil || g.Kind == history.GateCall)
	}
	switch {
	case !m.Program.Flow().Rules.Conversational, !slices.ContainsFunc(m.State.Tokens, works):
		return ErrNoListener
	case len(m.State.Unheard) >= wordsMost:
		return ErrFull
	}
	m.emit(history.Token{}, &history.WordsKept{Text: in.Text})
	return nil
}
