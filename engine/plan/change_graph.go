package plan

import (
	"regexp"
	"slices"

	"sluice/engine/flow"
)

// wayOut is where the one way out of a step leads: what it does goes on there. Ways that end the run do not count beside it.
func (c *change) wayOut(s segment) (string, error) {
	var targets []string
	ends := 0
	for _, id := range s.ids {
		for _, r := range c.next.Node(id).Routes {
			switch {
			case r.To == flow.End:
				ends++
			case !slices.Contains(s.ids, r.To) && !slices.Contains(targets, r.To):
				targets = append(targets, r.To)
			}
		}
	}
	switch {
	case len(targets) == 1:
		return targets[0], nil
	case len(targets) > 1:
		return "", cannot("Step %d leads to more than one other step, so words do not say which way is meant; say it in the file.", s.number)
	case ends == 1:
		return flow.End, nil
	case ends == 0:
		return "", cannot("Behind step %d nothing goes on.", s.number)
	}
	return "", cannot("Step %d ends in more than one way, so words do not say which is meant; say it in the file.", s.number)
}

// lead lets the ways of some nodes that led to one place lead to another.
func (c *change) lead(ids []string, from, to string) {
	for _, id := range ids {
		routes := c.next.Node(id).Routes
		for i := range routes {
			if routes[i].To == from {
				routes[i].To = to
			}
		}
	}
}

// redirect lets everything that led to one node lead to another.
func (c *change) redirect(from, to string) {
	set := func(target *string) {
		if *target == from {
			*target = to
		}
	}
	set(&c.next.Entry)
	set(&c.next.OnLimit.To)
	for i := range c.next.Nodes {
		n := &c.next.Nodes[i]
		for k := range n.Routes {
			set(&n.Routes[k].To)
		}
		for k := range n.OnError {
			set(&n.OnError[k].To)
		}
		switch spec := n.Spec.(type) {
		case *flow.ParallelSpec:
			for k := range spec.Branches {
				set(&spec.Branches[k].To)
			}
		case *flow.ForeachSpec:
			set(&spec.Body)
		}
	}
}

// free says where a step leads that may be taken out: nothing leads into the middle of it, and no other step reads what it gives.
func (c *change) free(s segment) (string, error) {
	out, err := c.wayOut(s)
	if err != nil {
		return "", err
	}
	rest := c.next.Clone()
	rest.Nodes = slices.DeleteFunc(rest.Nodes, func(n flow.Node) bool { return slices.Contains(s.ids, n.ID) })
	for i := range rest.Nodes {
		for _, e := range rest.Nodes[i].Edges() {
			if e.To != s.head() && slices.Contains(s.ids, e.To) {
				return "", cannot("Another step leads into the middle of step %d; say it in the file.", s.number)
			}
		}
	}
	written := flow.Canonical(rest)
	for _, id := range s.ids {
		name := regexp.QuoteMeta(id)
		if regexp.MustCompile(`\b(?:nodes|approvals)\.` + name + `\b|\b` + name + `\.[A-Za-z_]`).Match(written) {
			return "", cannot("Other steps read what step %d gives; say it in the file.", s.number)
		}
	}
	return out, nil
}

// takeOut removes the nodes of a step: what led to it leads to another place.
func (c *change) takeOut(s segment, to string) {
	c.redirect(s.head(), to)
	c.next.Nodes = slices.DeleteFunc(c.next.Nodes, func(n flow.Node) bool { return slices.Contains(s.ids, n.ID) })
}

// build makes the nodes of words that stand at a step, or after it, in a graph of their own. It gives the first of them and the ways
// out.
func (c *change) build(s segment, words string, after bool) (entry string, exits []exit, err error) {
	for i := range c.next.Nodes {
		c.taken[c.next.Nodes[i].ID] = true
	}
	for n, ids := range c.numbers {
		c.heads[n] = ids[0]
	}
	all := c.read(Outline{Lines: []Line{{Number: s.number, Text: words}}})
	if c.when != "" {
		return "", nil, cannot("When the flow starts by itself is said in the file, under triggers.")
	}
	c.targets = targets(all)
	exits, _ = c.list(all, []exit{start}, c.known(s, after), context{})
	for _, n := range c.notes {
		if n.Blocks {
			return "", nil, &ChangeError{n.Text}
		}
	}
	if lost := c.land(); len(lost) > 0 {
		return "", nil, cannot("There is no step %d; the picture shows the numbers.", lost[0].line)
	}
	if c.nothing || len(c.flow.Nodes) == 0 {
		return "", nil, cannot("There is no step in %s.", quote(tidy(words)))
	}
	return c.flow.Entry, exits, nil
}

// known lists the results that are there on every way to a step, or past it.
func (c *change) known(s segment, after bool) known {
	var k known
	whole := &builder{graph: &graph{flow: c.next}}
	for i := range c.next.Nodes {
		n := &c.next.Nodes[i]
		spec, ok := n.Spec.(*flow.ToolSpec)
		if !ok || n.ID == s.head() && !after || n.ID != s.head() && whole.avoids(n.ID, s.head()) {
			continue
		}
		at := slices.IndexFunc(c.cat.entries, func(e entry) bool { return e.tool.Name == spec.Tool && e.message == nil })
		if at < 0 {
			continue
		}
		e := c.cat.entries[at]
		k = k.with(source{node: n.ID, root: n.ID + ".result", fields: fieldsOf(e.tool.Result), about: append(slices.Clone(e.name), flatten(e.phrases)...)})
	}
	return k
}

// splice puts the new nodes into the flow, beside a step, and lets their ways out lead on.
func (c *change) splice(s segment, exits []exit, to string, before bool) {
	c.connect(exits, to)
	at := slices.IndexFunc(c.next.Nodes, func(n flow.Node) bool { return n.ID == s.head() })
	if !before {
		at++
	}
	c.next.Nodes = slices.Insert(c.next.Nodes, at, c.flow.Nodes...)
	for _, in := range c.inputs {
		if !slices.ContainsFunc(c.next.Inputs, func(has flow.Input) bool { return has.Name == in.Name }) {
			c.next.Inputs = append(c.next.Inputs, in)
		}
	}
}
