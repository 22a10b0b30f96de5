package flow

// KindDecision is the kind of DecisionSpec.
const KindDecision Kind = "decision"

// DecisionSpec chooses a route by a value, without a model or a tool.
type DecisionSpec struct {
	Expr  string `json:"expr"`
	Cases []Case `json:"cases,omitempty"` // only of other formats: they come before Expr
}

// Kind is KindDecision.
func (*DecisionSpec) Kind() Kind { return KindDecision }

func (s *DecisionSpec) check(v *validator, a at, _ *Node) {
	v.decision(a, s)
}

func (s *DecisionSpec) describe(n *Node) string {
	if n.Name != "" {
		return "" // the name is enough; the expression is in the tooltips of the edges
	}
	return s.Expr
}

func (*DecisionSpec) chartType(_ *Flow, _ *Node) FlowchartType {
	return TypeDecision
}

func (*DecisionSpec) does() int { return doesNothing }

func (v *validator) decision(a at, s *DecisionSpec) {
	for i, c := range s.Cases {
		place := a.item("cases", i)
		v.required(place.in("value"), "value", c.Value)
		if v.required(place.in("when"), "when", c.When) {
			v.expression(place.in("when"), c.When)
		}
	}
	if s.Expr == "" && len(s.Cases) > 0 {
		return
	}
	if v.required(a.in("expr"), "expr", s.Expr) {
		v.expression(a.in("expr"), s.Expr)
	}
}
