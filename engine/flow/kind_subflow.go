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

func (s *SubflowSpec) check(v *Checker, a At, _ *Node) {
	flowAt := a.In("flow")
	switch {
	case !v.Required(flowAt, "flow", s.Flow):
	case s.Flow == v.Flow.Name && v.Flow.Profile == ProfileNative: // in other formats a flow may; limits.depth bounds it
		v.Error(flowAt, "own-subflow", "a flow cannot run itself"+a.On, "")
	}
	v.Templates(a.In("inputs"), s.Inputs, false)
}

func (s *SubflowSpec) describe(_ *Node) string {
	return "flow " + s.Flow
}

func (*SubflowSpec) chartType(_ *Flow, _ *Node) FlowchartType {
	return TypeSubprocess
}

func (*SubflowSpec) does() int { return works }

func (s *SubflowSpec) parts() []Part {
	return []Part{{Key: "inputs", Form: FormValue, Value: s.Inputs}}
}

func (s *SubflowSpec) uses() []Use { return []Use{{What: UsedFlow, Name: s.Flow}} }

func (*SubflowSpec) result() Result { return Result{Outcome: true} }
