package flow

// KindWait is the kind of WaitSpec.
const KindWait Kind = "wait"

// WaitSpec waits for a time or an event; exactly one field is set.
type WaitSpec struct {
	For   Duration `json:"for,omitzero"`
	Until string   `json:"until,omitempty"` // template giving an RFC 3339 time, a local one, or the next one of a day of the week: friday 09:00
	Event string   `json:"event,omitempty"`
}

// Kind is KindWait.
func (*WaitSpec) Kind() Kind { return KindWait }

func (s *WaitSpec) check(v *Checker, a At, _ *Node) {
	set := 0
	for _, given := range []bool{!s.For.IsZero(), s.Until != "", s.Event != ""} {
		if given {
			set++
		}
	}
	if set != 1 && v.Intact(a) {
		v.Error(a, "wait-for-what", "a wait node needs exactly one of 'for', 'until' and 'event'"+a.On, "")
	}
	v.Template(a.In("until"), s.Until, false)
	v.Template(a.In("event"), s.Event, false)
}

func (s *WaitSpec) describe(_ *Node) string {
	switch {
	case !s.For.IsZero():
		return "for " + s.For.String()
	case s.Until != "":
		return "until " + s.Until
	default:
		return "for the event " + s.Event
	}
}

func (*WaitSpec) chartType(_ *Flow, _ *Node) FlowchartType {
	return TypeProcess
}

func (*WaitSpec) waits() bool { return true }

func (*WaitSpec) does() int { return tellsOthers }

func (s *WaitSpec) checkTimeout(v *Checker, a At, _ *Node) {
	if s.Event == "" {
		v.Warn(a, "out-of-place", "'timeout' means nothing where a node waits for a time"+a.On, "remove it")
	}
}

func (s *WaitSpec) parts() []Part {
	if s.Event != "" {
		return []Part{{Key: "event", Form: FormText, Text: s.Event}}
	}
	return []Part{{Key: "until", Form: FormText, Text: s.Until}}
}
