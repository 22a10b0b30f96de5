package flow

// KindSay is the kind of SaySpec.
const KindSay Kind = "say"

// SaySpec posts a message into the run's thread.
type SaySpec struct {
	Message string `json:"message"`
}

// Kind is KindSay.
func (*SaySpec) Kind() Kind { return KindSay }

func (s *SaySpec) check(v *Checker, a At, _ *Node) {
	if v.Required(a.In("message"), "message", s.Message) {
		v.Template(a.In("message"), s.Message, false)
	}
}

func (s *SaySpec) describe(_ *Node) string {
	return withoutTemplates(s.Message)
}

func (*SaySpec) chartType(_ *Flow, _ *Node) FlowchartType {
	return TypeIO
}

func (*SaySpec) does() int { return doesNothing }

func (*SaySpec) checkTimeout(v *Checker, a At, n *Node) { v.atWork(a, n) }

func (s *SaySpec) parts() []Part { return []Part{{Key: "message", Form: FormText, Text: s.Message}} }

func (*SaySpec) journals() bool { return false }
