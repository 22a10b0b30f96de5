package run

import (
	"encoding/json"

	"sluice/engine/expr"
	"sluice/engine/expr/value"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
	"sluice/engine/run/talk"
)

// enterActing starts the step of a node that acts: this decision's worker performs it, or another one claims it.
func enterActing(m *machine, n *compile.Node, t history.Token) {
	if nerr := talk.TooMany(m.Reader, n, t); nerr != nil {
		m.fail(t.ID, *nerr)
		return
	}
	p := Perform{Talk: talk.Turns(m.Reader, n, t)}
	then, since := talk.Began(m.Reader, n, t)
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
	p.Params, p.Written = params, m.Written(n, then)
	if spec, ok := n.Spec.(*flow.ToolSpec); ok {
		if params, shown, ok = callPermitted(m, t, spec.Tool, params, shown); !ok {
			return
		}
		p.Params = params
	}
	if n.Kind == flow.KindAgent && !m.Program.Flow().Rules.InputAlone {
		p.Input = m.PreviousText(n, then)
	}
	m.begins(n, t, p, shown)
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
	params, _ = value.Native(rendered).(map[string]any)
	public, nerr := m.Render(n, t, sc.Masked())
	if nerr != nil {
		return nil, nil, nerr
	}
	return params, json.RawMessage(expr.JSON(expr.Redacted(public))), nil
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
