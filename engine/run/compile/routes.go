package compile

import (
	"cmp"
	"slices"

	"sluice/engine/flow"
	"sluice/engine/history"
)

// Ordered gives the routes in the order in which they are tried.
func (n *Node) Ordered() []*Route {
	routes := make([]*Route, len(n.Outgoing))
	for i := range n.Outgoing {
		routes[i] = &n.Outgoing[i]
	}
	switch {
	case n.Policy == flow.PolicyPriority:
		slices.SortStableFunc(routes, func(a, b *Route) int { return cmp.Compare(b.Priority, a.Priority) })
	case n.Kind == flow.KindDecision:
		slices.SortStableFunc(routes, func(a, b *Route) int { return boolInt(a.Default()) - boolInt(b.Default()) })
	}
	return routes
}

// Words say why the route is taken.
func (r *Route) Words() string {
	switch {
	case r.Default():
		return "default"
	case r.If != flow.IfExpr:
		return r.ConditionWords()
	}
	return r.When
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Names reports whether a route names a next node exactly so: then other spellings of it do not count.
func (n *Node) Names(next string) bool {
	return slices.ContainsFunc(n.Outgoing, func(r Route) bool { return r.If == flow.IfNext && r.When == next })
}

// OpenCriteria lists the criteria of the node that are not answered yet.
func (n *Node) OpenCriteria(t history.Token) []history.Question {
	var open []history.Question
	for _, c := range n.Criteria {
		if _, known := t.Verdicts[c.ID]; !known {
			open = append(open, history.Question{ID: c.ID, Text: c.Text})
		}
	}
	return open
}

// OpenRoutes lists the questions of the node's routes that are not answered yet.
func (n *Node) OpenRoutes(t history.Token) []history.Question {
	var open []history.Question
	for _, r := range n.Outgoing {
		if _, known := t.Verdicts[r.Edge]; r.If == flow.IfLLM && !known {
			open = append(open, history.Question{ID: r.Edge, Text: r.When})
		}
	}
	return open
}

// Meeting is the node where paths that begin at heads meet first: of the nodes that all of them lead to, the one that is nearest to the
// farthest of them. It is empty when they do not meet.
func (p *Program) Meeting(heads []string) string {
	far, all := map[string]int{}, map[string]int{}
	for _, head := range heads {
		for id, steps := range p.distances(head) {
			far[id] = max(far[id], steps)
			all[id]++
		}
	}
	best := ""
	for i := range p.flow.Nodes {
		id := p.flow.Nodes[i].ID
		if all[id] == len(heads) && (best == "" || far[id] < far[best]) {
			best = id
		}
	}
	return best
}

// distances tells how many routes lie between a node and all that it leads to.
func (p *Program) distances(from string) map[string]int {
	steps := map[string]int{from: 0}
	for todo := []string{from}; len(todo) > 0; todo = todo[1:] {
		n := p.Nodes[todo[0]]
		if n == nil {
			continue
		}
		for _, to := range n.Targets() {
			if _, known := steps[to]; !known && p.Nodes[to] != nil {
				steps[to] = steps[todo[0]] + 1
				todo = append(todo, to)
			}
		}
	}
	return steps
}

// Executor finds the route of a node that leads straight to one that performs the calls of an agent.
func (p *Program) Executor(n *Node) *Route {
	for i := range n.Outgoing {
		if to := p.Nodes[n.Outgoing[i].To]; to != nil && to.Kind == flow.KindToolexec {
			return &n.Outgoing[i]
		}
	}
	return nil
}
