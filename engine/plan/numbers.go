package plan

import (
	"slices"

	"sluice/engine/flow"
)

// Lines groups a flow's nodes by the numbers of ReadBack's sentences, as [Proposal.Nodes] does by the lines of an outline, so
// that a picture and the words beside it call a node the same.
func Lines(f *flow.Flow) map[int][]string {
	r := newReader(f, nil)
	r.groupByGraph()
	out := map[int][]string{}
	for _, s := range r.steps {
		out[s.number] = s.ids
	}
	return out
}

// Number gives the shapes of a picture the numbers of lines. Nodes that one line made share its number; the rest have none.
func Number(p flow.Plan, lines map[int][]string) flow.Plan {
	shapes := map[string]int{}
	for number, ids := range lines {
		for _, id := range ids {
			for _, shape := range p.Map[id] {
				shapes[shape] = number
			}
		}
	}
	p.Nodes = slices.Clone(p.Nodes)
	for i := range p.Nodes {
		p.Nodes[i].Number = shapes[p.Nodes[i].ID]
	}
	return p
}
