package run

import (
	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
)

// enterDecision gives a decision its value: that of the first case that holds, else that of its expression.
func enterDecision(m *machine, n *compile.Node, t history.Token, spec *flow.DecisionSpec) {
	sc := m.Scope(t)
	var value any
	found := false
	for i := 0; i < len(n.Cases) && !found; i++ {
		v, nerr := m.Evaluate(t, n.AheadOnEntry, func() (any, error) { return n.Cases[i].Expr.Test(sc, m.Options(t)) })
		if nerr != nil {
			m.fail(t.ID, *nerr)
			return
		}
		if found, _ = v.(bool); found {
			value = spec.Cases[i].Value
		}
	}
	if !found && n.Value.Expr != nil {
		v, nerr := m.Evaluate(t, n.AheadOnEntry, func() (any, error) { return n.Value.Expr.Eval(sc, m.Options(t)) })
		if nerr != nil {
			m.fail(t.ID, *nerr)
			return
		}
		value = v
	}
	out := history.Output{Text: expr.Text(n.Masked(value))}
	if value = history.Normal(value); value != nil {
		out.Data = []byte(expr.JSON(value))
	}
	m.storeOutput(t, &history.StepFinished{Output: out, Aside: true})
	m.leave(t.ID)
}
