package history

import (
	"maps"
	"slices"
)

// Trim takes finished visits out of Visits, so that a view of a long run stays small: all but the newest keep, the latest of each node,
// and those that a token may come back to. They still count in Nodes, Usage and Resumed.
func (v *View) Trim(keep int) {
	if len(v.Visits) <= keep {
		return
	}
	held := map[int]bool{}
	for _, n := range v.Nodes {
		held[n.Latest] = true
	}
	for _, t := range v.state.Tokens {
		held[t.Step] = true
		for _, b := range t.Blocks {
			held[b.Step] = true
		}
	}
	if v.trimmed == nil {
		v.trimmed = map[string]NodeView{}
	}
	var kept []Visit
	for i, x := range v.Visits {
		if i >= len(v.Visits)-keep || held[x.Step] || x.Ended.IsZero() {
			kept = append(kept, x)
			continue
		}
		n := v.trimmed[x.Node]
		n.count(x)
		v.trimmed[x.Node] = n
		v.before.Usage.add(&x.Usage)
		if x.Resumed > 0 {
			v.before.Resumed = x.Step
		}
	}
	v.Visits = kept
}

// count adds the totals over all visits to a node.
func (n *NodeView) count(x Visit) {
	n.Visits++
	n.Items.add(x.Items)
	if !x.Ended.IsZero() {
		n.Elapsed += x.Ended.Sub(x.Arrived)
	}
}

// place finds a visit in Visits.
func (v *View) place(step int) (int, bool) {
	return slices.BinarySearchFunc(v.Visits, step, func(x Visit, step int) int { return x.Step - step })
}

// Visit gives the visit of a step; an empty one when there is none, or when it was trimmed.
func (v *View) Visit(step int) Visit {
	if i, ok := v.place(step); ok {
		return v.Visits[i]
	}
	return Visit{}
}

// Know gives the flow of a revision before the facts come that were made under it.
func (v *View) Know(p Past) { v.past[p.Revision] = p.Flow }

// Clone gives a view of its own: more facts for one of the two do not show in the other.
func (v *View) Clone() *View {
	c := *v
	c.Nodes, c.Edges, c.Visits = maps.Clone(v.Nodes), maps.Clone(v.Edges), slices.Clone(v.Visits)
	c.trimmed, c.past, c.others = maps.Clone(v.trimmed), maps.Clone(v.past), maps.Clone(v.others)
	c.state = v.state.Clone()
	return &c
}
