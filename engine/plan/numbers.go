package plan

import "sluice/engine/flow"

// Numbers gives every node the number of its sentence in ReadBack, so that a picture and the words beside it call it the same.
func Numbers(f *flow.Flow) map[string]int {
	r := &reader{f: f, number: map[string]int{}, in: map[string]int{}}
	r.count()
	r.group(nil)
	return r.number
}

// Numbers gives every node the number of the outline's line that it was made from.
func (p *Proposal) Numbers() map[string]int {
	out := map[string]int{}
	for line, ids := range p.Nodes {
		for _, id := range ids {
			out[id] = line
		}
	}
	return out
}
