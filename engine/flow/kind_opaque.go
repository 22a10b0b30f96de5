package flow

import (
	"fmt"
	"strings"
)

// KindOpaque is the kind of OpaqueSpec.
const KindOpaque Kind = "opaque"

// OpaqueSpec is an imported node that the engine cannot run. The chart shows it, and a run that reaches it fails there.
type OpaqueSpec struct {
	Type   string         `json:"kind,omitempty"`   // its type in the source format
	Reason string         `json:"reason,omitempty"` // why it cannot be run, in words for people
	Source map[string]any `json:"source,omitempty"`
	// Pull says that it is a value that others read, see ComputeSpec. No token passes it, and an expression that reads it fails.
	Pull bool `json:"pull,omitempty"`
}

// Kind is KindOpaque.
func (*OpaqueSpec) Kind() Kind { return KindOpaque }

func (s *OpaqueSpec) check(v *Checker, a At, n *Node) {
	v.Warn(a, "opaque", fmt.Sprintf("'%s' cannot be run here (%s): a run that reaches it stops there", n.ID, s.what()), "replace it by steps that can be run")
}

func (s *OpaqueSpec) describe(_ *Node) string {
	return strings.TrimSpace("cannot be run here: " + s.what())
}

func (*OpaqueSpec) chartType(_ *Flow, _ *Node) FlowchartType {
	return TypeProcess
}

func (*OpaqueSpec) does() int { return works }

// what gives the reason why the node cannot be run, or its type in the source format.
func (s *OpaqueSpec) what() string {
	if s.Reason != "" {
		return s.Reason
	}
	return s.Type
}
