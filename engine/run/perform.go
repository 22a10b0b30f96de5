package run

import (
	"encoding/json"

	"sluice/engine/expr"
	"sluice/engine/flow"
)

// perform starts the step of a node that acts, by the worker that is at hand.
func (m *machine) perform(n *node, t Token) {
	if spec, ok := n.Spec.(*flow.ToolexecSpec); ok {
		m.performCalls(n, t, spec)
		return
	}
	if nerr := m.tooManyTurns(n, t); nerr != nil {
		m.fail(t.ID, *nerr)
		return
	}
	p := Perform{Talk: m.spoken(n, t)}
	then, since := m.asSpokenTo(n, t)
	p.Since = since
	params, shown, nerr := m.renderAct(n, then)
	if nerr != nil {
		m.fail(t.ID, *nerr)
		return
	}
	p.Params = params
	if n.Kind == flow.KindAgent {
		p.Input = m.previousText(n, then)
	}
	m.begins(n, t, p, shown)
}

// begins stores that a step starts and hands it to the worker. shown is what is kept of its parameters.
func (m *machine) begins(n *node, t Token, p Perform, shown json.RawMessage) {
	if t.ID != m.worker {
		t = m.adopt(t)
	}
	b := &StepStarted{Attempt: t.Attempt + 1, Epoch: t.Epoch, Gen: t.Gen, Effects: m.stepEffects(n), Params: shown}
	if t.Resume {
		b.Attempt, b.Resumed = max(t.Attempt, 1), true
	}
	p.Prefix = m.prefix(t)
	if !n.journals() {
		b.Key = Key(p.Prefix, 1, t.Gen)
	}
	m.emit(t, b)
	t = m.tok(t.ID)
	p.Token, p.Step, p.Epoch, p.Attempt, p.Node, p.Key, p.Gen = t.ID, t.Step, t.Epoch, b.Attempt, n.Node, b.Key, t.Gen
	p.Calls, p.Effects = t.Calls, b.Effects
	m.effect(p)
	m.worker, m.idle = 0, false
}

// journals reports whether the acts inside a step of the node have intents and keys of their own.
func (n *node) journals() bool {
	switch n.Kind {
	case flow.KindAgent, flow.KindLLM, flow.KindToolexec:
		return true
	}
	return false
}

// adopt lets the worker go on with another token than the one it held.
func (m *machine) adopt(t Token) Token {
	if !m.made[t.ID] {
		m.emit(t, &TokenHanded{Epoch: t.Epoch + 1, Reason: "dispatch"})
	}
	delete(m.made, t.ID)
	m.worker = t.ID
	return m.tok(t.ID)
}

// renderAct gives the parameters of an act as the outside needs them, and as they are stored: without secrets, and with dots
// in the place of sensitive inputs.
func (m *machine) renderAct(n *node, t Token) (params map[string]any, shown json.RawMessage, nerr *NodeError) {
	if n.Kind == flow.KindSay {
		text, nerr := m.text(n, t)
		if nerr != nil {
			return nil, nil, nerr
		}
		params = map[string]any{"message": text}
		return params, json.RawMessage(expr.JSON(params)), nil
	}
	if n.Kind == flow.KindEmit {
		return m.renderEmit(n, t)
	}
	sc := &scope{m: m, t: t, secrets: n.Kind == flow.KindTool}
	rendered, nerr := m.render(n, t, sc)
	if nerr != nil || rendered == nil {
		return nil, nil, nerr
	}
	params, _ = native(rendered).(map[string]any)
	masked := *sc
	masked.mask = true
	public, nerr := m.render(n, t, &masked)
	if nerr != nil {
		return nil, nil, nerr
	}
	return params, json.RawMessage(expr.JSON(expr.Redacted(public))), nil
}

// render evaluates the node's parameters.
func (m *machine) render(n *node, t Token, sc *scope) (map[string]any, *NodeError) {
	v, nerr := m.evaluate(t, n.ahead0, func() (any, error) { return n.paramsFor(t).Render(sc, m.options(t)) })
	params, _ := v.(map[string]any)
	return params, nerr
}

// text renders the node's template for people.
func (m *machine) text(n *node, t Token) (string, *NodeError) {
	sc := &scope{m: m, t: t, mask: true}
	v, nerr := m.evaluate(t, n.ahead0, func() (any, error) { return n.templateFor(t).Render(sc, m.options(t)) })
	return expr.Text(v), nerr
}

// previousText is the previous output as an agent reads it; the first agent of a run reads the message that started it.
func (m *machine) previousText(n *node, t Token) string {
	sc := &scope{m: m, t: t}
	v := sc.value(t.Prev, t.PrevNode)
	m.foresee(t, n.ahead0)
	if t.Prev != 0 {
		return expr.Text(v)
	}
	return expr.Text(member(member(m.start().Event, "payload"), "message"))
}

// stepEffects says what repeating the node's act would do. The risk of a step with acts of its own is that of those.
func (m *machine) stepEffects(n *node) flow.Effects {
	switch spec := n.Spec.(type) {
	case *flow.AgentSpec, *flow.LLMSpec, *flow.ToolexecSpec:
		return flow.EffectsRead
	case *flow.SaySpec, *flow.EmitSpec:
		return flow.EffectsIdempotent // messages are posted, events stored under their key
	case *flow.ToolSpec:
		if spec.Effects != "" {
			return spec.Effects
		}
		if m.c.Effects != nil {
			if e := m.c.Effects(spec.Tool); e != "" {
				return e
			}
		}
	}
	return flow.EffectsOnce
}

// risk is the riskiest act of the started step that may have happened without its outcome being known.
func (t *Token) risk() flow.Effects {
	risk := t.Effects
	for _, c := range t.Calls {
		if c.Done == 0 && riskier(c.Effects, risk) {
			risk = c.Effects
		}
	}
	return risk
}

func riskier(a, b flow.Effects) bool { return riskOf(a) > riskOf(b) }

func riskOf(e flow.Effects) int {
	switch e {
	case flow.EffectsRead, "":
		return 0
	case flow.EffectsIdempotent:
		return 1
	}
	return 2
}

// reply completes an output: a JSON object in an agent's text becomes its data.
func reply(n *node, out Output) (Output, bool) {
	if n.Kind != flow.KindAgent {
		return out, false
	}
	if len(out.Data) == 0 {
		obj, ok := expr.JSONIn(out.Text)
		if !ok {
			return out, false
		}
		out.Data = json.RawMessage(expr.JSON(obj))
	}
	_, isObject := decode(out.Data).(map[string]any)
	return out, isObject
}
