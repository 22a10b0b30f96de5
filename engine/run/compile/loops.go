package compile

import (
	"maps"
	"slices"

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

// mask records the fields of the answers at a node that people may not see.
func (p *Program) mask(n *flow.Node) {
	q := n.Question()
	if q == nil {
		return
	}
	if names := flow.SensitiveFields(q.Form); len(names) > 0 {
		p.Masks[n.ID] = names
		if p.Masks[""] == nil {
			p.Masks[""] = map[string]bool{}
		}
		maps.Copy(p.Masks[""], names)
	}
}

// Masked reports whether anything in the flow is shown as dots.
func (p *Program) Masked() bool {
	return len(p.Masks) > 0 || slices.Contains(slices.Collect(maps.Values(p.Sensitive)), true)
}

// hide records whether a list or a decision's value is made of inputs or answers that people may not see.
func (p *Program) hide(n *Node) {
	if n.Value.Expr == nil {
		return
	}
	for _, path := range n.Value.Expr.Reads() {
		if (path[0] == "inputs" || path[0] == "input") && len(path) > 1 && p.Sensitive[path[1]] {
			n.Hidden = true
		}
		if p.readsMasked(path) {
			n.Hidden = true
		}
	}
}

// readsMasked reports whether a path reads a field of an answer that people may not see: by its node, by its bare name, or with the whole
// answer.
func (p *Program) readsMasked(path []string) bool {
	if (path[0] == "approvals" || path[0] == "nodes") && len(path) > 1 {
		path = path[1:]
	}
	names, asks := p.Masks[path[0]]
	if !asks || path[0] == "" {
		return len(path) == 1 && p.Masks[""][path[0]]
	}
	last := path[len(path)-1]
	return names[last] || last == "data" || last == "result"
}
