package run

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"sluice/engine/expr"
	"sluice/engine/flow"
)

// openApproval asks people to choose.
func (m *machine) openApproval(n *node, t Token, spec *flow.ApprovalSpec) {
	message, nerr := m.text(n, t)
	if nerr != nil {
		m.fail(t.ID, *nerr)
		return
	}
	g := &GateOpened{Kind: GateApproval, Message: message, Choices: spec.Choices, Who: spec.Who, Form: spec.Form}
	if len(g.Choices) == 0 {
		g.Choices = []string{"approve", "reject"}
	}
	sc := &scope{m: m, t: t, mask: true}
	for _, c := range n.show {
		v, nerr := m.evaluate(t, n.ahead0, func() (any, error) { return c.expr.Eval(sc, m.options(t)) })
		if nerr != nil {
			m.fail(t.ID, *nerr)
			return
		}
		g.Show = append(g.Show, Shown{Name: c.source, Value: normal(v)})
	}
	if spec.Who != nil && spec.Who.Quorum > 1 {
		g.Quorum, g.Veto = spec.Who.Quorum, spec.Veto
		if spec.Veto == nil {
			g.Veto = slices.Clone(g.Choices[1:])
		}
	}
	m.open(t, g, spec.Deadline)
}

// openAsk asks a question that is answered with free text, a choice or a form.
func (m *machine) openAsk(n *node, t Token, spec *flow.AskSpec) {
	message, nerr := m.text(n, t)
	if nerr != nil {
		m.fail(t.ID, *nerr)
		return
	}
	m.open(t, &GateOpened{Kind: GateAsk, Message: message, Choices: spec.Choices, Who: spec.Who, Form: spec.Form}, spec.Deadline)
}

// openOffer asks people to answer in the place of an agent.
func (m *machine) openOffer(t Token, o Offer) {
	m.open(t, &GateOpened{Kind: GateAgent, Message: o.Message, Form: o.Form}, nil)
}

// openFailure asks what to do about an error that nothing caught. A gate that nobody answered, or could have answered, cannot be skipped
// with a value, nor can a limit: that would decide in the place of those who were asked.
func (m *machine) openFailure(t Token, e NodeError) {
	m.stopTimeout(t)
	g := &GateOpened{Kind: GateFailure, Message: e.Error(), Choices: []string{ChoiceRetry, ChoiceSkip, ChoiceAbort}, Error: &e}
	if e.Type == ErrorGate || e.Type == ErrorPeople || e.Type == ErrorLimit || m.spreads(t) {
		g.Choices = []string{ChoiceRetry, ChoiceAbort}
	}
	m.open(t, g, nil)
}

// openUnknown asks what became of an act whose outcome is not known; cause is the error that says so, nil when its worker was lost.
func (m *machine) openUnknown(t Token, message string, cause *NodeError) {
	m.open(t, &GateOpened{
		Kind:    GateUnknown,
		Message: message,
		Choices: []string{ChoiceAgain, ChoiceDone, ChoiceAbort},
		Error:   &NodeError{Node: t.Node, Type: ErrorUnknown, Message: "the outcome of " + m.what(t) + " is not known"},
		Cause:   cause,
	}, nil)
}

// open emits a gate with its timers.
func (m *machine) open(t Token, g *GateOpened, d *flow.Deadline) {
	g.Gate = m.s.NextGate
	g.Hash = digest(map[string]any{"message": g.Message, "show": showList(g.Show), "choices": choiceList(g.Choices)})
	if d != nil && !d.After.IsZero() {
		g.Due = m.due(d.After)
	}
	m.emit(t, g)
	m.askPeople(t, g)
	if !g.Due.IsZero() {
		m.setTimer(t, Timer{Kind: TimerDeadline, Gate: g.Gate, Due: g.Due})
	}
	m.setReminder(t, g.Gate, d)
	if d != nil && d.Escalate != nil && !d.Escalate.After.IsZero() {
		m.setTimer(t, Timer{Kind: TimerEscalate, Gate: g.Gate, Due: m.due(d.Escalate.After)})
	}
}

func showList(shown []Shown) []any {
	list := make([]any, len(shown))
	for i, s := range shown {
		list[i] = []any{s.Name, s.Value}
	}
	return list
}

func choiceList(choices []string) []any {
	list := make([]any, len(choices))
	for i, c := range choices {
		list[i] = c
	}
	return list
}

// setReminder sets the next reminder of a gate: as its node says, or after each working day when it waits without a deadline.
func (m *machine) setReminder(t Token, gate int, d *flow.Deadline) {
	switch {
	case d != nil && !d.Remind.IsZero():
		m.setTimer(t, Timer{Kind: TimerRemind, Gate: gate, Due: m.due(d.Remind)})
	case m.c.Due != nil && (d == nil || d.After.IsZero()):
		m.setTimer(t, Timer{Kind: TimerRemind, Gate: gate, Due: m.due(flow.Duration{WorkingDays: 1})})
	}
}

func (n *node) deadline() *flow.Deadline {
	switch spec := n.Spec.(type) {
	case *flow.ApprovalSpec:
		return spec.Deadline
	case *flow.AskSpec:
		return spec.Deadline
	}
	return nil
}

// closeGate takes a gate's timers away and closes it.
func (m *machine) closeGate(g Gate, b *GateDecided) {
	for _, id := range []int{g.Deadline, g.Remind, g.Escalate, g.People} {
		if id != 0 {
			m.stopTimer(id, false)
		}
	}
	m.emit(m.tok(g.Token), b)
}

// namesTimeout reports whether a route is written for a gate that nobody answered.
func (r *route) namesTimeout() bool {
	switch {
	case r.If == flow.IfHandle:
		return r.When == ChoiceTimeout
	case r.If != flow.IfExpr || r.Default() || r.err != nil:
		return false
	}
	return namesTimeout.MatchString(r.When)
}

// namesTimeout finds the choice "timeout" as a text in a condition.
var namesTimeout = regexp.MustCompile(`'timeout'|"timeout"`)

// gateTimedOut closes a gate that nobody decided in time. Only a route that names the timeout, or an error route, is taken.
func (m *machine) gateTimedOut(g Gate) {
	m.closeGate(g, &GateDecided{Gate: g.ID, Choice: ChoiceTimeout})
	t := m.tok(g.Token)
	n := m.node(t)
	if n == nil {
		m.todo = append(m.todo, t.ID)
		return
	}
	c := choice{seen: seen{}}
	sc := &scope{m: m, t: t, own: n.ID}
	for i := range n.routes {
		r := &n.routes[i]
		if !r.namesTimeout() {
			continue
		}
		ok, nerr := m.matches(n, sc, r, &c)
		if nerr == nil && ok {
			m.follow(t.ID, r.edge, r.To, r.words(), c.seen)
			return
		}
	}
	m.fail(t.ID, NodeError{Node: t.Node, Type: ErrorGate, Message: "nobody answered in time", Permanent: true})
}

// answer takes a person's word at a gate. The first valid decision wins.
func (m *machine) answer(in Answer) error {
	found := m.s.Gate(in.Gate)
	if found == nil {
		return ErrNoGate
	}
	g := *found
	if in.Shown != "" && in.Shown != g.Shown {
		return ErrShown
	}
	if len(g.Choices) > 0 && !slices.Contains(g.Choices, in.Choice) {
		return ErrChoice
	}
	t := m.tok(g.Token)
	n := m.node(t)
	switch g.Kind {
	case GateFailure:
		m.answerFailure(t, g, in)
		return nil
	case GateUnknown:
		m.answerUnknown(t, g, in)
		return nil
	case GateJudge:
		m.answerQuestion(t, g, in)
		return nil
	}
	if n == nil {
		return fmt.Errorf("gate %d belongs to node %q, which the flow does not have any more", g.ID, t.Node)
	}
	form, err := n.checkForm(g, in)
	if err != nil {
		return err
	}
	if !g.decides(in) {
		m.emit(t, &Voted{Gate: g.ID, Choice: in.Choice, Note: in.Note, Shown: in.Shown})
		return nil
	}
	m.closeGate(g, &GateDecided{Gate: g.ID, Choice: in.decided(g), Note: in.Note, Text: in.Text, Form: form, Shown: in.Shown})
	out := answerOutput(g, in, form, m)
	m.doubt = in.Doubtful
	m.finish(t.ID, out, nil, g.Kind == GateAgent)
	return nil
}

// decides tells an answer that closes the gate from a vote: a veto decides alone, other choices once a quorum is for them.
func (g *Gate) decides(in Answer) bool {
	if g.Quorum <= 1 || slices.Contains(g.Veto, in.Choice) {
		return true
	}
	votes := 1
	for _, v := range otherVotes(g.Votes, in.Actor) {
		if v.Choice == in.Choice {
			votes++
		}
	}
	return votes >= g.Quorum
}

// answered is the choice of a question that has none.
const answered = "answered"

func (a Answer) decided(g Gate) string {
	if len(g.Choices) == 0 && a.Choice == "" {
		return answered
	}
	return a.Choice
}

// answerOutput is what other nodes read of an answer: the choice or text, and the form's fields.
func answerOutput(g Gate, in Answer, form map[string]any, m *machine) Output {
	text := in.Text
	if text == "" {
		text = in.Choice
	}
	data := map[string]any{}
	maps.Copy(data, form)
	if g.Kind == GateApproval {
		text = in.Choice
		data["choice"], data["by"], data["at"] = in.Choice, in.Actor.User, m.now
		if in.Note != "" {
			data["note"] = in.Note
		}
	}
	if len(data) == 0 {
		return Output{Text: text}
	}
	return Output{Text: text, Data: []byte(expr.JSON(data))}
}

// answerFailure does what a person said about a failed step.
func (m *machine) answerFailure(t Token, g Gate, in Answer) {
	m.closeGate(g, &GateDecided{Gate: g.ID, Choice: in.Choice, Note: in.Note, Shown: in.Shown})
	if in.Choice == ChoiceAbort {
		m.cancel("aborted after an error at " + t.Node)
		return
	}
	if m.s.Status == Failed {
		m.emit(t, &RunReopened{Reason: in.Choice})
	}
	m.liftLimit(t)
	if in.Choice == ChoiceRetry {
		m.todo = append(m.todo, t.ID)
		return
	}
	m.closeFork(t.ID, joinSkipped)
	m.finish(t.ID, in.value(), nil, true)
}

// liftLimit grants a limit once more to a token, or to those that stopped at it inside its frame.
func (m *machine) liftLimit(t Token) {
	stopped := []Token{t}
	if fr := m.s.fork(t.ID); fr != nil {
		stopped = append(stopped, m.inside(fr.ID)...)
	}
	for _, t := range stopped {
		l := m.limit(t, 1)
		if l == nil {
			l = m.exhausted(t)
		}
		if l != nil && (l.action == flow.LimitInterrupt || l.action == flow.LimitFail) {
			m.emit(t, &LimitLifted{Limit: l.name})
			return
		}
	}
}

// value is the value that a person gave in a step's place.
func (a Answer) value() Output {
	if len(a.Value) == 0 {
		return Output{Text: a.Text}
	}
	return valueOutput(decode(a.Value))
}

// answerUnknown does what a person said about an act whose outcome is not known.
func (m *machine) answerUnknown(t Token, g Gate, in Answer) {
	m.closeGate(g, &GateDecided{Gate: g.ID, Choice: in.Choice, Note: in.Note, Shown: in.Shown})
	switch in.Choice {
	case ChoiceAbort:
		m.cancel("aborted")
	case ChoiceAgain:
		m.emit(t, &TokenHanded{Epoch: t.Epoch + 1, Reason: "again", Gen: t.Gen + 1})
		m.made[t.ID] = true
		m.todo = append(m.todo, t.ID)
	default:
		if n := m.node(t); n == nil || n.Kind != flow.KindAgent {
			m.finish(t.ID, in.value(), nil, true)
			return
		}
		for _, c := range t.Calls {
			if c.Done == 0 && c.Effects == flow.EffectsOnce {
				m.emit(t, &CallFinished{Number: c.Number, Result: in.result()})
			}
		}
		m.todo = append(m.todo, t.ID)
	}
}

// result is the value that a person gave for an act inside a step.
func (a Answer) result() []byte {
	if len(a.Value) > 0 {
		return a.Value
	}
	return []byte(expr.JSON(a.Text))
}
