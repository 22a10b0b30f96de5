package flow

// KindSubflow is the kind of SubflowSpec.
const KindSubflow Kind = "subflow"

// SubflowSpec runs another flow as a child run.
type SubflowSpec struct {
	Flow   string         `json:"flow"`
	Inputs map[string]any `json:"inputs,omitempty"`
}

// Kind is KindSubflow.
func (*SubflowSpec) Kind() Kind { return KindSubflow }

func (s *SubflowSpec) check(v *validator, a at, _ *Node) {
	v.subflow(a, s)
}

func (s *SubflowSpec) describe(_ *Node) string {
	return "flow " + s.Flow
}

func (*SubflowSpec) chartType(_ *Flow, _ *Node) FlowchartType {
	return TypeSubprocess
}

func (*SubflowSpec) does() int { return works }

func (v *validator) subflow(a at, s *SubflowSpec) {
	flowAt := a.in("flow")
	switch {
	case !v.required(flowAt, "flow", s.Flow):
	case s.Flow == v.f.Name:
		v.error(flowAt, "own-subflow", "a flow cannot run itself"+a.on, "")
	}
	v.templates(a.in("inputs"), s.Inputs, false)
}
