package run

import (
	"encoding/json"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
)

// enterActing starts the step of a node that acts, by the worker that is at hand.
func enterActing(m *machine, n *compile.Node, t history.Token) {
	if nerr := tooManyTurns(m, n, t); nerr != nil {
		m.fail(t.ID, *nerr)
		return
	}
	p := Perform{Talk: turnsOf(m, n, t)}
	then, since := asSpokenTo(m, n, t)
	p.Since = since
	render := renderParams
	if own := m.kinds[n.Kind].render; own != nil {
		render = own
	}
	params, shown, nerr := render(m, n, then)
	if nerr != nil {
		m.fail(t.ID, *nerr)
		return
	}
	p.Params = params
	if spec, ok := n.Spec.(*flow.ToolSpec); ok {
		if params, shown, ok = callPermitted(m, t, spec.Tool, params, shown); !ok {
			return
		}
		p.Params = params
	}
	if n.Kind == flow.KindAgent {
		p.Input = m.PreviousText(n, then)
	}
	m.begins(n, t, p, shown)
}

// begins stores that a step starts and hands it to the worker. shown is what is kept of its parameters.
func (m *machine) begins(n *compile.Node, t history.Token, p Perform, shown json.RawMessage) {
	if t.ID != m.worker {
		t = m.adopt(t)
	}
	b := &history.StepStarted{Attempt: t.Attempt + 1, Epoch: t.Epoch, Gen: t.Gen, Effects: m.effectsOf(n), Params: shown}
	if t.Resume {
		b.Attempt, b.Resumed = max(t.Attempt, 1), true
	}
	b.GoesOn = dropsRefusal(&t, n, b.Effects)
	p.Prefix = m.prefix(t)
	if !n.Journals() {
		b.Key = Key(p.Prefix, 1, t.Gen)
	}
	m.emit(t, b)
	t = m.Token(t.ID)
	p.Token, p.Step, p.Epoch, p.Attempt, p.Resumed, p.Node, p.Key, p.Gen = t.ID, t.Step, t.Epoch, b.Attempt, b.Resumed, n.Node, b.Key, t.Gen
	p.Calls, p.Effects, p.Permit, p.Granted, p.ByHand = t.Calls, b.Effects, t.Permit, t.Granted, t.ByHand
	m.effect(p)
	m.worker, m.idle = 0, false
}

// adopt lets the worker go on with another token than the one it held.
func (m *machine) adopt(t history.Token) history.Token {
	if !m.made[t.ID] {
		m.emit(t, &history.TokenHanded{Epoch: t.Epoch + 1, Reason: "dispatch"})
	}
	delete(m.made, t.ID)
	m.worker = t.ID
	return m.Token(t.ID)
}

// renderSay gives the text of a message.
func renderSay(m *machine, n *compile.Node, t history.Token) (params map[string]any, shown json.RawMessage, nerr *history.NodeError) {
	text, nerr := m.Text(n, t)
	if nerr != nil {
		return nil, nil, nerr
	}
	params = map[string]any{"message": text}
	return params, json.RawMessage(expr.JSON(params)), nil
}

// renderParams gives the parameters of an act as the outside needs them, and as they are stored: without secrets, and with dots in the
// place of sensitive inputs.
func renderParams(m *machine, n *compile.Node, t history.Token) (params map[string]any, shown json.RawMessage, nerr *history.NodeError) {
	sc := m.Scope(t)
	if n.Kind == flow.KindTool {
		sc.AllowSecrets()
	}
	rendered, nerr := m.Render(n, t, sc)
	if nerr != nil || rendered == nil {
		return nil, nil, nerr
	}
	params, _ = native(rendered).(map[string]any)
	public, nerr := m.Render(n, t, sc.Masked())
	if nerr != nil {
		return nil, nil, nerr
	}
	return params, json.RawMessage(expr.JSON(expr.Redacted(public))), nil
}

// effectsOf says what repeating the node's act would do.
func (m *machine) effectsOf(n *compile.Node) flow.Effects {
	if of := m.kinds[n.Kind].effects; of != nil {
		return of(m, n)
	}
	return flow.EffectsOnce
}

// toolEffects are those that the flow declares for a tool, else those of the catalogue.
func toolEffects(m *machine, n *compile.Node) flow.Effects {
	spec := n.Spec.(*flow.ToolSpec)
	if spec.Effects != "" {
		return spec.Effects
	}
	if m.c.Effects != nil {
		if e := m.c.Effects(spec.Tool); e != "" {
			return e
		}
	}
	return flow.EffectsOnce
}

// reply completes an output: a JSON object in an agent's text becomes its data.
func reply(n *compile.Node, out history.Output) (history.Output, bool) {
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
	_, isObject := history.Decode(out.Data).(map[string]any)
	return out, isObject
}
