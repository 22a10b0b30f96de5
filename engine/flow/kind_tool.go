package flow

// KindTool is the kind of ToolSpec.
const KindTool Kind = "tool"

// ToolSpec calls a tool without a model.
type ToolSpec struct {
	Tool    string         `json:"tool"`
	Params  map[string]any `json:"params,omitempty"`
	Effects Effects        `json:"effects,omitempty"` // empty = the tool's own
}

// Kind is KindTool.
func (*ToolSpec) Kind() Kind { return KindTool }

func (s *ToolSpec) check(v *Checker, a At, _ *Node) {
	v.Required(a.In("tool"), "tool", s.Tool)
	v.Templates(a.In("params"), s.Params, true)
	v.literalSecrets(a.In("params"), "", s.Params)
}

func (s *ToolSpec) describe(_ *Node) string {
	return s.Tool
}

func (s *ToolSpec) chartType(_ *Flow, n *Node) FlowchartType {
	return hinted([]string{s.Tool}, n.Description)
}

func (s *ToolSpec) does() int {
	if s.Tool == PostMessage {
		return tellsOthers
	}
	return works
}

func (*ToolSpec) checkTimeout(v *Checker, a At, n *Node) { v.atWork(a, n) }

func (s *ToolSpec) names() Names { return Names{Tools: []*string{&s.Tool}} }

func (s *ToolSpec) parts() []Part { return []Part{{Key: "params", Form: FormValue, Value: s.Params}} }

func (s *ToolSpec) uses() []Use { return []Use{{Name: s.Tool, Params: s.Params, Effects: s.Effects}} }

func (s *ToolSpec) result() Result { return Result{Tool: s.Tool} }

func (*ToolSpec) journals() bool { return false }
