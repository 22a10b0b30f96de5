package compile

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
)

// Masked is a decision's value as people see it. A true or false is shown: it does not give an input away.
func (n *Node) Masked(value any) any {
	if _, isBool := value.(bool); isBool || !n.Hidden {
		return value
	}
	return Dots
}

// EntryOf gives the node that a start names, or the flow's entry.
func (p *Program) EntryOf(entry string) (string, error) {
	if entry == "" {
		return p.flow.Entry, nil
	}
	n := p.Nodes[entry]
	if n == nil || n.Kind != flow.KindEntry && entry != p.flow.Entry {
		return "", fmt.Errorf("flow %s has no entry %q; runs begin at %s", p.flow.Name, entry, strings.Join(p.Entries(), ", "))
	}
	return entry, nil
}

// Entries lists the nodes where runs can begin, the flow's entry first.
func (p *Program) Entries() []string {
	all := []string{p.flow.Entry}
	for i := range p.flow.Nodes {
		if n := &p.flow.Nodes[i]; n.Kind == flow.KindEntry && n.ID != p.flow.Entry {
			all = append(all, n.ID)
		}
	}
	return all
}

// Pulled reports whether a node's value is made when it is read.
func (n *Node) Pulled() bool {
	_, entry := n.Spec.(*flow.EntrySpec)
	return entry || n.Node.Pulled()
}

// pullAll adds, to what every node reads, what the values read that are made when they are read.
func (p *Program) pullAll() {
	whole := map[string]Paths{}
	for id, n := range p.Nodes {
		if n.Pulled() {
			all := Paths{}
			p.pull(&all, n, map[string]bool{})
			whole[id] = all
		}
	}
	for _, n := range p.Nodes {
		for _, into := range []*Paths{&n.Enter, &n.leave} {
			for id, all := range whole {
				if into.Every || slices.Contains(into.Nodes, id) {
					into.Add(all)
				}
			}
		}
	}
}

func (p *Program) pull(into *Paths, n *Node, seen map[string]bool) {
	if seen[n.ID] {
		return
	}
	seen[n.ID] = true
	into.Add(n.Enter)
	for _, id := range n.Enter.Nodes {
		if next := p.Nodes[id]; next != nil && next.Pulled() {
			p.pull(into, next, seen)
		}
	}
}
