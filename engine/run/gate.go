package run

import (
	"fmt"
	"maps"
	"slices"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
	"sluice/engine/run/form"
	"sluice/engine/run/routes"
	"sluice/engine/run/scope"
)

// enterApproval asks people to choose.
func enterApproval(m *machine, n *compile.Node, t history.Token, spec *flow.ApprovalSpec) {
	message, nerr := m.Text(n, t)
	if nerr != nil {
		m.fail(t.ID, *nerr)
		return
	}
	g := &history.GateOpened{Kind: history.GateApproval, Message: message, Model: scope.ByModel(m.Written(n, t), message), Choices: spec.Choices, Who: spec.Who, Form: spec.Form}
	if len(g.Choices) == 0 {
		g.Choices = []string{"approve", "reject"}
	}
	sc := m.Scope(t).Masked()
	for _, c := range n.Show {
		v, nerr := m.Evaluate(t, n.AheadOnEntry, func() (any, error) { return c.Expr.Eval(sc, m.Options(t)) })
		if nerr != nil {
			m.fail(t.ID, *nerr)
			return
		}
		g.Show = append(g.Show, history.Shown{Name: c.Source, Value: history.Normal(v), Model: m.ByModel(c.Expr, t)})
	}
	if spec.Who != nil && spec.Who.Quorum > 1 {
		g.Quorum, g.Veto = spec.Who.Quorum, spec.Veto
		if spec.Veto == nil {
			g.Veto = slices.Clone(g.Choices[1:])
		}
	}
	openShown(m, t, g, spec.Deadline)
}

// enterAsk asks a question that is answered with free text, a choice or a form.
func enterAsk(m *machine, n *compile.Node, t history.Token, spec *flow.AskSpec) {
	message, nerr := m.Text(n, t)
	if nerr != nil {
		m.fail(t.ID, *nerr)
		return
	}
	byModel := scope.ByModel(m.Written(n, t), message)
	openShown(m, t, &history.GateOpened{Kind: history.GateAsk, Message: message, Model: byModel, Choices: spec.Choices, Who: spec.Who, Form: spec.Form}, spec.Deadline)
}

// openOffer asks people to answer in the place of an agent.
func openOffer(m *machine, t history.Token, o Offer) {
	m.open(t, &history.GateOpened{Kind: history.GateAgent, Message: o.Message, Form: o.Form}, nil)
}

// gateTimedOut closes a gate that nobody decided in time. Only a route that names the timeout, or an error route, is taken, unless the rules
// of the format give the gate its second choice.
func gateTimedOut(m *machine, g history.Gate) {
	t := m.Token(g.Token)
	n := m.Node(t)
	late := Answer{Choice: history.ChoiceTimeout}
	counts := m.Program.Flow().Rules.LateChoice && g.Kind == history.GateApproval && len(g.Choices) > 1
	if counts {
		late.Choice = g.Choices[1]
	}
	b := &history.GateDecided{Gate: g.ID, Choice: late.Choice}
	judgeChoice(m, n, g, b)
	m.closeGate(g, b)
	switch {
	case n == nil:
		m.Queue = append(m.Queue, t.ID)
		return
	case counts:
		m.finish(t.ID, answerOutput(g, late, nil, m), nil, false)
		return
	}
	if w, seen, ok := routes.AfterTimeout(m.Reader, n, t); ok {
		m.follow(t.ID, w.Edge, w.To, w.Why, seen)
		return
	}
	m.fail(t.ID, history.NodeError{Node: t.Node, Type: history.ErrorGate, Message: "nobody answered in time", Permanent: true})
}

// takeAnswer takes a person's answer at a gate. The first valid decision wins.
func takeAnswer(m *machine, in Answer) error {
	found := m.State.Gate(in.Gate)
	if found == nil {
		return ErrNoGate
	}
	g := *found
	if in.Shown != shownHash(&g) {
		return ErrShown
	}
	if len(g.Choices) > 0 && !slices.Contains(g.Choices, in.Choice) {
		return ErrChoice
	}
	t := m.Token(g.Token)
	n := m.Node(t)
	switch g.Kind {
	case history.GateFailure:
		answerFailure(m, t, g, in)
		return nil
	case history.GateUnknown:
		answerUnknown(m, t, g, in)
		return nil
	case history.GateJudge:
		answerQuestion(m, t, g, in)
		return nil
	case history.GateCall:
		answerCall(m, t, g, in)
		return nil
	}
	if n == nil {
		return fmt.Errorf("gate %d belongs to node %q, which the flow does not have any more", g.ID, t.Node)
	}
	filled, wrong := form.Check(n.Fields, g, form.Given{Choice: in.Choice, Note: in.Note, Text: in.Text, Form: in.Form})
	if wrong != nil {
		return &FormError{Fields: wrong}
	}
	if history.Repeats(g.Votes, in.Actor, in.Choice, in.Note) {
		return history.ErrVoted
	}
	if !votesDecide(&g, in) {
		m.emit(t, &history.Voted{Gate: g.ID, Choice: in.Choice, Note: in.Note, Shown: in.Shown})
		return nil
	}
	b := &history.GateDecided{Gate: g.ID, Choice: in.decided(g), Note: in.Note, Text: in.Text, Form: filled, Shown: in.Shown}
	judgeChoice(m, n, g, b)
	m.closeGate(g, b)
	if g.Kind == history.GateTurn {
		m.leave(t.ID)
		return nil
	}
	out := answerOutput(g, in, filled, m)
	m.Unknown = in.Unknown
	m.finish(t.ID, out, nil, g.Kind == history.GateAgent)
	return nil
}

// votesDecide reports whether an answer closes the gate: a veto does at once, any other choice when it has the quorum.
func votesDecide(g *history.Gate, in Answer) bool {
	return g.Quorum <= 1 || slices.Contains(g.Veto, in.Choice) || 1+history.VotesFor(in.Choice, history.OtherVotes(g.Votes, in.Actor)) >= g.Quorum
}

// answered is the choice of a question that has none.
const answered = "answered"

func (a Answer) decided(g history.Gate) string {
	if len(g.Choices) == 0 && a.Choice == "" {
		return answered
	}
	return a.Choice
}

// answerOutput is what other nodes read of an answer: the choice or text, and the form's fields.
func answerOutput(g history.Gate, in Answer, form map[string]any, m *machine) history.Output {
	text := in.Text
	if text == "" {
		text = in.Choice
	}
	data := map[string]any{}
	maps.Copy(data, form)
	if g.Kind == history.GateApproval {
		text = in.Choice
		data["choice"], data["by"], data["at"] = in.Choice, in.Actor.User, m.Now
		if in.Note != "" {
			data["note"] = in.Note
		}
	}
	if len(data) == 0 {
		return history.Output{Text: text}
	}
	return history.Output{Text: text, Data: []byte(expr.JSON(data))}
}

// answerFailure does what a person said about a failed step.
func answerFailure(m *machine, t history.Token, g history.Gate, in Answer) {
	m.closeGate(g, &history.GateDecided{Gate: g.ID, Choice: in.Choice, Note: in.Note, Shown: in.Shown})
	if in.Choice == history.ChoiceAbort {
		m.cancel("aborted after an error at " + t.Node)
		return
	}
	if m.State.Status == history.Failed {
		m.emit(t, &history.RunReopened{Reason: in.Choice})
	}
	switch in.Choice {
	case history.ChoiceContinue, history.ChoiceAnswer:
		grantLimit(m, m.Token(t.ID), in.Choice)
		m.Queue = append(m.Queue, t.ID)
		return
	case history.ChoiceRetry:
		liftLimit(m, t)
		m.Queue = append(m.Queue, t.ID)
		return
	}
	liftLimit(m, t)
	m.closeFrame(t.ID, joinSkipped)
	m.finish(t.ID, in.value(), nil, true)
}

// liftLimit grants a limit once more to a token, or to those that stopped at it inside its frame.
func liftLimit(m *machine, t history.Token) {
	stopped := []history.Token{t}
	if fr := m.State.FrameOf(t.ID); fr != nil {
		stopped = append(stopped, m.inside(fr.ID)...)
	}
	for _, t := range stopped {
		l := limitsOf(m).more(t, 1)
		if l == nil {
			l = exhausted(m, t)
		}
		if l != nil && (l.action == flow.LimitInterrupt || l.action == flow.LimitFail) {
			m.emit(t, &history.LimitLifted{Limit: l.name})
			return
		}
	}
}

// value is the value that a person gave in a step's place.
func (a Answer) value() history.Output {
	if len(a.Value) == 0 {
		return history.Output{Text: a.Text}
	}
	return scope.ValueOutput(history.Decode(a.Value))
}

// answerUnknown does what a person said about an act whose outcome is not known.
func answerUnknown(m *machine, t history.Token, g history.Gate, in Answer) {
	m.closeGate(g, &history.GateDecided{Gate: g.ID, Choice: in.Choice, Note: in.Note, Shown: in.Shown})
	switch in.Choice {
	case history.ChoiceAbort:
		m.cancel("aborted")
	case history.ChoiceAgain:
		m.emit(t, &history.TokenHanded{Epoch: t.Epoch + 1, Reason: "again", Gen: t.Gen + 1})
		m.made[t.ID] = true
		m.Queue = append(m.Queue, t.ID)
	default:
		if n := m.Node(t); n == nil || n.Kind != flow.KindAgent {
			m.finish(t.ID, in.value(), nil, true)
			return
		}
		for _, c := range t.Calls {
			if c.Done == 0 && c.Effects == flow.EffectsOnce {
				m.emit(t, &history.CallFinished{Number: c.Number, Result: in.result()})
			}
		}
		m.Queue = append(m.Queue, t.ID)
	}
}

// result is the value that a person gave for an act inside a step.
func (a Answer) result() []byte {
	if len(a.Value) > 0 {
		return a.Value
	}
	return []byte(expr.JSON(a.Text))
}
