package validate

import (
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/naming"
)

// dangling is a target that is neither a node nor end: where it is named, and its problem if this is the first place.
type dangling struct {
	to, node string
	problem  int
}

// targets are those that lead nowhere.
type targets struct{ dangling []dangling }

// check reports a target that is neither a node nor end.
func (t *targets) check(v *flow.Checker, a flow.At, to, on string) {
	if to == flow.End || len(v.Problems) >= flow.MaxProblems {
		return
	}
	if _, ok := v.Graph.Index[to]; ok {
		return
	}
	d := dangling{to: to, node: a.Node, problem: len(v.Problems)}
	if i := slices.IndexFunc(t.dangling, func(o dangling) bool { return o.to == to }); i >= 0 { // an unknown target gives one problem
		d.problem = t.dangling[i].problem
		t.dangling = append(t.dangling, d)
		return
	}
	v.Error(a, "unknown-target", fmt.Sprintf("unknown target '%s' %s", to, on), naming.Suggest(to, append(slices.Clone(v.IDs), flow.End)))
	t.dangling = append(t.dangling, d)
}

// otherPlaces adds the further places of an unknown target to its problem.
func (t *targets) otherPlaces(found flow.Problems) {
	also := map[int][]string{}
	for i, d := range t.dangling {
		if first := slices.IndexFunc(t.dangling, func(o dangling) bool { return o.to == d.to }); first < i && d.node != "" && d.node != t.dangling[first].node {
			also[d.problem] = append(also[d.problem], "'"+d.node+"'")
		}
	}
	for problem, nodes := range also {
		if problem < len(found) {
			found[problem].Message += ", and on " + strings.Join(slices.Compact(nodes), ", ")
		}
	}
}

// explained marks the nodes that are unreachable only because a reachable node has an unknown target, so that correcting the target is
// enough. Each unknown target explains the node with the most similar name, else the first unreachable node, and all nodes after it.
func (v *validator) explained(seen []bool) []bool {
	done := make([]bool, len(seen))
	var names []string
	for _, d := range v.targets.dangling {
		if i, known := v.Graph.Index[d.node]; (!known || seen[i]) && !slices.Contains(names, d.to) {
			names = append(names, d.to)
		}
	}
	for _, name := range names {
		heads := v.heads(seen, done)
		if len(heads) == 0 {
			break
		}
		head := heads[0]
		if near := naming.Nearest(name, v.lost(seen, done)); len(near) > 0 {
			head = v.Graph.Index[near[0]]
		} else {
			id := v.Flow.Nodes[head].ID
			v.Warn(flow.At{Path: fmt.Sprintf("flow.nodes[%d].id", head), Node: id}, "unreachable", fmt.Sprintf("nothing leads to flow node '%s'", id),
				fmt.Sprintf("perhaps it is what '%s' should be", name))
		}
		for i, led := range v.Graph.Reachable(head) {
			done[i] = done[i] || led
		}
	}
	return done
}

// heads lists the unreachable nodes that no other unreachable node leads to. Of a cycle it lists the first node.
func (v *validator) heads(seen, done []bool) []int {
	var heads []int
	led := make([]bool, len(seen))
	note := func(i int) {
		heads = append(heads, i)
		for j, r := range v.Graph.Reachable(i) {
			led[j] = led[j] || r
		}
	}
	inward := make([]bool, len(seen))
	for i := range seen {
		for _, to := range v.Graph.Out[i] {
			inward[to] = inward[to] || !seen[i] && !done[i] && to != i
		}
	}
	for _, circles := range []bool{false, true} {
		for i := range seen {
			if !seen[i] && !done[i] && !led[i] && (circles || !inward[i]) {
				note(i)
			}
		}
	}
	return heads
}

// lost names the unreachable nodes that are not explained.
func (v *validator) lost(seen, done []bool) []string {
	var ids []string
	for i := range seen {
		if !seen[i] && !done[i] {
			ids = append(ids, v.Flow.Nodes[i].ID)
		}
	}
	return ids
}

// reach checks that every node can be reached and that cycles are capped. If edges could not be read, it reports
// no unreachable nodes, because those edges may lead to them.
func (v *validator) reach() {
	entry, ok := v.Graph.Index[v.Flow.Entry]
	if !ok {
		return
	}
	roots := append([]int{entry}, v.beginnings()...)
	if to, ok := v.Graph.Index[v.Flow.OnLimit.To]; ok && v.Flow.OnLimit.Action == flow.LimitHandoff {
		roots = append(roots, to)
	}
	seen := v.Graph.Reachable(v.withSubagents(roots)...)
	v.orphans(seen)
	if v.Flow.MaxVisits != 0 || v.Flow.Profile != flow.ProfileNative { // other formats have cycles without a cap; the run has a ceiling
		return
	}
	for _, root := range roots {
		if loop := cycleFrom(v.Graph, root); loop != nil {
			v.cycle(loop)
			return
		}
	}
}

// withSubagents adds the nodes that are called as subagents and have no edge to them.
func (v *validator) withSubagents(roots []int) []int {
	roots = slices.Clone(roots)
	for id := range v.Flow.SubagentNodes() {
		if k, ok := v.Graph.Index[id]; ok {
			roots = append(roots, k)
		}
	}
	return roots
}

// orphans reports unreachable nodes. Documents of other formats may have them.
func (v *validator) orphans(seen []bool) {
	for i := range v.uncertain {
		if i < len(seen) && seen[i] {
			return
		}
	}
	explained := v.explained(seen)
	for i, reached := range seen {
		id := v.Flow.Nodes[i].ID
		if reached || explained[i] || id == "" || v.Graph.Index[id] != i {
			continue
		}
		a := flow.At{Path: fmt.Sprintf("flow.nodes[%d].id", i), Node: id}
		report := v.Error
		if v.Flow.Profile != flow.ProfileNative {
			report = v.Warn
		}
		report(a, "unreachable", fmt.Sprintf("flow node '%s' is not reachable from entry '%s'", id, v.Flow.Entry),
			"add a route to it, or remove it")
	}
}

func (v *validator) cycle(loop []int) {
	names := make([]string, 0, len(loop)+1)
	for _, i := range append(loop, loop[0]) {
		names = append(names, v.Flow.Nodes[i].ID)
	}
	if len(names) > 12 {
		names = append(append(names[:8:8], "..."), names[len(names)-2:]...)
	}
	last := &v.Flow.Nodes[loop[len(loop)-1]]
	a := flow.At{Path: fmt.Sprintf("flow.nodes[%d]", loop[len(loop)-1]), Node: last.ID}
	for _, e := range last.Edges() {
		if e.To == v.Flow.Nodes[loop[0]].ID {
			a.Path = edgePath(a.Path, e)
			break
		}
	}
	v.Error(a, "cycle-without-cap", "flow has cycles but max_iterations=0",
		strings.Join(names, "->")+"; set max_iterations to the most node visits of a run, such as 100")
}

// edgePath is the path of an edge's target.
func edgePath(node string, e flow.Edge) string {
	switch e.Kind {
	case flow.EdgeRoute:
		return fmt.Sprintf("%s.routes[%d].to", node, e.Index)
	case flow.EdgeError:
		return fmt.Sprintf("%s.on_error[%d].to", node, e.Index)
	case flow.EdgeBranch:
		return fmt.Sprintf("%s.branches[%d].to", node, e.Index)
	default:
		return node + ".body"
	}
}

// beginnings lists the nodes that need no edge to them: entries, and values that are made when they are read.
func (v *validator) beginnings() []int {
	var all []int
	for i := range v.Flow.Nodes {
		n := &v.Flow.Nodes[i]
		if _, entry := n.Spec.(*flow.EntrySpec); entry || n.Pulled() {
			all = append(all, i)
		}
	}
	return all
}

// cycleFrom finds a cycle that can be reached from a node: the nodes on it in order, without repeating the first. The walk
// keeps its own stack, since a flow may be one long chain.
func cycleFrom(g *flow.Graph, from int) []int {
	const fresh, open, done = 0, 1, 2
	state := make([]int, len(g.Out))
	type visit struct{ node, next int }
	stack := []visit{{from, 0}}
	state[from] = open
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == len(g.Out[top.node]) {
			state[top.node] = done
			stack = stack[:len(stack)-1]
			continue
		}
		to := g.Out[top.node][top.next]
		top.next++
		switch state[to] {
		case fresh:
			state[to] = open
			stack = append(stack, visit{to, 0})
		case open:
			var loop []int
			for i := range stack {
				if stack[i].node == to || loop != nil {
					loop = append(loop, stack[i].node)
				}
			}
			return loop
		}
	}
	return nil
}
