package flow

// KindTerminal is the kind of TerminalSpec.
const KindTerminal Kind = "terminal"

// TerminalSpec ends a path with an output.
type TerminalSpec struct {
	Output  any    `json:"output,omitempty"`
	Outcome string `json:"outcome,omitempty"`  // done, rejected or failed: the outcome of the run; empty = the decision of the gates before it
	EndsRun bool   `json:"ends_run,omitempty"` // ends all other paths of the run too; its output is the run's
}

// Kind is KindTerminal.
func (*TerminalSpec) Kind() Kind { return KindTerminal }

func (s *TerminalSpec) check(v *Checker, a At, _ *Node) {
	v.Templates(a.In("output"), s.Output, false)
}

func (*TerminalSpec) describe(_ *Node) string {
	return ""
}

func (*TerminalSpec) chartType(_ *Flow, _ *Node) FlowchartType {
	return TypeTerminal
}

func (*TerminalSpec) does() int { return doesNothing }

func (s *TerminalSpec) parts() []Part {
	return []Part{{Key: "output", Form: FormValue, Value: s.Output}}
}
