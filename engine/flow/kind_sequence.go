package flow

import "fmt"

// KindSequence is the kind of SequenceSpec.
const KindSequence Kind = "sequence"

// SequenceSpec runs its branches one after the other, on the same token and in the same scope; then the routes are taken.
type SequenceSpec struct {
	Branches []Route `json:"branches"` // only To and Label
}

// Kind is KindSequence.
func (*SequenceSpec) Kind() Kind { return KindSequence }

func (s *SequenceSpec) check(v *Checker, a At, _ *Node) {
	if len(s.Branches) == 0 {
		v.Error(a.In("branches"), "too-few-branches", "a sequence needs at least one branch"+a.On, "")
	}
}

func (s *SequenceSpec) describe(_ *Node) string {
	return fmt.Sprintf("%d parts, one after the other", len(s.Branches))
}

func (*SequenceSpec) chartType(_ *Flow, _ *Node) FlowchartType {
	return TypeSubprocess
}

func (*SequenceSpec) does() int { return works }

func (s *SequenceSpec) branches() []Route { return s.Branches }

func (s *SequenceSpec) fill(*Node) { settleRoutes(s.Branches) }
