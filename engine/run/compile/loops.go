package compile

import (
	"sluice/engine/flow"
)

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

// Repeats reports whether the node has rounds or items that expressions read under its own id.
func (n *Node) Repeats() bool {
	return n.Rounds() != ""
}

// What a foreach gives to the expressions of its items besides the item, after its name: item, item_index, ...
const (
	ItemIndex  = "_index"  // from 0, as in <foreach>.result.0
	ItemNumber = "_number" // from 1, as people count
	ItemTotal  = "_total"
)

// ItemParts are the endings of the names.
var ItemParts = []string{"", ItemIndex, ItemNumber, ItemTotal}

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
