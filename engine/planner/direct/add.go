package direct

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/flow"
	"sluice/engine/planner/change"
	"sluice/engine/planner/english"
)

// The words that begin a step which people approve, answer or read.
var (
	approves  = regexp.MustCompile(`(?is)^ask (?:people |somebody )?(?:for (?:an )?approval|to approve)\s*[:,]?\s*(.*)$`)
	questions = regexp.MustCompile(`(?is)^ask\s*:\s*(.+)$`)
	messages  = regexp.MustCompile(`(?is)^(?:say|post)\s*:\s*(.+)$`)
)

// add puts a step before or after another one.
func (c *changing) add(n *flow.Node, m []string) error {
	steps := c.made(unquoted(strings.TrimSpace(m[3])))
	id, before := n.ID, strings.EqualFold(m[1], "before")
	if !before && len(n.Routes) > 1 {
		return change.Cannot("Several ways lead on from %s: say before which step the new one stands.", c.name(n))
	}
	for _, made := range steps {
		f := c.f.Clone()
		node := made.node
		if made.agent != nil {
			f.Agents = append(f.Agents, *made.agent)
		}
		switch at := f.Node(id); {
		case before:
			for i := range f.Nodes {
				lead(&f.Nodes[i], id, node.ID)
			}
			node.Routes = ways(&node, id)
		case len(at.Routes) == 0 || at.Routes[0].To == flow.End:
			at.Routes = ways(at, node.ID)
		default:
			node.Routes = ways(&node, at.Routes[0].To)
			at.Routes[0].To = node.ID
		}
		f.Nodes = append(f.Nodes, node)
		c.alternatives(f)
	}
	c.change.Said = fmt.Sprintf("“%s” is done %s %s.", steps[0].node.DisplayName(), strings.ToLower(m[1]), c.name(n))
	return nil
}

// alternatives adds a flow, and the flow with the conditions that other formats have for a way that is always taken.
func (c *changing) alternatives(f *flow.Flow) {
	var all []*flow.Flow
	with := func(f *flow.Flow, edit func(n, was *flow.Node)) {
		f = f.Clone()
		for i := range f.Nodes {
			edit(&f.Nodes[i], c.f.Node(f.Nodes[i].ID))
		}
		all = append(all, f)
	}
	for _, always := range []flow.Route{{}, {If: flow.IfAlways}, {If: flow.IfOutcome, When: flow.OutcomeSuccess}} {
		with(f, func(n, was *flow.Node) {
			for k := range n.Routes {
				if r := &n.Routes[k]; r.Default() && (was == nil || len(was.Routes) == 0) {
					r.If, r.When = always.If, always.When
				}
			}
		})
	}
	with(f, func(n, was *flow.Node) { // where the answer is read in an expression
		if was == nil && n.Kind == flow.KindApproval && len(n.Routes) > 0 {
			n.Routes[0].If, n.Routes[0].When = flow.IfExpr, fmt.Sprintf("approvals.%s == '%s'", n.ID, n.Routes[0].When)
		}
	})
	for _, f := range slices.Clone(all) { // where steps have no names
		with(f, func(n, was *flow.Node) {
			if was == nil {
				n.Name = ""
			}
		})
	}
	c.change.Flows = append(c.change.Flows, all...)
}

// ways leads a new step on.
func ways(n *flow.Node, to string) []flow.Route {
	if s, asks := n.Spec.(*flow.ApprovalSpec); asks {
		return []flow.Route{{If: flow.IfHandle, When: s.Choices[0], To: to}}
	}
	return []flow.Route{{To: to}}
}

// made is a new step.
type made struct {
	node  flow.Node
	agent *flow.Agent
}

// made makes the steps that words may mean, the likeliest first: an approval, a question or a message where they say so, else what an agent
// does. Formats without questions and messages have agents for them.
func (c *changing) made(said string) (all []made) {
	plain := func(kind flow.Kind, said string, spec flow.Spec) made {
		name := short(said)
		return made{node: flow.Node{ID: c.free(flow.Slug(name)), Name: name, Kind: kind, Spec: spec}}
	}
	if m := approves.FindStringSubmatch(said); m != nil {
		s := &flow.ApprovalSpec{Message: cmp.Or(m[1], "May this go on?"), Choices: []string{"approve", "reject"}}
		return []made{{node: flow.Node{ID: c.free("approval"), Kind: flow.KindApproval, Spec: s}}}
	}
	if m := questions.FindStringSubmatch(said); m != nil {
		all = append(all, plain(flow.KindAsk, m[1], &flow.AskSpec{Message: m[1]}))
	} else if m := messages.FindStringSubmatch(said); m != nil {
		all = append(all, plain(flow.KindSay, m[1], &flow.SaySpec{Message: m[1]}))
	}
	does := plain(flow.KindAgent, said, nil)
	does.node.Spec, does.agent = &flow.AgentSpec{Agent: does.node.ID}, &flow.Agent{ID: does.node.ID, Instructions: said}
	return append(all, does)
}

// short gives the first few words, as a name.
func short(said string) string {
	if all := strings.Fields(said); len(all) > nameWords {
		said = strings.Join(all[:nameWords], " ")
	}
	return strings.TrimRight(english.SentenceCase(said), ".,:;!?")
}

const nameWords = 4 // of the name that a new step gets

// free is an id that no node and no agent has.
func (c *changing) free(base string) string {
	if base == "" || base == flow.End {
		base = "step"
	}
	id := base
	for k := 2; c.f.Node(id) != nil || c.f.AgentByID(id) != nil; k++ {
		id = fmt.Sprintf("%s-%d", base, k)
	}
	return id
}

// lead lets the ways of a node that lead to one target lead to another.
func lead(n *flow.Node, from, to string) {
	for _, way := range n.Ways() {
		if *way == from {
			*way = to
		}
	}
}
