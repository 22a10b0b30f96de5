package flow

// KindCompute is the kind of ComputeSpec.
const KindCompute Kind = "compute"

// ComputeSpec computes a value without side effects.
type ComputeSpec struct {
	Value any `json:"value,omitempty"` // strings are templates
	// Pull says that the value is computed whenever an expression reads the node. No token passes such a node.
	Pull bool `json:"pull,omitempty"`
	// Strict makes an argument that does not fit its function an error of the node, instead of a missing value.
	Strict bool `json:"strict,omitempty"`
}

// Kind is KindCompute.
func (*ComputeSpec) Kind() Kind { return KindCompute }

func (s *ComputeSpec) check(v *Checker, a At, n *Node) {
	v.Templates(a.In("value"), s.Value, false)
	if s.Pull && len(n.Routes) > 0 {
		v.Error(a.In("routes"), "out-of-place", "no token passes a value that is made when it is read, so it has no routes"+a.On, "")
	}
}

func (*ComputeSpec) describe(_ *Node) string {
	return "makes a value"
}

func (*ComputeSpec) chartType(_ *Flow, _ *Node) FlowchartType {
	return TypeProcess
}

func (*ComputeSpec) does() int { return doesNothing }

func (s *ComputeSpec) parts() []Part { return []Part{{Key: "value", Form: FormValue, Value: s.Value}} }
