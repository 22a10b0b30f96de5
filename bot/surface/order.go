package surface

import "sluice/engine/flow"

// reading lists a flow's nodes in the order in which people read them: along the first way out of every node, a node after all that
// lead to it, and what remains as the file has it. Ways back do not count.
func reading(f *flow.Flow) []*flow.Node {
	o := &reader{f: f, before: map[string]int{}, back: map[string]bool{}, state: map[string]int{}, placed: map[string]bool{}}
	o.look(f.Entry)
	o.place(f.Entry)
	for i := range f.Nodes {
		if n := &f.Nodes[i]; !o.placed[n.ID] {
			o.out = append(o.out, n)
		}
	}
	return o.out
}

type reader struct {
	f      *flow.Flow
	before map[string]int  // edges that lead to a node and have not been read yet
	back   map[string]bool // edges that lead back
	state  map[string]int  // of looking: 1 = on the way here, 2 = done
	placed map[string]bool
	out    []*flow.Node
}

// look counts the edges to every node and finds those that lead back.
func (o *reader) look(id string) {
	n := o.f.Node(id)
	if n == nil || o.state[id] != 0 {
		return
	}
	o.state[id] = 1
	for _, e := range n.Edges() {
		if o.state[e.To] == 1 {
			o.back[e.ID] = true
			continue
		}
		o.before[e.To]++
		o.look(e.To)
	}
	o.state[id] = 2
}

// place puts a node down, then what can be read after it.
func (o *reader) place(id string) {
	n := o.f.Node(id)
	if n == nil {
		return
	}
	o.placed[id] = true
	o.out = append(o.out, n)
	var ready []string
	for _, e := range n.Edges() {
		if o.back[e.ID] {
			continue
		}
		if o.before[e.To]--; o.before[e.To] == 0 {
			ready = append(ready, e.To)
		}
	}
	for _, next := range ready {
		o.place(next)
	}
}
