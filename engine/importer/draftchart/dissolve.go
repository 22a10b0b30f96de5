package draftchart

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/naming"
)

// Dissolved is a draft without decision nodes, which only exist while a draft is discussed.
type Dissolved struct {
	Draft Draft               `json:"draft"`
	Map   map[string][]string `json:"flowchart_map"` // by node of Draft: the nodes of the original that it stands for
	// Problems say what could not be dissolved as it stands.
	Problems []string `json:"-"`
}

// Dissolve moves every decision into the nodes before it: its clause becomes one of their criteria, and its edges become theirs, under
// on_success and on_failure. The agents that nodes call are dissolved into them, too. keep names nodes that stay: those of a flowchart map,
// which says what is a node of the runtime graph. The draft is one that [Enrich] gave; it is not changed.
func Dissolve(d Draft, keep map[string]bool) Dissolved {
	out := Dissolved{Draft: d.clone(), Map: map[string][]string{}}
	for _, n := range d.Nodes {
		out.Map[n.ID] = []string{n.ID}
	}
	w := &out.Draft
	before := len(w.Nodes)
	moveAgents(w, keep)
	for _, id := range decisionsInOrder(*w, keep) {
		if problem := out.dissolve(id, keep); problem != "" {
			out.Problems = append(out.Problems, problem)
		}
	}
	out.dissolveAgents(keep)
	numberEdges(w)
	if len(w.Nodes) != before {
		listed := terminals(*w)
		w.TerminalNodes = nil
		w.TerminalNodes = union(listed, slices.DeleteFunc(terminals(*w), func(id string) bool { return len(w.from(id)) > 0 }))
	}
	return out
}

// decisionsInOrder lists the decisions, each after those that lead to it. Decisions on a circle follow in the order of the draft.
func decisionsInOrder(d Draft, keep map[string]bool) []string {
	left := []string{}
	waits := map[string]int{}
	after := map[string][]string{}
	for _, n := range d.Nodes {
		if n.FlowchartType == flow.TypeDecision && !keep[n.ID] {
			left, waits[n.ID] = append(left, n.ID), 0
		}
	}
	for _, e := range d.Edges {
		_, source := waits[e.Source]
		if _, target := waits[e.Target]; source && target && e.Source != e.Target {
			waits[e.Target]++
			after[e.Source] = append(after[e.Source], e.Target)
		}
	}
	var order []string
	for len(left) > 0 {
		i := max(0, slices.IndexFunc(left, func(id string) bool { return waits[id] == 0 }))
		id := left[i]
		left = slices.Delete(left, i, i+1)
		order = append(order, id)
		for _, next := range after[id] {
			waits[next]--
		}
	}
	return order
}

// sides are the edges of a decision: the one for yes, the one for no, and others. A missing edge has no target.
type sides struct {
	yes, no Edge
	others  []Edge
}

// sidesOf tells the edges of a decision apart. A label decides; the condition counts only where the label says nothing.
func sidesOf(out []Edge) sides {
	const unknown, yes, no = 0, 1, 2
	kinds := make([]int, len(out))
	for i, e := range out {
		switch strings.ToLower(strings.TrimSpace(e.Label)) {
		case "yes", "true", "pass":
			kinds[i] = yes
		case "no", "false", "fail":
			kinds[i] = no
		}
	}
	first := func(kind int) int { return slices.Index(kinds, kind) }
	for i, e := range out {
		switch {
		case kinds[i] != unknown:
		case e.Condition == onSuccess && first(yes) < 0:
			kinds[i] = yes
		case e.Condition == onFailure && first(no) < 0:
			kinds[i] = no
		}
	}
	y, n := first(yes), first(no)
	neither := y < 0 && n < 0
	if y < 0 && (neither || len(out) == 2) {
		if y = first(unknown); y >= 0 {
			kinds[y] = yes
		}
	}
	if n < 0 && (neither || len(out) == 2) {
		n = first(unknown)
	}
	var s sides
	for i, e := range out {
		switch i {
		case y:
			s.yes = e
		case n:
			s.no = e
		default:
			s.others = append(s.others, e)
		}
	}
	return s
}

// clauseOf is the question that a decision asks.
func clauseOf(n Node) string { return cmp.Or(n.DecisionClause, n.Description, n.Name, n.ID) }

// joined adds a clause to the criteria of a node.
func joined(criteria, clause string) string {
	if criteria == "" {
		return clause
	}
	return criteria + "; then evaluate: " + clause
}

// dissolve moves one decision into the nodes before it, and says what could not be done.
func (x *Dissolved) dissolve(id string, keep map[string]bool) string {
	d := &x.Draft
	n := *d.node(id)
	var before []string
	for _, e := range d.to(id) {
		if e.Source != id && !d.delegates(e) && !slices.Contains(before, e.Source) {
			before = append(before, e.Source)
		}
	}
	out := sidesOf(d.edges(func(e Edge) bool { return e.Source == id && e.Target != id && !d.delegates(e) }))
	if len(before) == 0 || id == d.EntryNode {
		d.ask(id, out)
		return ""
	}
	count := len(d.Edges) + len(before)*(2+len(out.others))
	if count > maxEdges {
		d.ask(id, out)
		return fmt.Sprintf("the decision '%s' stays: without it the graph has %d edges, and %d are allowed", id, count, maxEdges)
	}
	problem := ""
	for _, p := range before {
		if d.node(p).FlowchartType == flow.TypeDecision && p != d.EntryNode && !keep[p] {
			problem = fmt.Sprintf("the decisions '%s' and '%s' lead to each other in a circle", p, id)
		}
		x.Map[p] = union(x.Map[p], x.Map[id])
		node := d.node(p)
		node.SuccessCriteria = joined(node.SuccessCriteria, clauseOf(n))
	}
	delete(x.Map, id)
	edges, moved := make([]Edge, 0, len(d.Edges)), map[string]bool{}
	for _, e := range d.Edges {
		switch {
		case e.Source == id:
		case e.Target != id:
			edges = append(edges, e)
		case !moved[e.Source]:
			moved[e.Source] = true
			edges = append(edges, out.from(e.Source)...)
		}
	}
	d.Edges = edges
	d.Nodes = slices.DeleteFunc(d.Nodes, func(n Node) bool { return n.ID == id })
	return problem
}

// from gives the edges of a decision as those of a node before it.
func (s sides) from(source string) (edges []Edge) {
	add := func(e Edge, condition string) {
		e.ID, e.Source, e.Condition = "", source, condition
		if e.Target != "" && !slices.Contains(edges, e) {
			edges = append(edges, e)
		}
	}
	add(s.yes, onSuccess)
	add(s.no, onFailure)
	for _, e := range s.others {
		add(e, e.Condition)
	}
	return edges
}

// ask makes a decision with nothing before it a node that answers the question itself.
func (d *Draft) ask(id string, out sides) {
	n := d.node(id)
	n.SuccessCriteria = joined(n.SuccessCriteria, clauseOf(*n))
	n.paint(flow.TypeProcess)
	for i := range d.Edges {
		switch e := &d.Edges[i]; {
		case e.Source != id:
		case e.ID == out.yes.ID:
			e.Condition = onSuccess
		case e.ID == out.no.ID:
			e.Condition = onFailure
		}
	}
}

// moveAgents gives the agents of decisions to the nodes before them.
func moveAgents(d *Draft, keep map[string]bool) {
	for _, id := range slices.Backward(decisionsInOrder(*d, keep)) {
		n := d.node(id)
		if len(n.SubAgents) == 0 || id == d.EntryNode {
			continue
		}
		agents := n.SubAgents
		d.Edges = slices.DeleteFunc(d.Edges, d.delegates)
		n.SubAgents = []string{}
		for _, e := range d.to(n.ID) {
			p := d.node(e.Source)
			p.SubAgents = union(p.SubAgents, agents)
		}
		showAgents(d)
	}
}

// dissolveAgents leaves out the nodes that others call as their agents, unless they are kept.
func (x *Dissolved) dissolveAgents(keep map[string]bool) {
	d := &x.Draft
	gone := d.called()
	for id := range gone {
		gone[id] = !keep[id] && id != d.EntryNode
	}
	for _, n := range d.Nodes {
		for _, id := range n.SubAgents {
			if gone[id] && !gone[n.ID] {
				x.Map[n.ID] = union(x.Map[n.ID], []string{id})
			}
		}
	}
	for id := range gone {
		if gone[id] {
			delete(x.Map, id)
		}
	}
	d.Edges = slices.DeleteFunc(d.Edges, func(e Edge) bool { return gone[e.Source] || gone[e.Target] })
	d.Nodes = slices.DeleteFunc(d.Nodes, func(n Node) bool { return gone[n.ID] })
}

func union(list, more []string) []string {
	out, has := slices.Clone(list), make(map[string]bool, len(list)+len(more))
	for _, id := range list {
		has[id] = true
	}
	for _, id := range more {
		if !has[id] {
			out, has[id] = append(out, id), true
		}
	}
	return out
}

func quoted(ids []string) string { return naming.Quoted(ids, "and") }
