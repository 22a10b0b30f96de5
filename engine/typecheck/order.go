package typecheck

import (
	"fmt"
	"slices"

	"sluice/engine/expr"
	"sluice/engine/flow"
)

// set is a set of nodes, by index.
type set []uint64

func newSet(n int) set { return make(set, (n+63)/64) }

func (s set) has(i int) bool { return s != nil && s[i/64]&(1<<(i%64)) != 0 }

func (s set) add(i int) { s[i/64] |= 1 << (i % 64) }

func (s set) addAll(o set) {
	for i := range o {
		s[i] |= o[i]
	}
}

func (s set) keep(o set) {
	for i := range o {
		s[i] &= o[i]
	}
}

// order knows which nodes have given something when another begins.
type order struct {
	may      []set // on some way there; nil = no way leads there. Nodes that lead to each other share a set
	must     []set // on every way there
	dangling map[string]bool
	settled  bool
	entry    int
	into     [][]way
	inside   []set // what runs inside a node with branches or a body, by index
}

// way is an edge by the index of its start.
type way struct {
	from  int
	after bool // it is taken when the start has run, with what is inside it
}

// maxRounds bounds how often loops are gone around until nothing changes. A flow that needs more is not looked at.
const maxRounds = 20

func newOrder(f *flow.Flow, index map[string]int) *order {
	n := len(f.Nodes)
	o := &order{dangling: map[string]bool{}, may: make([]set, n), must: make([]set, n)}
	entry, ok := index[f.Entry]
	if !ok || f.Profile != flow.ProfileNative || n > flow.MaxNodes {
		return o
	}
	o.entry, o.into, o.inside = entry, make([][]way, n), make([]set, n)
	out, heads := make([][]int, n), make([][]int, n)
	for i := range f.Nodes {
		for _, e := range f.Nodes[i].Edges() {
			to, ok := index[e.To]
			if !ok {
				o.dangling[e.To] = o.dangling[e.To] || e.To != flow.End
				continue
			}
			out[i] = append(out[i], to)
			o.into[to] = append(o.into[to], way{from: i, after: e.Kind == flow.EdgeRoute})
			if e.Kind == flow.EdgeBranch || e.Kind == flow.EdgeBody {
				heads[i] = append(heads[i], to)
			}
		}
	}
	nodes := walkOrder(out, entry)
	parts := o.components(nodes)
	o.lookInside(parts, out, heads)
	o.findMay(parts)
	o.findMust(nodes)
	return o
}

// components lists the groups of nodes that lead to each other, each group after those that lead to it. nodes are in walking order.
func (o *order) components(nodes []int) [][]int {
	reached, grouped := newSet(len(o.into)), newSet(len(o.into))
	for _, i := range nodes {
		reached.add(i)
	}
	var all [][]int
	for _, first := range nodes {
		if grouped.has(first) {
			continue
		}
		grouped.add(first)
		part := []int{first}
		for at := 0; at < len(part); at++ {
			for _, w := range o.into[part[at]] {
				if reached.has(w.from) && !grouped.has(w.from) {
					grouped.add(w.from)
					part = append(part, w.from)
				}
			}
		}
		all = append(all, part)
	}
	return all
}

// lookInside finds what the branches and bodies of nodes, which begin at the heads, can come to.
func (o *order) lookInside(parts [][]int, out, heads [][]int) {
	if !slices.ContainsFunc(heads, func(h []int) bool { return len(h) > 0 }) {
		return
	}
	ahead := make([]set, len(out))
	for _, part := range slices.Backward(parts) {
		s := newSet(len(out))
		for _, i := range part {
			s.add(i)
			for _, to := range out[i] {
				s.addAll(ahead[to])
			}
		}
		for _, i := range part {
			ahead[i] = s
		}
	}
	for _, part := range parts {
		for _, i := range part {
			if len(heads[i]) == 1 {
				o.inside[i] = ahead[heads[i][0]]
			} else if len(heads[i]) > 1 {
				o.inside[i] = newSet(len(out))
				for _, head := range heads[i] {
					o.inside[i].addAll(ahead[head])
				}
			}
		}
	}
}

// findMay finds what may have run at the nodes.
func (o *order) findMay(parts [][]int) {
	for _, part := range parts {
		s := newSet(len(o.into))
		for _, i := range part {
			o.may[i] = s
		}
		for _, i := range part {
			for _, w := range o.into[i] {
				if o.may[w.from] != nil {
					s.addAll(o.may[w.from])
					o.pass(s, w)
				}
			}
		}
	}
}

// pass adds what a way adds to what has run at its start.
func (o *order) pass(ran set, w way) {
	if w.after {
		ran.add(w.from)
		ran.addAll(o.inside[w.from])
	}
}

// findMust goes over the nodes until what must have run at each does not change.
func (o *order) findMust(nodes []int) {
	n := len(o.into)
	must, ran, none := newSet(n), newSet(n), newSet(n)
	for range maxRounds {
		o.settled = true
		for _, i := range nodes {
			known := i == o.entry
			copy(must, none)
			for _, w := range o.into[i] {
				if o.must[w.from] == nil {
					continue
				}
				copy(ran, o.must[w.from])
				if o.pass(ran, w); known {
					must.keep(ran)
				} else {
					known = true
					copy(must, ran)
				}
			}
			if o.must[i] == nil {
				o.must[i], o.settled = slices.Clone(must), false
			} else if !slices.Equal(must, o.must[i]) {
				copy(o.must[i], must)
				o.settled = false
			}
		}
		if o.settled {
			return
		}
	}
}

// walkOrder lists the nodes that a run can come to, each after those that lead to it as far as there are no loops.
func walkOrder(out [][]int, entry int) []int {
	type visit struct{ node, next int }
	seen := newSet(len(out))
	seen.add(entry)
	var done []int
	for stack := []visit{{node: entry}}; len(stack) > 0; {
		top := &stack[len(stack)-1]
		if top.next == len(out[top.node]) {
			done = append(done, top.node)
			stack = stack[:len(stack)-1]
			continue
		}
		to := out[top.node][top.next]
		top.next++
		if !seen.has(to) {
			seen.add(to)
			stack = append(stack, visit{node: to})
		}
	}
	slices.Reverse(done)
	return done
}

// before says whether a node may have run, and whether it surely has, when another begins or, with after, has run itself.
func (o *order) before(giver, reader int, after bool) (may, must bool) {
	if !o.settled || o.must[reader] == nil || after && giver == reader {
		return true, true
	}
	return o.may[reader].has(giver), o.must[reader].has(giver)
}

// alternatives says whether every way to a node passes one of several others.
func (o *order) alternatives(givers []int, reader int) bool {
	seen, todo := newSet(len(o.into)), []int{reader}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen.has(i) {
			continue
		}
		seen.add(i)
		if i == o.entry {
			return false
		}
		for _, w := range o.into[i] {
			gave := w.after && slices.ContainsFunc(givers, func(g int) bool { return g == w.from || o.inside[w.from].has(g) })
			if o.may[w.from] != nil && !gave {
				todo = append(todo, w.from)
			}
		}
	}
	return true
}

// missing is a result that may not be there when it is read.
type missing struct {
	offset, giver int
}

// ran warns when the node that reads a result comes before it, and notes when it may be reached without it.
func (c *checker) ran(t expr.Term, id string, optional bool) {
	giver, reader := c.nodes[id], c.here.node
	if reader < 0 || c.quiet() {
		return
	}
	may, must := c.order.before(giver, reader, c.here.after)
	again, _ := c.order.before(reader, giver, false) // in a loop an earlier round may have given it
	switch {
	case !may:
		c.warn(c.here.at, t.Start, "never-there", fmt.Sprintf("'%s' has given nothing when this is read: on no way here has it finished", id), "read it in a step that comes after it")
	case !must && !optional && c.lenient == 0 && !again:
		c.missing = append(c.missing, missing{t.Start, giver})
	}
}

// sayMissing warns about the results that one text reads and that may not be there. Results of different ways that stand side by side in a
// text are alternatives: one of them is there.
func (c *checker) sayMissing(at place) {
	all := c.missing
	c.missing = nil
	if len(all) == 0 {
		return
	}
	var givers []int
	for _, m := range all {
		givers = append(givers, m.giver)
	}
	if len(all) > 1 && c.order.alternatives(givers, c.here.node) {
		return
	}
	for _, m := range all {
		c.warn(at, m.offset, "maybe-missing",
			fmt.Sprintf("'%s' may have given nothing when this is read: there is a way here that leaves it out", c.f.Nodes[m.giver].ID),
			`say what holds then, as in {{... | default("none")}}`)
	}
}
