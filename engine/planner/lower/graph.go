package lower

import (
	"strconv"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/planner/english"
)

// exits are ways that lead nowhere yet: the fields that will hold their targets.
type exits []*string

// graph is a flow that is being built.
type graph struct {
	flow   *flow.Flow
	taken  map[string]bool     // names in use
	nodes  map[string][]string // step id -> its nodes
	visits int                 // node visits of loops beyond the first round
	loops  bool
}

// connect lets exits lead to a node or to the end.
func (e exits) connect(to string) {
	for _, target := range e {
		*target = to
	}
}

// reservedNames mean something else in expressions or in the graph.
var reservedNames = english.WordSet(`end event inputs input vars nodes approvals previous error run secret state output result choice note text data
	and or not in contains matches true false null nil none len lower upper trim str int float now default each item get`)

// unique makes a name that expressions read plainly and that nothing else has.
func (g *graph) unique(wish string) string {
	id := strings.Trim(wish[:min(len(wish), english.IDLength)], "_")
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
