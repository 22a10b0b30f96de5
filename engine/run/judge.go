package run

import (
	"slices"

	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
)

// askModel lets a model answer questions about a finished step, by the worker at hand or the next one; without a model a person is
// asked, one question after the other.
func askModel(m *machine, n *compile.Node, t history.Token, open []history.Question) {
	switch {
	case !m.c.HasModel:
		openQuestion(m, n, t, open[0], nil)
	case m.canPerform(t.ID):
		startJudging(m, n, t, open)
	default:
		m.dispatch(t.ID)
	}
}

func startJudging(m *machine, n *compile.Node, t history.Token, open []history.Question) {
	out := finishedOutput(m, n, t)
	if t.ID != m.worker {
		t = m.adopt(t)
	}
	m.emit(t, &history.JudgingStarted{Questions: open, Epoch: t.Epoch})
	m.effect(Perform{
		Token: t.ID, Step: t.Step, Epoch: t.Epoch, Attempt: max(t.Attempt, 1), Node: n.Node, Prefix: m.prefix(t), Gen: t.Gen,
		Questions: open, Output: out, Effects: flow.EffectsRead,
	})
	m.worker, m.idle = 0, false
}

// finishedOutput is the output of the finished step.
func finishedOutput(m *machine, n *compile.Node, t history.Token) history.Output {
	out, ok := m.Load(t.Done)
	if !ok {
		m.Foresee(t, n.Ahead)
	}
	return out
}

// takeVerdicts takes a model's answers. A question without an answer is asked again; without any usable answer a person is asked. A worker
// that does not know whether its outcome was stored sends it again: such inputs are fenced.
func takeVerdicts(m *machine, t history.Token, in Finished) error {
	n := m.Node(t)
	if n == nil {
		failMissingNode(m, t)
		return nil
	}
	open := append(n.OpenCriteria(t), n.OpenRoutes(t)...)
	again := func(q history.Question) bool { return !slices.Contains(open, q) }
	if len(in.Questions) == 0 || slices.ContainsFunc(in.Questions, again) {
		return ErrFenced
	}
	var verdicts []history.Verdict
	for _, v := range in.Verdicts {
		i := slices.IndexFunc(open, func(q history.Question) bool { return q.ID == v.ID })
		if i >= 0 {
			v.Text, v.Reason = open[i].Text, clipped(v.Reason)
			verdicts = append(verdicts, v)
		}
	}
	m.worker, m.idle = t.ID, !in.Leave
	switch {
	case len(verdicts) > 0:
		m.emit(t, &history.Judged{Verdicts: verdicts, Usage: in.Usage})
		m.leave(t.ID)
	default:
		if in.Usage != nil {
			m.emit(t, &history.Judged{Usage: in.Usage})
		}
		openQuestion(m, n, t, open[0], in.Error)
	}
	return nil
}

// openQuestion asks a person in the model's place.
func openQuestion(m *machine, n *compile.Node, t history.Token, q history.Question, failed *history.NodeError) {
	g := &history.GateOpened{Kind: history.GateJudge, Message: q.Text, Choices: []string{history.ChoiceYes, history.ChoiceNo}, Question: &q, Error: failed}
	out := finishedOutput(m, n, t)
	var value any = out.Text
	if len(out.Data) > 0 {
		value = history.Decode(out.Data)
	}
	if value != "" {
		g.Show = []history.Shown{{Name: n.DisplayName(), Value: history.Normal(value)}}
	}
	m.open(t, g, nil)
}

// answerQuestion takes a person's answer, yes or no.
func answerQuestion(m *machine, t history.Token, g history.Gate, in Answer) {
	m.closeGate(g, &history.GateDecided{Gate: g.ID, Choice: in.Choice, Note: in.Note, Shown: in.Shown})
	v := history.Verdict{ID: g.Question, Met: in.Choice == history.ChoiceYes, Reason: in.Note}
	if n := m.Node(t); n != nil {
		for _, q := range append(n.OpenCriteria(t), n.OpenRoutes(t)...) {
			if q.ID == v.ID {
				v.Text = q.Text
			}
		}
	}
	m.emit(m.Token(t.ID), &history.Judged{Verdicts: []history.Verdict{v}})
	m.leave(t.ID)
}
