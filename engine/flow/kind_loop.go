package flow

import (
	"cmp"
	"fmt"
	"slices"
)

// KindLoop is the kind of LoopSpec.
const KindLoop Kind = "loop"

// LoopSpec repeats a sub-path on the same token: its rounds follow each other and share the variables of the scope around the
// loop, unlike the items of a foreach. A path of the body that ends returns to the loop; then the routes are taken.
type LoopSpec struct {
	Type  LoopType `json:"loop"`
	From  string   `json:"from,omitempty"`  // for: expression; default 0
	To    string   `json:"to,omitempty"`    // for: expression; the end, which is excluded
	Step  string   `json:"step,omitempty"`  // for: expression; default 1
	While string   `json:"while,omitempty"` // while: condition, looked at before each round
	Items string   `json:"items,omitempty"` // each: expression that gives a list
	As    string   `json:"as,omitempty"`    // name of the current value; default i, for each item
	Body  string   `json:"body"`
}

// LoopType is the kind of a loop: what decides whether another round follows.
type LoopType string

// The types of loops.
const (
	LoopFor   LoopType = "for"
	LoopWhile LoopType = "while"
	LoopEach  LoopType = "each"
)

// Kind is KindLoop.
func (*LoopSpec) Kind() Kind { return KindLoop }

func (s *LoopSpec) check(v *Checker, a At, n *Node) {
	switch s.Type {
	case LoopFor:
		v.Required(a.In("to"), "to", s.To)
		v.Expression(a.In("from"), s.From)
		v.Expression(a.In("to"), s.To)
		v.Expression(a.In("step"), s.Step)
	case LoopWhile:
		v.Required(a.In("while"), "while", s.While)
		v.Expression(a.In("while"), s.While)
	case LoopEach:
		v.Required(a.In("items"), "items", s.Items)
		v.Expression(a.In("items"), s.Items)
	default:
		v.Error(a.In("loop"), "wrong-value", fmt.Sprintf("unknown loop '%s'%s", s.Type, a.On), "one of for, while, each")
	}
	if !identifier.MatchString(s.As) || slices.Contains(contextRoots, s.As) || v.Flow.Node(s.As) != nil {
		v.Error(a.In("as"), "bad-name", fmt.Sprintf("'%s' cannot be a name%s", s.As, a.On), "use letters, digits and _, and no id of a node")
	}
	if body := a.In("body"); v.Required(body, "body", s.Body) {
		if s.Body == End || s.Body == n.ID {
			v.Error(body, "bad-body", fmt.Sprintf("'%s' cannot be the body%s", s.Body, a.On), "name the first node that each round goes through")
		}
	}
}

func (s *LoopSpec) describe(_ *Node) string {
	return loopWords(s)
}

func (*LoopSpec) chartType(_ *Flow, _ *Node) FlowchartType {
	return TypeSubprocess
}

func (*LoopSpec) does() int { return works }

func (s *LoopSpec) body() *string { return &s.Body }

func (s *LoopSpec) rounds() string {
	if s.Type == LoopEach {
		return cmp.Or(s.As, DefaultItemName)
	}
	return cmp.Or(s.As, defaultIndexName)
}

func (s *LoopSpec) fill(*Node) { fillLoop(s) }

func loopWords(s *LoopSpec) string {
	switch s.Type {
	case LoopWhile:
		return "while " + s.While
	case LoopEach:
		return "for each of " + s.Items
	default:
		return fmt.Sprintf("for %s from %s to below %s", cmp.Or(s.As, defaultIndexName), cmp.Or(s.From, "0"), s.To)
	}
}

// defaultIndexName is what a loop calls its current number when it names none.
const defaultIndexName = "i"

func fillLoop(s *LoopSpec) {
	if s.As == "" {
		s.As = defaultIndexName
		if s.Type == LoopEach {
			s.As = DefaultItemName
		}
	}
	if s.Type != LoopFor {
		return
	}
	if s.From == "" {
		s.From = "0"
	}
	if s.Step == "" {
		s.Step = "1"
	}
}

func (s *LoopSpec) parts() []Part {
	switch s.Type {
	case LoopWhile:
		return []Part{{Key: "while", Form: FormExpr, Text: s.While}}
	case LoopEach:
		return []Part{{Key: "items", Form: FormList, Text: s.Items}}
	}
	return []Part{
		{Key: "from", Form: FormBound, Text: cmp.Or(s.From, "0")},
		{Key: "to", Form: FormBound, Text: s.To},
		{Key: "step", Form: FormBound, Text: cmp.Or(s.Step, "1")},
	}
}
