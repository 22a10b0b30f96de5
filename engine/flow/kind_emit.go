package flow

// KindEmit is the kind of EmitSpec.
const KindEmit Kind = "emit"

// EmitSpec sends an event to waiting runs.
type EmitSpec struct {
	Event   string         `json:"event"`
	Payload map[string]any `json:"payload,omitempty"`
}

// Kind is KindEmit.
func (*EmitSpec) Kind() Kind { return KindEmit }

func (s *EmitSpec) check(v *Checker, a At, _ *Node) {
	if v.Required(a.In("event"), "event", s.Event) {
		v.Template(a.In("event"), s.Event, false)
	}
	v.Templates(a.In("payload"), s.Payload, false)
}

func (s *EmitSpec) describe(_ *Node) string {
	return "event " + s.Event
}

func (*EmitSpec) chartType(_ *Flow, _ *Node) FlowchartType {
	return TypeIO
}

func (*EmitSpec) does() int { return tellsOthers }

func (*EmitSpec) checkTimeout(v *Checker, a At, n *Node) { v.atWork(a, n) }

func (s *EmitSpec) parts() []Part {
	return []Part{{Key: "event", Form: FormText, Text: s.Event}, {Key: "payload", Form: FormValue, Value: s.Payload}}
}

func (s *EmitSpec) uses() []Use { return []Use{{What: UsedEvent, Name: s.Event}} }

func (*EmitSpec) journals() bool { return false }
