package flow

import (
	"cmp"
	"fmt"
	"slices"
)

// KindForeach is the kind of ForeachSpec.
const KindForeach Kind = "foreach"

// ForeachSpec runs a sub-path once per item.
type ForeachSpec struct {
	Items       string `json:"items"`
	As          string `json:"as,omitempty"` // default item
	Body        string `json:"body"`
	MaxParallel int    `json:"max_parallel,omitempty"`
	OnItemError string `json:"on_item_error,omitempty"` // stop (default), keep
}

// Kind is KindForeach.
func (*ForeachSpec) Kind() Kind { return KindForeach }

func (s *ForeachSpec) check(v *Checker, a At, n *Node) {
	if v.Required(a.In("items"), "items", s.Items) {
		v.Expression(a.In("items"), s.Items)
	}
	if !identifier.MatchString(s.As) || slices.Contains(contextRoots, s.As) || v.Flow.Node(s.As) != nil {
		v.Error(a.In("as"), "bad-name", fmt.Sprintf("'%s' cannot be the name of the item%s", s.As, a.On),
			"use letters, digits and _, and no id of a node")
	}
	switch body := a.In("body"); {
	case !v.Required(body, "body", s.Body):
	case s.Body == End || s.Body == n.ID:
		v.Error(body, "bad-body", fmt.Sprintf("'%s' cannot be the body%s", s.Body, a.On), "name the first node that each item goes through")
	}
	if s.MaxParallel < 1 {
		v.Error(a.In("max_parallel"), "out-of-range", "'max_parallel' must be at least 1"+a.On, "")
	}
}

func (s *ForeachSpec) describe(_ *Node) string {
	return "for each of " + s.Items
}

func (*ForeachSpec) chartType(_ *Flow, _ *Node) FlowchartType {
	return TypeSubprocess
}

func (*ForeachSpec) does() int { return works }

func (s *ForeachSpec) body() *string { return &s.Body }

func (s *ForeachSpec) rounds() string { return cmp.Or(s.As, DefaultItemName) }

func (s *ForeachSpec) fill(*Node) {
	if s.As == "" {
		s.As = DefaultItemName
	}
	if s.MaxParallel == 0 {
		s.MaxParallel = 1
	}
	if s.OnItemError == "" {
		s.OnItemError = "stop"
	}
}

func (s *ForeachSpec) drop() {
	if s.As == DefaultItemName {
		s.As = ""
	}
	if s.MaxParallel == 1 {
		s.MaxParallel = 0
	}
	if s.OnItemError == "stop" {
		s.OnItemError = ""
	}
}

func (s *ForeachSpec) checkCeilings(v *Checker, a At, c Ceilings) {
	v.overCeiling(a.In("max_parallel"), "max_parallel", float64(s.MaxParallel), whole("SLUICE_MAX_PARALLEL", c.Parallel))
}

func (s *ForeachSpec) parts() []Part { return []Part{{Key: "items", Form: FormList, Text: s.Items}} }
