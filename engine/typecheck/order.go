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

func (s set) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }

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
	may      []set // on some way there
	must     []set // on every way there; nil = no way leads there
	dangling map[string]bool
	settled  bool
	entry    int
	into     [][]way
}

// way is an edge by index: what it adds to what has run at its start.
type way struct {
	from int
	adds set
}

// maxRounds bounds how often loops are gone around until nothing changes. A flow that needs more is not looked at.
const maxRounds = 20

func newOrder(f *flow.Flow, index map[string]int) *order {
	o := &order{dangling: map[string]bool{}, may: make([]set, len(f.Nodes)), must: make([]set, len(f.Nodes))}
	entry, ok := index[f.Entry]
	if !ok || f.Profile != flow.ProfileNative || len(f.Nodes) > flow.MaxNodes {
		return o
	}
	out := make([][]int, len(f.Nodes))
	for i := range f.Nodes {
		for _, e := range f.Nodes[i].Edges() {
			if to, ok := index[e.To]; ok {
				out[i] = append(out[i], to)
			} else if e.To != flow.End {
				o.dangling[e.To] = true
			}
		}
	}
	into, nodes := make([][]way, len(f.Nodes)), walkOrder(out, entry)
	var ahead []set
	for i := range f.Nodes {
		ran := newSet(len(f.Nodes))
		ran.add(i)
		for _, head := range heads(&f.Nodes[i], index) {
			if ahead == nil {
				ahead = reach(out, nodes)
			}
			ran.addAll(ahead[head])
		}
		for _, e := range f.Nodes[i].Edges() {
			if to, ok := index[e.To]; ok {
				w := way{from: i}
				if e.Kind == flow.EdgeRoute {
					w.adds = ran
				}
				into[to] = append(into[to], w)
			}
		}
	}
	o.entry, o.into = entry, into
	o.settle(nodes)
	return o
}

// heads are the nodes where branches, or the body of a loop, begin.
func heads(n *flow.Node, index map[string]int) []int {
	var all []int
	for _, e := range n.Edges() {
		if to, ok := index[e.To]; ok && (e.Kind == flow.EdgeBranch || e.Kind == flow.EdgeBody) {
			all = append(all, to)
		}
	}
	return all
}

// reach gives for each node those that can be reached from it, itself included. nodes are in walking order.
func reach(out [][]int, nodes []int) []set {
	all := make([]set, len(out))
	for i := range all {
		all[i] = newSet(len(out))
		all[i].add(i)
	}
	for range maxRounds {
		settled := true
		for _, i := range slices.Backward(nodes) {
			before := slices.Clone(all[i])
			for _, to := range out[i] {
				all[i].addAll(all[to])
			}
			settled = settled && slices.Equal(before, all[i])
		}
		if settled {
			break
		}
	}
	return all
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

// settle goes over the nodes until nothing changes.
func (o *order) settle(nodes []int) {
	for _, i := range nodes {
		o.may[i] = newSet(len(o.into))
	}
	o.must[o.entry] = newSet(len(o.into))
	for range maxRounds {
		o.settled = true
		for _, i := range nodes {
			may, must := slices.Clone(o.may[i]), o.at(i)
			if !slices.Equal(may, o.may[i]) || !slices.Equal(must, o.must[i]) {
				o.must[i], o.settled = must, false
			}
		}
		if o.settled {
			return
		}
	}
}

// at adds to what may have run at a node, and gives what must have run.
func (o *order) at(i int) set {
	var must set
	if i == o.entry {
		must = newSet(len(o.into))
	}
	for _, w := range o.into[i] {
		if o.may[w.from] == nil {
			continue
		}
		o.may[i].addAll(o.may[w.from])
		o.may[i].addAll(w.adds)
		if o.must[w.from] == nil {
			continue
		}
		ran := slices.Clone(o.must[w.from])
		ran.addAll(w.adds)
		if must == nil {
			must = ran
		} else {
			must.keep(ran)
		}
	}
	return must
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
			gave := w.adds != nil && slices.ContainsFunc(givers, w.adds.has)
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
