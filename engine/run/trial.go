package run

import (
	"encoding/json"
	"slices"

	"sluice/engine/expr"
	"sluice/engine/flow"
)

// Trial stands in for what is not known when a flow is only tried out (room engine/try): Context.Trial. Decide then tells it what
// expressions read, and lets it decide where a value decides that nobody vouches for.
//
// What is made from a doubtful value is doubtful too: Decision.Doubted names the facts. A doubtful value never breaks an
// expression: the true one might not.
type Trial interface {
	// Doubtful reports whether nobody vouches for what is read: it was made up, is not known, or may be missing.
	Doubtful(r Read) bool
	// Choose picks one of the ways on from a token's node that a doubtful value leaves open; there are at least two.
	Choose(t Token, ways []Way) int
	// Items says how many items of a list are let in, at most; what is left out makes the rest doubtful.
	Items(t Token, items int) int
}

// Read is what an expression looks at.
type Read struct {
	What ReadKind
	Name string // of the node, variable or input; empty = any of them
	Seq  int64  // of an output: the fact that holds it, 0 = there is none
}

// ReadKind says what kind of thing is read.
type ReadKind string

// What can be read.
const (
	ReadOutput   ReadKind = "output"
	ReadBare     ReadKind = "bare"   // a field of the latest agent answer
	ReadAnswer   ReadKind = "answer" // what was chosen at a gate
	ReadDetail   ReadKind = "detail" // what else an approval holds: the note, by whom, the form
	ReadVariable ReadKind = "variable"
	ReadInput    ReadKind = "input"
	ReadEvent    ReadKind = "event"
)

// Way is one way on from a node. A way without an edge lets the path end, or lets no item in.
type Way struct{ Edge, To string }

// read takes note of what an expression looks at.
func (m *machine) read(r Read) {
	if m.c.Trial == nil || m.doubt {
		return
	}
	m.doubt = m.c.Trial.Doubtful(r) || r.Seq != 0 && slices.Contains(m.doubted, r.Seq) || r.What == ReadVariable && m.doubtsVariable(r.Name)
}

// doubtsVariable reports whether this decision has set a variable to something doubtful.
func (m *machine) doubtsVariable(name string) bool {
	return slices.ContainsFunc(m.facts, func(f Fact) bool {
		b, ok := f.Body.(*VarsSet)
		if !ok || !slices.Contains(m.doubted, f.Seq) {
			return false
		}
		_, set := b.Vars[name]
		return set || name == ""
	})
}

// tryChoose is choose where values may be doubtful: every route up to the first that certainly matches is open.
func (m *machine) tryChoose(n *node, t Token) (choice, *NodeError) {
	if n.Policy != flow.PolicyFirst {
		return m.trySeveral(n, t)
	}
	base := choice{seen: seen{}}
	s := base.seen
	sc := &scope{m: m, t: t, own: n.ID}
	routes := n.ordered()
	var open []choice
	if n.Kind == flow.KindDecision {
		var sure bool
		if open, sure = m.tryLiterals(n, sc, base, routes); sure {
			return open[0], nil
		}
		routes = slices.DeleteFunc(routes, func(r *route) bool { return r.literal })
	}
	closed := false
	for _, r := range routes {
		m.doubt = false
		ok, nerr := m.matches(n, sc, r, &base)
		if nerr != nil {
			if len(open) == 0 {
				return choice{seen: s}, nerr
			}
			break
		}
		if ok || m.doubt {
			open = append(open, base.with(r))
		}
		if closed = ok && !m.doubt; closed {
			break
		}
	}
	m.doubt = false
	if !closed {
		open = append(open, choice{seen: s})
	}
	if r := m.toExecutor(n); r != nil && n.external() && !slices.ContainsFunc(open, func(c choice) bool { return c.leads(r) }) {
		open = append(open, base.with(r)) // the agent may ask for tools first
	}
	return open[m.pick(t, open)], nil
}

// tryLiterals compares the bare literals of a decision: all are open when its value is doubtful, else the first that it equals is sure.
func (m *machine) tryLiterals(n *node, sc *scope, base choice, routes []*route) (open []choice, sure bool) {
	m.doubt = false
	value := m.decided(sc.t)
	doubt := m.doubt
	n.saw(sc, base.seen, value)
	for _, r := range routes {
		switch {
		case !r.literal:
		case doubt:
			open = append(open, base.with(r))
		case expr.EqualLiteral(value, r.When):
			return []choice{base.with(r)}, true
		}
	}
	return open, false
}

func (c choice) leads(r *route) bool {
	return slices.ContainsFunc(c.ways, func(w way) bool { return w.route == r })
}

// with is a choice of one route, by the same values.
func (c choice) with(r *route) choice { return choice{ways: []way{{r, r.words()}}, seen: c.seen} }

// trySeveral is choose under a policy that takes several routes: each that a doubtful value leaves open is taken or not.
func (m *machine) trySeveral(n *node, t Token) (choice, *NodeError) {
	c := choice{seen: seen{}}
	sc := &scope{m: m, t: t, own: n.ID}
	var defaults []*route
	for _, r := range n.ordered() {
		if r.Default() {
			defaults = append(defaults, r)
			continue
		}
		m.doubt = false
		ok, nerr := m.tryMatches(n, sc, r, &c)
		switch {
		case nerr != nil:
			return c, nerr
		case m.doubt:
			ok = m.c.Trial.Choose(t, []Way{{r.edge, r.To}, {}}) == 0
		}
		if ok {
			c.take(r, r.words())
		}
	}
	m.doubt = false
	if n.Policy == flow.PolicyPriority {
		c.highest()
	}
	if len(c.ways) == 0 {
		for _, r := range defaults {
			c.take(r, r.words())
		}
	}
	return c, nil
}

// tryMatches is matches for the literals of a decision as well.
func (m *machine) tryMatches(n *node, sc *scope, r *route, c *choice) (bool, *NodeError) {
	if r.literal {
		return expr.EqualLiteral(m.decided(sc.t), r.When), nil
	}
	return m.matches(n, sc, r, c)
}

// pick asks which of several open ways to go.
func (m *machine) pick(t Token, open []choice) int {
	if len(open) == 1 {
		return 0
	}
	ways := make([]Way, len(open))
	for i, c := range open {
		if len(c.ways) > 0 {
			ways[i] = Way{c.ways[0].edge, c.ways[0].To}
		}
	}
	return m.c.Trial.Choose(t, ways)
}

// tryList is the list of a foreach where it may be doubtful: then there may be no items, or at least one that nobody knows.
func (m *machine) tryList(t Token, spec *flow.ForeachSpec, list []json.RawMessage) []json.RawMessage {
	if m.doubt {
		if m.c.Trial.Choose(t, []Way{{flow.BodyEdge(t.Node), spec.Body}, {}}) == 1 {
			return nil
		}
		if len(list) == 0 {
			list = []json.RawMessage{json.RawMessage("null")}
		}
	}
	if most := m.c.Trial.Items(t, len(list)); most < len(list) {
		m.doubt, list = true, list[:most]
	}
	return list
}

// triedInputs are the inputs, read one by one so that each can be doubted.
type triedInputs struct {
	m      *machine
	values map[string]any
}

// Member reads one input.
func (in triedInputs) Member(name string) any {
	in.m.read(Read{What: ReadInput, Name: name})
	return in.values[name]
}

// Plain reads them all.
func (in triedInputs) Plain() any {
	in.m.read(Read{What: ReadInput})
	return in.values
}

// Giver names what gives a node's value from outside: its kind, with the tool or agent. It is "" for what the machine computes by
// itself or people answer.
func Giver(n *flow.Node) string {
	switch s := n.Spec.(type) {
	case *flow.ToolSpec:
		return string(n.Kind) + " " + s.Tool
	case *flow.AgentSpec:
		return string(n.Kind) + " " + s.Agent
	}
	if (&node{Node: n}).acts() {
		return string(n.Kind)
	}
	return ""
}
