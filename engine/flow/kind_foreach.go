package flow

import (
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

func (s *ForeachSpec) check(v *validator, a at, n *Node) {
	v.foreach(a, n, s)
}

func (s *ForeachSpec) describe(_ *Node) string {
	return "for each of " + s.Items
}

func (*ForeachSpec) chartType(_ *Flow, _ *Node) FlowchartType {
	return TypeSubprocess
}

func (*ForeachSpec) does() int { return works }

func (s *ForeachSpec) body() string { return s.Body }

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

func (s *ForeachSpec) checkCeilings(v *validator, a at, c Ceilings) {
	v.overCeiling(a.in("max_parallel"), "max_parallel", float64(s.MaxParallel), whole("SLUICE_MAX_PARALLEL", c.Parallel))
}

func (v *validator) foreach(a at, n *Node, s *ForeachSpec) {
	if v.required(a.in("items"), "items", s.Items) {
		v.expression(a.in("items"), s.Items)
	}
	if !identifier.MatchString(s.As) || slices.Contains(contextRoots, s.As) || v.f.Node(s.As) != nil {
		v.error(a.in("as"), "bad-name", fmt.Sprintf("'%s' cannot be the name of the item%s", s.As, a.on),
			"use letters, digits and _, and no id of a node")
	}
	switch body := a.in("body"); {
	case !v.required(body, "body", s.Body):
	case s.Body == End || s.Body == n.ID:
		v.error(body, "bad-body", fmt.Sprintf("'%s' cannot be the body%s", s.Body, a.on), "name the first node that each item goes through")
	default:
		v.target(body, s.Body, fmt.Sprintf("on flow node '%s'", n.ID))
	}
	if s.MaxParallel < 1 {
		v.error(a.in("max_parallel"), "out-of-range", "'max_parallel' must be at least 1"+a.on, "")
	}
}
