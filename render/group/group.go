package group

import (
	"cmp"
	"slices"
)

// Graph is what is divided. Nodes are numbered from 0.
type Graph struct {
	// Plain tells, for every node, whether it may be one of a run: a step that decides nothing, no start and no end.
	Plain []bool
	Edges []Edge
}

// Edge leads from one node to another. Aside marks a way on an error.
type Edge struct {
	From, To int
	Aside    bool
}

// sizes are how many nodes a group may have, tried in this order.
var sizes = [...]int{4, 8, 16, 32, largest}

// largest is how many nodes a run or a block has at most. Stretches may have more where a chart is larger than that many
// groups can hold.
const largest = 40

// Divide groups the nodes so that at most want groups remain, linked by at most links ways, or as few as 6 groups. Every
// node is in one group; groups and the nodes in them are in the order of the flow.
func Divide(g Graph, want, links int) [][]int {
	d := &division{graph: g, place: order(g), of: make([]int, len(g.Plain)), members: make([][]int, len(g.Plain)), plain: slices.Clone(g.Plain)}
	for n := range d.of {
		d.of[n], d.members[n] = n, []int{n}
	}
	for _, size := range sizes {
		d.limit = size
		for _, merge := range []func(){d.runs, d.loops, d.blocks, d.runs} {
			if len(d.groups()) <= want && d.links() <= links {
				return d.groups()
			}
			merge()
		}
	}
	for ; want >= 6 && (len(d.groups()) > want || d.links() > links); want = want * 3 / 4 {
		d.stretches(want)
	}
	return d.groups()
}

// division is the grouping so far. A group has the number of its first node.
type division struct {
	graph   Graph
	place   []int   // of every node in the order of the flow
	of      []int   // the group of every node
	members [][]int // of the group with that number
	plain   []bool
	limit   int
}

// merge puts group b into group a, which comes first.
func (d *division) merge(a, b int) {
	for _, n := range d.members[b] {
		d.of[n] = a
	}
	d.members[a], d.members[b] = append(d.members[a], d.members[b]...), nil
	d.plain[a] = true // whatever it holds, from outside it is one step
}

// around lists, for every group, the groups that ways lead to and come from, each once.
func (d *division) around() (out, in [][]int) {
	out, in = make([][]int, len(d.of)), make([][]int, len(d.of))
	seen := make(map[[2]int]bool, len(d.graph.Edges))
	for _, e := range d.graph.Edges {
		a, b := d.of[e.From], d.of[e.To]
		if a == b || e.Aside || d.place[a] >= d.place[b] || seen[[2]int{a, b}] {
			continue
		}
		seen[[2]int{a, b}] = true
		out[a], in[b] = append(out[a], b), append(in[b], a)
	}
	return out, in
}

// inOrder lists the groups in the order of the flow.
func (d *division) inOrder() []int {
	var all []int
	for n, g := range d.of {
		if n == g {
			all = append(all, g)
		}
	}
	slices.SortFunc(all, func(a, b int) int { return cmp.Compare(d.place[a], d.place[b]) })
	return all
}

// runs joins plain groups that follow on each other with no other way in or out, and no end of a way back between them:
// a loop is joined as a whole or not at all.
func (d *division) runs() {
	out, in := d.around()
	head, tail := d.waysBack()
	for _, a := range d.inOrder() {
		if d.of[a] != a || !d.plain[a] {
			continue
		}
		for last := a; len(out[last]) == 1; {
			b := out[last][0]
			if len(in[b]) != 1 || !d.plain[b] || head[b] || tail[last] || len(d.members[a])+len(d.members[b]) > d.limit {
				break
			}
			d.merge(a, b)
			last = b
		}
	}
}

// blocks joins what lies between a fork and the one place where its ways lead on, the inner blocks before the outer.
func (d *division) blocks() {
	out, in := d.around()
	for _, fork := range slices.Backward(d.inOrder()) {
		if n := len(out[fork]); n < 2 || n > d.limit {
			continue
		}
		inner, exits := d.block(fork, out, in)
		if inner == nil {
			continue
		}
		for _, b := range inner {
			d.merge(fork, b)
		}
		out[fork] = exits
		for _, b := range exits {
			in[b] = append(slices.DeleteFunc(in[b], func(p int) bool { return p == fork || slices.Contains(inner, p) }), fork)
		}
	}
}

// waysBack marks the groups that ways back lead to and come from.
func (d *division) waysBack() (head, tail []bool) {
	head, tail = make([]bool, len(d.of)), make([]bool, len(d.of))
	for _, e := range d.graph.Edges {
		if a, b := d.of[e.From], d.of[e.To]; !e.Aside && d.place[a] > d.place[b] {
			tail[a], head[b] = true, true
		}
	}
	return head, tail
}

// loops joins what lies between the ends of a way back, where nothing else leads into it.
func (d *division) loops() {
	const nested = 3 // an outer loop is joined in the round after its inner ones
	for range nested {
		_, in := d.around()
		joined := make([]bool, len(d.of)) // in this round: what is known of them no longer holds
		for _, e := range d.graph.Edges {
			a, b := d.of[e.To], d.of[e.From]
			if e.Aside || a == b || d.place[a] >= d.place[b] || joined[a] {
				continue
			}
			inside := d.loop(a, b, in)
			if slices.ContainsFunc(inside, func(g int) bool { return joined[g] || d.of[g] != g }) {
				continue
			}
			for _, g := range inside {
				d.merge(a, g)
				joined[a] = true
			}
		}
		if !slices.Contains(joined, true) {
			return
		}
	}
}

// loop is all that leads from head to tail, without head; nil where it would be too large or can be entered elsewhere.
func (d *division) loop(head, tail int, in [][]int) []int {
	inside, size := []int{tail}, len(d.members[head])+len(d.members[tail])
	for i := 0; i < len(inside); i++ {
		before := in[inside[i]]
		if len(before) == 0 || size > d.limit {
			return nil
		}
		for _, p := range before {
			if p == head || slices.Contains(inside, p) {
				continue
			}
			inside = append(inside, p)
			if size += len(d.members[p]); size > d.limit { // the rest of it, maybe all of the chart, does not matter
				return nil
			}
		}
	}
	return inside
}

// block is the smallest set of groups behind a fork that have one way on, or none, and where that leads; nil where the
// block would be too large.
func (d *division) block(fork int, out, in [][]int) (inner, exits []int) {
	inside, size := []int{fork}, len(d.members[fork])
	for {
		exits, next := d.edge(inside, out, in)
		if len(exits) <= 1 && len(inside) > 1 {
			return inside[1:], exits
		}
		if next < 0 || len(exits) > d.limit {
			return nil, nil
		}
		if size += len(d.members[next]); size > d.limit {
			return nil, nil
		}
		inside = append(inside, next)
	}
}

// edge lists where ways out of a set lead, and the first of these places that can be reached from the set alone, or -1.
func (d *division) edge(inside []int, out, in [][]int) (exits []int, next int) {
	next = -1
	for _, a := range inside {
		for _, b := range out[a] {
			if slices.Contains(inside, b) || slices.Contains(exits, b) {
				continue
			}
			if exits = append(exits, b); len(exits) > d.limit { // the block is too large, whatever else leads out
				return exits, -1
			}
			closed := !slices.ContainsFunc(in[b], func(p int) bool { return !slices.Contains(inside, p) })
			if closed && (next < 0 || d.place[b] < d.place[next]) {
				next = b
			}
		}
	}
	return exits, next
}

// stretches joins neighbours in the order of the flow until at most want groups of about the same size remain.
func (d *division) stretches(want int) {
	full := (len(d.of) + want - 1) / want
	var a int
	for i, b := range d.inOrder() {
		if i == 0 || len(d.members[a]) >= full {
			a = b
			continue
		}
		d.merge(a, b)
	}
}

// groups are the nodes of every group.
func (d *division) groups() [][]int {
	var out [][]int
	for _, g := range d.inOrder() {
		nodes := slices.SortedFunc(slices.Values(d.members[g]), func(a, b int) int { return cmp.Compare(d.place[a], d.place[b]) })
		out = append(out, nodes)
	}
	return out
}

// links counts the ways between groups, those of the same ends once.
func (d *division) links() int {
	seen := map[[2]int]bool{}
	for _, e := range d.graph.Edges {
		if a, b := d.of[e.From], d.of[e.To]; a != b {
			seen[[2]int{a, b}] = true
		}
	}
	return len(seen)
}

// order gives every node its place in the flow: before all that it leads to, but for ways back, and with the branches of
// a fork one after the other.
func order(g Graph) []int {
	out, root := make([][]int, len(g.Plain)), make([]bool, len(g.Plain))
	for n := range root {
		root[n] = true
	}
	for _, e := range g.Edges {
		out[e.From] = append(out[e.From], e.To)
		root[e.To] = root[e.To] && e.To == e.From
	}
	place, at := make([]int, len(g.Plain)), len(g.Plain)
	seen, next := make([]bool, len(g.Plain)), make([]int, len(g.Plain))
	visit := func(from int) {
		seen[from] = true
		for stack := []int{from}; len(stack) > 0; { // not recursive: a chain may be long
			n := stack[len(stack)-1]
			if next[n] == len(out[n]) {
				stack = stack[:len(stack)-1]
				at--
				place[n] = at
				continue
			}
			to := out[n][len(out[n])-1-next[n]] // the last way first, so that the first comes first in the end
			next[n]++
			if !seen[to] {
				seen[to] = true
				stack = append(stack, to)
			}
		}
	}
	for _, roots := range []bool{true, false} {
		for n := len(root) - 1; n >= 0; n-- {
			if root[n] == roots && !seen[n] {
				visit(n)
			}
		}
	}
	return place
}
