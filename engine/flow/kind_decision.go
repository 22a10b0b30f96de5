package flow

import "fmt"

// KindDecision is the kind of DecisionSpec.
const KindDecision Kind = "decision"

// DecisionSpec chooses a route by a value, without a model or a tool.
type DecisionSpec struct {
	Expr  string `json:"expr"`
	Cases []Case `json:"cases,omitempty"` // only of other formats: they come before Expr
}

// Kind is KindDecision.
func (*DecisionSpec) Kind() Kind { return KindDecision }

func (s *DecisionSpec) check(v *Checker, a At, _ *Node) {
	for i, c := range s.Cases {
		place := a.Item("cases", i)
		v.Required(place.In("value"), "value", c.Value)
		if v.Required(place.In("when"), "when", c.When) {
			v.Expression(place.In("when"), c.When)
		}
	}
	if s.Expr == "" && len(s.Cases) > 0 {
		return
	}
	if v.Required(a.In("expr"), "expr", s.Expr) {
		v.Expression(a.In("expr"), s.Expr)
	}
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

func (s *DecisionSpec) parts() []Part {
	var all []Part
	for i, c := range s.Cases {
		all = append(all, Part{Key: fmt.Sprintf("cases[%d].when", i), Form: FormCase, Text: c.When})
	}
	if s.Expr != "" || len(s.Cases) == 0 {
		all = append(all, Part{Key: "expr", Form: FormChoice, Text: s.Expr})
	}
	return all
}
