package history

import (
	"slices"

	"sluice/engine/flow"
	"sluice/engine/flow/chart"
)

// Past is a revision that a run was on before it moved to the one of the view.
type Past struct {
	Revision int
	Flow     *flow.Flow
}

// Revisions lists the revisions that a run has been on, in order, each as often as it moved to it. The last is the one that it is on.
func Revisions(facts []Fact) []int {
	var all []int
	for _, f := range facts {
		switch b := f.Body.(type) {
		case *RunStarted:
			all = append(all, b.Revision)
		case *RevisionChanged:
			all = append(all, b.Revision)
		}
	}
	return all
}

// means reports whether an edge that was taken just now is the edge of that id in the flow of the view. It is false for a revision that is
// not known.
func (v *View) means(edge string) bool {
	now := v.state.Revision
	if now == v.revision {
		return true
	}
	others, known := v.others[now]
	if !known {
		others = otherEdges(v.past[now], v.flow)
		v.others[now] = others
	}
	return v.past[now] != nil && !others[edge]
}

// otherEdges lists the ids that mean another edge, or none, in b: not from and to the same nodes, under the same condition.
func otherEdges(a, b *flow.Flow) map[string]bool {
	if a == nil {
		return nil
	}
	was, is := drawn(a), drawn(b)
	before, rules := rulesOf(a), rulesOf(b)
	others := map[string]bool{}
	for id, edges := range was {
		others[id] = !slices.Equal(edges, is[id]) || before[id] != rules[id]
	}
	for id := range rules {
		others[id] = others[id] || before[id] != rules[id]
	}
	return others
}

// drawn gives the plan's edges by id, without what is only said about them.
func drawn(f *flow.Flow) map[string][]chart.Edge {
	all := map[string][]chart.Edge{}
	for _, e := range chart.Of(f).Edges {
		e.Label, e.Description = "", ""
		all[e.ID] = append(all[e.ID], e)
	}
	return all
}

// rule is the condition under which an edge is taken.
type rule struct {
	route flow.Route
	fault flow.ErrorRoute
	value string // of the decision whose value it is compared with
	to    string // where tokens go: the picture may show another place
}

func rulesOf(f *flow.Flow) map[string]rule {
	all := map[string]rule{}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		for _, e := range n.Edges() {
			c := rule{to: e.To}
			switch e.Kind {
			case flow.EdgeRoute:
				c.route = n.Routes[e.Index]
				c.route.Label = ""
				if d, ok := n.Spec.(*flow.DecisionSpec); ok {
					c.value = d.Expr
				}
			case flow.EdgeError:
				c.fault = n.OnError[e.Index]
			}
			all[e.ID] = c
		}
	}
	return all
}
