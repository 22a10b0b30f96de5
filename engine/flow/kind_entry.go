package flow

import (
	"fmt"
	"slices"
)

// KindEntry is the kind of EntrySpec.
const KindEntry Kind = "entry"

// EntrySpec is a node where runs begin. A flow may have several. The start names one; the default is the flow's entry.
type EntrySpec struct {
	Start   StartKind      `json:"start,omitempty"`   // default manual
	Event   string         `json:"event,omitempty"`   // name of the event, for start event
	Outputs map[string]any `json:"outputs,omitempty"` // output by output, a template over inputs and event; nil = the inputs as they are
	Vars    []string       `json:"vars,omitempty"`    // outputs that become variables besides
}

// StartKind is what starts a run at an entry.
type StartKind string

// The kinds of starts.
const (
	StartManual   StartKind = "manual"
	StartRequest  StartKind = "request" // a person's message
	StartEvent    StartKind = "event"
	StartSchedule StartKind = "schedule"
)

// Kind is KindEntry.
func (*EntrySpec) Kind() Kind { return KindEntry }

func (s *EntrySpec) check(v *Checker, a At, _ *Node) {
	if !slices.Contains([]StartKind{StartManual, StartRequest, StartEvent, StartSchedule}, s.Start) {
		v.Error(a.In("start"), "wrong-value", fmt.Sprintf("unknown start '%s'%s", s.Start, a.On), "one of manual, request, event, schedule")
	}
	v.Templates(a.In("outputs"), s.Outputs, false)
	for i, name := range s.Vars {
		_, known := s.Outputs[name]
		if s.Outputs != nil && !known || s.Outputs == nil && v.Flow.Input(name) == nil {
			v.Error(a.Item("vars", i), "unknown-name", fmt.Sprintf("'%s' is not an output%s", name, a.On), "")
		}
	}
}

func (s *EntrySpec) describe(_ *Node) string {
	if s.Start == StartEvent && s.Event != "" {
		return "by the event " + s.Event
	}
	return "by " + map[StartKind]string{
		StartManual: "hand", StartRequest: "a message", StartEvent: "an event", StartSchedule: "schedule",
	}[s.Start]
}

func (*EntrySpec) chartType(_ *Flow, _ *Node) FlowchartType {
	return TypeStart
}

func (*EntrySpec) does() int { return doesNothing }

func (s *EntrySpec) fill(*Node) {
	if s.Start == "" {
		s.Start = StartManual
	}
}

func (s *EntrySpec) parts() []Part {
	return []Part{{Key: "outputs", Form: FormValue, Value: s.Outputs}}
}
