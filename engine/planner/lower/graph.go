package lower

import (
	"strconv"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/planner/english"
)

// exit is a way out of a node that leads nowhere yet. Node -1 is the start of the flow.
type exit struct {
	node int
	kind flow.EdgeKind
	at   int // index of the route, error route or branch
}

var start = exit{node: -1}

// graph is a flow that is being built.
type graph struct {
	flow   *flow.Flow
	taken  map[string]bool     // names in use
	nodes  map[string][]string // step id -> its nodes
	visits int                 // node visits of loops beyond the first round
	loops  bool
}

// connect lets exits lead to a node or to the end.
func (g *graph) connect(exits []exit, to string) {
	for _, e := range exits {
		if e == start {
			g.flow.Entry = to
			continue
		}
		n := &g.flow.Nodes[e.node]
		switch e.kind {
		case flow.EdgeError:
			n.OnError[e.at].To = to
		case flow.EdgeBranch:
			n.Spec.(*flow.ParallelSpec).Branches[e.at].To = to
		case flow.EdgeBody:
			n.Spec.(*flow.ForeachSpec).Body = to
		default:
			n.Routes[e.at].To = to
		}
	}
}

// routesOf gives ways out of a node by the indexes of its routes.
func routesOf(node int, at ...int) []exit {
	out := make([]exit, len(at))
	for i, r := range at {
		out[i] = exit{node, flow.EdgeRoute, r}
	}
	return out
}

// reservedNames mean something else in expressions or in the graph.
var reservedNames = english.WordSet(`end event inputs input vars nodes approvals previous error run secret state output result choice note text data
	and or not in contains matches true false null nil none len lower upper trim str int float now default each item get`)

// unique makes a name that expressions read plainly and that nothing else has.
func (g *graph) unique(wish string) string {
	id := wish
	if len(id) > english.IDLength {
		id = id[:english.IDLength]
	}
	id = strings.Trim(id, "_")
	if id == "" || reservedNames[id] || id[0] >= '0' && id[0] <= '9' {
		id = strings.Trim("step_"+id, "_")
	}
	base := id
	for n := 2; g.taken[id]; n++ {
		id = base + "_" + strconv.Itoa(n)
	}
	g.taken[id] = true
	return id
}
