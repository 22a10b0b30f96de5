package compile

import (
	"cmp"

	"sluice/engine/flow"
)

// LoopName is the name by which the body of a loop reads its round.
func LoopName(spec *flow.LoopSpec) string {
	switch {
	case spec.As != "":
		return spec.As
	case spec.Type == flow.LoopEach:
		return flow.DefaultItemName
	}
	return flow.DefaultIndexName
}

// compileLoop parses what keeps a loop going.
func (n *Node) compileLoop(s *flow.LoopSpec, ids []string) {
	sources := []string{cmp.Or(s.From, "0"), s.To, cmp.Or(s.Step, "1")}
	switch s.Type {
	case flow.LoopWhile:
		sources = []string{s.While}
	case flow.LoopEach:
		sources = []string{s.Items}
	}
	for _, source := range sources {
		c := newCondition(source, ids)
		n.Broken = cmp.Or(n.Broken, c.Err)
		n.Enter.read(c.Expr)
		n.Bounds = append(n.Bounds, c)
	}
	n.Value = n.Bounds[0]
}

// PassesRounds reports whether a token may pass a round of a loop within one decision.
func (p *Program) PassesRounds(loop string) bool {
	n := p.Nodes[loop]
	if n == nil {
		return false
	}
	spec, ok := n.Spec.(*flow.LoopSpec)
	if !ok {
		return false
	}
	head := p.Nodes[spec.Body]
	return head == nil || head.Pure()
}

// compileRounds notes the names that a loop gives to its rounds.
func (p *Program) compileRounds(n *Node, spec *flow.LoopSpec) {
	for _, suffix := range ItemParts {
		p.Items[LoopName(spec)+suffix] = true
	}
	if spec.Type == flow.LoopEach {
		p.hide(n)
	}
}

// Repeats reports whether the node has rounds or items that expressions read under its own id.
func (n *Node) Repeats() bool {
	switch n.Spec.(type) {
	case *flow.LoopSpec, *flow.ForeachSpec:
		return true
	}
	return false
}

// What a foreach gives to the expressions of its items besides the item, after its name: item, item_index, ...
const (
	ItemIndex  = "_index"  // from 0, as in <foreach>.result.0
	ItemNumber = "_number" // from 1, as people count
	ItemTotal  = "_total"
)

// ItemParts are the endings of the names.
var ItemParts = []string{"", ItemIndex, ItemNumber, ItemTotal}

// ItemName is the name by which the body of a foreach reads its item.
func ItemName(spec *flow.ForeachSpec) string { return cmp.Or(spec.As, flow.DefaultItemName) }

// compileForeach notes the names of the items, and whether people may see them.
func (p *Program) compileForeach(n *Node, spec *flow.ForeachSpec) {
	for _, suffix := range ItemParts {
		p.Items[ItemName(spec)+suffix] = true
	}
	p.hide(n)
}

// hide notes whether a list or a decision's value is made of inputs that people may not see.
func (p *Program) hide(n *Node) {
	if n.Value.Expr == nil {
		return
	}
	for _, path := range n.Value.Expr.Reads() {
		if (path[0] == "inputs" || path[0] == "input") && len(path) > 1 && p.Sensitive[path[1]] {
			n.Hidden = true
		}
	}
}
