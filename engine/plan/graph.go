package plan

import (
	"slices"
	"strconv"
	"strings"

	"sluice/engine/flow"
)

// graph is a flow in the making. Its methods are the edits that a planner makes: add a node, connect, jump.
type graph struct {
	flow  *flow.Flow
	lines map[int][]string // ids of the nodes of each line
	heads map[int]string   // the first node of each line
	taken map[string]bool  // ids in use
	jumps []jump
}

// exit is a way out of a node that leads nowhere yet.
type exit struct{ node, route int }

// start is the exit before the first node.
var start = exit{node: -1}

// jump is an exit that leads to a line which may not have been read yet.
type jump struct {
	exit
	from, line int
}

func newGraph(name string) *graph {
	return &graph{
		flow: &flow.Flow{Name: name}, lines: map[int][]string{}, heads: map[int]string{}, taken: map[string]bool{},
	}
}

// add puts a node behind exits and gives its index. id is a wish: it is made unique.
func (g *graph) add(line int, id string, n flow.Node, in []exit) int {
	n.ID = g.unique(id)
	n.Kind = n.Spec.Kind()
	g.flow.Nodes = append(g.flow.Nodes, n)
	g.connect(in, n.ID)
	g.lines[line] = append(g.lines[line], n.ID)
	if g.heads[line] == "" {
		g.heads[line] = n.ID
	}
	return len(g.flow.Nodes) - 1
}

// connect lets exits lead to a node, or to the end.
func (g *graph) connect(exits []exit, to string) {
	for _, e := range exits {
		if e == start {
			g.flow.Entry = to
		} else {
			g.flow.Nodes[e.node].Routes[e.route].To = to
		}
	}
}

// exits gives the ways out of a node that lead nowhere yet.
func (g *graph) exits(node int, routes ...int) []exit {
	out := make([]exit, len(routes))
	for i, r := range routes {
		out[i] = exit{node, r}
	}
	return out
}

// land lets jumps lead to the first node of their lines, and gives the lines that have none.
func (g *graph) land() (lost []jump) {
	for _, j := range g.jumps {
		to := g.heads[j.line]
		if to == "" {
			to, lost = flow.End, append(lost, j)
		}
		g.connect([]exit{j.exit}, to)
	}
	return lost
}

// prune takes out the nodes that cannot be reached, and gives the lines that lost all of theirs.
func (g *graph) prune() (gone []int) {
	reached := map[string]bool{}
	todo := []string{g.flow.Entry}
	for len(todo) > 0 {
		n := g.flow.Node(todo[0])
		todo = todo[1:]
		if n == nil || reached[n.ID] {
			continue
		}
		reached[n.ID] = true
		for _, e := range n.Edges() {
			todo = append(todo, e.To)
		}
	}
	g.flow.Nodes = slices.DeleteFunc(g.flow.Nodes, func(n flow.Node) bool { return !reached[n.ID] })
	for line, ids := range g.lines {
		kept := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !reached[id] })
		if len(kept) == 0 {
			gone = append(gone, line)
			delete(g.lines, line)
			continue
		}
		g.lines[line] = kept
	}
	slices.Sort(gone)
	return gone
}

// cyclic reports whether a way leads back.
func (g *graph) cyclic() bool {
	const open, done = 1, 2
	state := map[string]int{}
	var visit func(id string) bool
	visit = func(id string) bool {
		n := g.flow.Node(id)
		if n == nil || state[id] == done {
			return false
		}
		if state[id] == open {
			return true
		}
		state[id] = open
		for _, e := range n.Edges() {
			if visit(e.To) {
				return true
			}
		}
		state[id] = done
		return false
	}
	return visit(g.flow.Entry)
}

// reservedIDs mean something else in expressions or in the graph.
var reservedIDs = wordSet(`end event inputs input vars nodes approvals previous error run secret state output
and or not in contains matches true false null nil none len lower upper trim str int float now default each item`)

// unique makes a wish for an id into one that expressions read plainly and that no other node has.
func (g *graph) unique(wish string) string {
	id := strings.ReplaceAll(flow.Slug(fold(wish)), "-", "_")
	if len(id) > maxName {
		id = strings.Trim(id[:maxName], "_")
	}
	if id == "" || reservedIDs[id] || id[0] >= '0' && id[0] <= '9' {
		id = strings.Trim("step_"+id, "_")
	}
	base := id
	for n := 2; g.taken[id]; n++ {
		id = base + "_" + strconv.Itoa(n)
	}
	g.taken[id] = true
	return id
}
