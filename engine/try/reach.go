package try

import (
	"slices"

	"sluice/engine/flow"
)

// Mark says how sure it is that a node or an edge is reached.
type Mark int

// How sure it is that something is reached.
const (
	NotReached Mark = iota
	// Exceptional: only when a step fails, nobody joins in time or a limit is hit.
	Exceptional
	// Possible: some of the ways that are open lead there.
	Possible
	// Certain: all of them do, as long as no step fails.
	Certain
)

// String gives the word.
func (m Mark) String() string {
	return [...]string{"not reached", "exceptional", "possible", "certain"}[m]
}

// MarshalText gives the word.
func (m Mark) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// marks is what is known of the nodes and edges of a flow.
type marks struct {
	flow  *flow.Flow
	nodes map[string]Mark
	edges map[string]Mark
}

func newMarks(f *flow.Flow) *marks {
	return &marks{flow: f, nodes: map[string]Mark{}, edges: map[string]Mark{}}
}

func (k *marks) node(id string, m Mark) { k.nodes[id] = max(k.nodes[id], m) }
func (k *marks) edge(id string, m Mark) { k.edges[id] = max(k.edges[id], m) }

// edgeCaller leads back to the caller of a node.
const edgeCaller flow.EdgeKind = "caller"

// ways lists the ways out of a node, those back to its callers included.
func (k *marks) ways(n *flow.Node) []flow.Edge {
	all := n.Edges()
	if n.NoMatch != flow.NoMatchCaller && n.Kind != flow.KindToolexec {
		return all
	}
	for i := range k.flow.Nodes {
		caller := &k.flow.Nodes[i]
		if slices.ContainsFunc(caller.Edges(), func(e flow.Edge) bool { return e.To == n.ID }) {
			all = append(all, flow.Edge{ID: flow.CallerEdge(n.ID), Kind: edgeCaller, To: caller.ID})
		}
	}
	return all
}

// spread marks nodes and whatever can follow them, without asking conditions. What only an error leads to is exceptional.
func (k *marks) spread(m Mark, ids ...string) {
	done := map[string]Mark{}
	type step struct {
		id string
		m  Mark
	}
	var todo []step
	for _, id := range ids {
		todo = append(todo, step{id, m})
	}
	for ; len(todo) > 0; todo = todo[1:] {
		s := todo[0]
		n := k.flow.Node(s.id)
		if n == nil || done[s.id] >= s.m {
			continue
		}
		done[s.id] = s.m
		k.node(s.id, s.m)
		k.edge(flow.EndEdge(s.id), s.m)
		for _, e := range k.ways(n) {
			next := s.m
			if e.Kind == flow.EdgeError {
				next = Exceptional
			}
			k.edge(e.ID, next)
			todo = append(todo, step{e.To, next})
		}
	}
}

// onward marks what can follow nodes, and not the nodes.
func (k *marks) onward(m Mark, ids ...string) {
	for _, id := range ids {
		n := k.flow.Node(id)
		if n == nil {
			continue
		}
		k.edge(flow.EndEdge(id), m)
		for _, e := range k.ways(n) {
			next := m
			if e.Kind == flow.EdgeError {
				next = Exceptional
			}
			k.edge(e.ID, next)
			k.spread(next, e.To)
		}
	}
}

// exceptions marks what a failing step, a join that nobody satisfies or a limit can lead to.
func (k *marks) exceptions() {
	for i := range k.flow.Nodes {
		n := &k.flow.Nodes[i]
		if k.nodes[n.ID] < Possible {
			continue
		}
		for _, e := range n.Edges() {
			if e.Kind == flow.EdgeError {
				k.edge(e.ID, Exceptional)
				k.spread(Exceptional, e.To)
			}
		}
		if len(heads(n)) > 0 { // a failed branch or item changes what is known behind them
			k.onward(Exceptional, n.ID)
		}
	}
	if to := k.flow.OnLimit.To; k.flow.OnLimit.Action == flow.LimitHandoff && to != "" {
		k.edge(flow.HandoffEdge, Exceptional)
		for i := range k.flow.Nodes {
			k.edge(flow.LimitEdge(k.flow.Nodes[i].ID), Exceptional)
		}
		k.spread(Exceptional, to)
	}
}

// heads lists where the branches or items of a node begin.
func heads(n *flow.Node) []string {
	var to []string
	for _, e := range n.Edges() {
		if e.Kind == flow.EdgeBranch || e.Kind == flow.EdgeBody {
			to = append(to, e.To)
		}
	}
	return to
}

// racing reports whether a fork goes on before all of its branches have ended.
func racing(n *flow.Node) bool {
	s, ok := n.Spec.(*flow.ParallelSpec)
	if !ok {
		return false
	}
	switch s.Join.Type {
	case "any", "first", "count":
		return true
	}
	return false
}

// races lists the nodes inside the branches of racing forks: how far they come is not known.
func races(f *flow.Flow) map[string]bool {
	inside := map[string]bool{}
	for i := range f.Nodes {
		if n := &f.Nodes[i]; racing(n) {
			k := newMarks(f)
			k.spread(Certain, heads(n)...)
			for id := range k.nodes {
				inside[id] = true
			}
		}
	}
	return inside
}

// order lists ids in the order of the document.
func (k *marks) order(least Mark) []string {
	var ids []string
	for i := range k.flow.Nodes {
		if id := k.flow.Nodes[i].ID; k.nodes[id] >= least {
			ids = append(ids, id)
		}
	}
	return slices.Clip(ids)
}

// musts finds what a token cannot miss on its way to an end, as long as nothing goes wrong.
type musts struct {
	flow  *flow.Flow
	known map[string]map[string]bool
}

// from gives the nodes and edges that every way from a node passes, the node included. Branches and bodies count for nothing.
func (m musts) from(id string) map[string]bool {
	if all, ok := m.known[id]; ok {
		return all
	}
	reached := newMarks(m.flow)
	reached.spread(Certain, id)
	all := map[string]bool{}
	for node := range reached.nodes {
		if m.ends(id, nodeKey(node), map[string]bool{}) {
			continue
		}
		all[nodeKey(node)] = true
		for _, e := range m.flow.Node(node).Edges() {
			if e.Kind == flow.EdgeRoute && !m.ends(id, edgeKey(e.ID), map[string]bool{}) {
				all[edgeKey(e.ID)] = true
			}
		}
	}
	m.known[id] = all
	return all
}

// ends reports whether a way leads from a node to an end without passing what is named.
func (m musts) ends(id, without string, seen map[string]bool) bool {
	n := m.flow.Node(id)
	if n == nil || nodeKey(id) == without || seen[id] {
		return false
	}
	seen[id] = true
	closed := false
	for _, e := range n.Edges() {
		if e.Kind != flow.EdgeRoute {
			continue
		}
		closed = closed || n.Routes[e.Index].Default()
		if edgeKey(e.ID) != without && (e.To == flow.End || m.ends(e.To, without, seen)) {
			return true
		}
	}
	return !closed
}
