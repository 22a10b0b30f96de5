package run

import (
	"encoding/json"
	"fmt"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
	"sluice/engine/run/scope"
)

// enterCompute computes the value of a node.
func enterCompute(m *machine, n *compile.Node, t history.Token) {
	sc := m.Scope(t)
	v, nerr := m.Evaluate(t, n.AheadOnEntry, func() (any, error) { return n.ParamsFor(t).Render(sc, m.OptionsOf(n, t)) })
	if nerr != nil {
		m.fail(t.ID, *nerr)
		return
	}
	m.storeOutput(t, &history.StepFinished{Output: maskText(m, n, t, scope.Computed(v)), Aside: true})
	m.leave(t.ID)
}

// maskText puts dots in the place of sensitive values in the text of an output, because people see the text. Other nodes read the value, which
// stays.
func maskText(m *machine, n *compile.Node, t history.Token, out history.Output) history.Output {
	if out.Text == "" || !m.Program.Masked() {
		return out
	}
	v, nerr := m.Evaluate(t, n.AheadOnEntry, func() (any, error) {
		return n.ParamsFor(t).Render(m.Scope(t).Masked(), m.Options(t))
	})
	if shown := scope.ValueOutput(v); nerr == nil && shown.Text != out.Text {
		if len(out.Data) == 0 {
			out.Data = json.RawMessage(expr.JSON(out.Text))
		}
		out.Text = shown.Text
	}
	return out
}

// enterOpaque stops a token at a node of another program.
func enterOpaque(m *machine, n *compile.Node, t history.Token, spec *flow.OpaqueSpec) {
	what := spec.Reason
	if what == "" {
		what = "it is of the kind " + spec.Type
	}
	m.fail(t.ID, history.NodeError{
		Node: t.Node, Type: history.ErrorOpaque, Permanent: true,
		Message: fmt.Sprintf("%q came with an imported flow and cannot be run here: %s. Go on with a value in its place, or change the flow.", n.DisplayName(), what),
	})
}

// enterEntry begins the run. The output of the node is made when it is read, so that no input is stored twice.
func enterEntry(m *machine, n *compile.Node, t history.Token, spec *flow.EntrySpec) {
	if len(spec.Vars) > 0 {
		sc := m.Scope(t)
		v, nerr := m.Evaluate(t, n.AheadOnEntry, func() (any, error) { return sc.Given(n) })
		if nerr != nil {
			m.fail(t.ID, *nerr)
			return
		}
		given, vars := history.NormalMap(asMap(v)), map[string]any{}
		for _, name := range spec.Vars {
			vars[name] = given[name]
		}
		if !m.writeVars(t, vars) {
			return
		}
	}
	m.leave(t.ID)
}

func asMap(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}
