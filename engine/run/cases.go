package run

import (
	"sluice/engine/expr"
	"sluice/engine/flow"
)

// compileDecision prepares the cases of a decision and the expression behind them.
func (n *node) compileDecision(s *flow.DecisionSpec, ids []string) {
	for _, c := range s.Cases {
		n.cases = append(n.cases, newCondition(c.When, ids))
	}
	if s.Expr != "" || len(s.Cases) == 0 {
		n.value = newCondition(s.Expr, ids)
	}
	for _, c := range append(n.cases[:len(n.cases):len(n.cases)], n.value) {
		if n.broken == nil {
			n.broken = c.err
		}
		n.enter.read(c.expr)
		n.leave.read(c.expr) // for the values behind its routes
	}
}

// decideNode gives a decision its value: that of the first case that holds, else that of its expression.
func (m *machine) decideNode(n *node, t Token, spec *flow.DecisionSpec) {
	sc := &scope{m: m, t: t}
	var value any
	found := false
	for i := 0; i < len(n.cases) && !found; i++ {
		v, nerr := m.evaluate(t, n.ahead0, func() (any, error) { return n.cases[i].expr.Test(sc, m.options(t)) })
		if nerr != nil {
			m.fail(t.ID, *nerr)
			return
		}
		if found, _ = v.(bool); found {
			value = spec.Cases[i].Value
		}
	}
	if !found && n.value.expr != nil {
		v, nerr := m.evaluate(t, n.ahead0, func() (any, error) { return n.value.expr.Eval(sc, m.options(t)) })
		if nerr != nil {
			m.fail(t.ID, *nerr)
			return
		}
		value = v
	}
	out := Output{Text: expr.Text(n.veiled(value))}
	if value = normal(value); value != nil {
		out.Data = []byte(expr.JSON(value))
	}
	m.keep(t, &StepFinished{Output: out, Aside: true})
	m.leave(t.ID)
}

// saw notes the values behind a decision.
func (n *node) saw(sc *scope, s seen, value any) {
	for _, c := range n.cases {
		s.add(sc, c.expr)
	}
	s.add(sc, n.value.expr)
	name := n.value.source
	if name == "" {
		name = "value"
	}
	s[name] = small(n.veiled(value))
}

// veiled is a decision's value as people see it. Whether something holds tells nothing of the input itself.
func (n *node) veiled(value any) any {
	if _, isBool := value.(bool); isBool || !n.hidden {
		return value
	}
	return dots
}
