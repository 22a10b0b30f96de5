package run

import (
	"fmt"
	"maps"
	"slices"

	"sluice/engine/flow"
)

// Question is what is asked about a finished step, to be answered with yes or no.
type Question struct {
	ID   string `json:"id"` // of the criterion, or the edge of the route that asks
	Text string `json:"text"`
}

// Verdict is the answer to a question.
type Verdict struct {
	ID     string `json:"id"`
	Text   string `json:"text,omitempty"`
	Met    bool   `json:"met"`
	Reason string `json:"reason,omitempty"`
}

type (
	// JudgingStarted is the stored intent of asking a model about a finished step. Like a read act it is repeated after a crash.
	JudgingStarted struct {
		Questions []Question `json:"questions"`
		Epoch     int        `json:"epoch"`
	}
	// Judged holds answers, a model's or a person's. Questions that are still open are asked again.
	Judged struct {
		Verdicts []Verdict `json:"verdicts,omitempty"`
		Usage    *Usage    `json:"usage,omitempty"`
	}
)

// FactKind names the kind.
func (*JudgingStarted) FactKind() FactKind { return "judging_started" }

// FactKind names the kind.
func (*Judged) FactKind() FactKind { return "judged" }

func (b *JudgingStarted) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	if t.Done == 0 {
		return fmt.Errorf("step %d has not finished", f.Step)
	}
	t.Phase = PhaseStarted
	return nil
}

func (b *Judged) apply(s *State, f Fact) error {
	t, err := s.need(f.Token)
	if err != nil {
		return err
	}
	if len(b.Verdicts) == 0 { // what the model said was of no use, but it was paid for
		return nil
	}
	verdicts := make(map[string]bool, len(t.Verdicts)+len(b.Verdicts)) // a copy of the state may share the old one
	maps.Copy(verdicts, t.Verdicts)
	for _, v := range b.Verdicts {
		verdicts[v.ID] = v.Met
	}
	t.Verdicts = verdicts
	return nil
}

// open lists the criteria of the node that are not answered yet.
func (n *node) open(t Token) []Question {
	var open []Question
	for _, c := range n.Criteria {
		if _, known := t.Verdicts[c.ID]; !known {
			open = append(open, Question{c.ID, c.Text})
		}
	}
	return open
}

// asks lists the questions of the node's routes that are not answered yet.
func (n *node) asks(t Token) []Question {
	var open []Question
	for _, r := range n.routes {
		if _, known := t.Verdicts[r.edge]; r.If == flow.IfLLM && !known {
			open = append(open, Question{r.edge, r.When})
		}
	}
	return open
}

// failed reports whether a criterion is not met.
func (n *node) failed(t Token) bool {
	return slices.ContainsFunc(n.Criteria, func(c flow.Clause) bool { return !t.Verdicts[c.ID] })
}

// ask lets a model answer questions about a finished step, by the worker at hand or the next one; without a model a person is
// asked, one question after the other.
func (m *machine) ask(n *node, t Token, open []Question) {
	switch {
	case !m.c.HasModel:
		m.openQuestion(n, t, open[0], nil)
	case m.canPerform(t.ID):
		m.judge(n, t, open)
	default:
		m.dispatch(t.ID)
	}
}

func (m *machine) judge(n *node, t Token, open []Question) {
	out := m.done(n, t)
	if t.ID != m.worker {
		t = m.adopt(t)
	}
	m.emit(t, &JudgingStarted{Questions: open, Epoch: t.Epoch})
	m.effect(Perform{
		Token: t.ID, Step: t.Step, Epoch: t.Epoch, Attempt: max(t.Attempt, 1), Node: n.Node, Prefix: m.prefix(t), Gen: t.Gen,
		Questions: open, Output: out, Effects: flow.EffectsRead,
	})
	m.worker, m.idle = 0, false
}

// done is the output of the finished step.
func (m *machine) done(n *node, t Token) Output {
	out, ok := m.load(t.Done)
	if !ok {
		m.foresee(t, n.ahead)
	}
	return out
}

// judged takes a model's answers. What it did not answer is asked again; without any usable answer a person is asked. The outcome of the
// step itself, or answers to what was asked before, come once more when a worker is not sure whether they were stored: they are fenced.
func (m *machine) judged(t Token, in Finished) error {
	n := m.node(t)
	if n == nil {
		m.noNode(t)
		return nil
	}
	open := append(n.open(t), n.asks(t)...)
	again := func(q Question) bool { return !slices.Contains(open, q) }
	if len(in.Questions) == 0 || slices.ContainsFunc(in.Questions, again) {
		return ErrFenced
	}
	var verdicts []Verdict
	for _, v := range in.Verdicts {
		i := slices.IndexFunc(open, func(q Question) bool { return q.ID == v.ID })
		if i >= 0 {
			v.Text, v.Reason = open[i].Text, clipped(v.Reason)
			verdicts = append(verdicts, v)
		}
	}
	m.worker, m.idle = t.ID, !in.Leave
	switch {
	case len(verdicts) > 0:
		m.emit(t, &Judged{Verdicts: verdicts, Usage: in.Usage})
		m.leave(t.ID)
	default:
		if in.Usage != nil {
			m.emit(t, &Judged{Usage: in.Usage})
		}
		m.openQuestion(n, t, open[0], in.Error)
	}
	return nil
}

// openQuestion asks a person in the model's place.
func (m *machine) openQuestion(n *node, t Token, q Question, failed *NodeError) {
	g := &GateOpened{Kind: GateJudge, Message: q.Text, Choices: []string{ChoiceYes, ChoiceNo}, Question: &q, Error: failed}
	out := m.done(n, t)
	var value any = out.Text
	if len(out.Data) > 0 {
		value = decode(out.Data)
	}
	if value != "" {
		g.Show = []Shown{{Name: n.DisplayName(), Value: normal(value)}}
	}
	m.open(t, g, nil)
}

// answerQuestion takes a person's yes or no.
func (m *machine) answerQuestion(t Token, g Gate, in Answer) {
	m.closeGate(g, &GateDecided{Gate: g.ID, Choice: in.Choice, Note: in.Note, Shown: in.Shown})
	v := Verdict{ID: g.Question, Met: in.Choice == ChoiceYes, Reason: in.Note}
	if n := m.node(t); n != nil {
		for _, q := range append(n.open(t), n.asks(t)...) {
			if q.ID == v.ID {
				v.Text = q.Text
			}
		}
	}
	m.emit(m.tok(t.ID), &Judged{Verdicts: []Verdict{v}})
	m.leave(t.ID)
}

// state is what the latest step on the token's way said for routing, and what was judged of it.
func (sc *scope) state() any {
	verdicts := map[string]any{}
	if n := sc.m.node(sc.t); n != nil {
		for _, c := range n.Criteria {
			if met, known := sc.t.Verdicts[c.ID]; known {
				verdicts[c.ID] = met
			}
		}
		sc.m.doubt = sc.m.doubt || sc.m.c.Trial != nil && len(n.Criteria) > 0
	}
	return map[string]any{"next": sc.t.Next, "tool": sc.t.Tool, "verdicts": verdicts}
}
