package direct

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/flow"
)

// The words that begin a step which people approve, answer or read.
var (
	approves  = regexp.MustCompile(`(?is)^ask (?:people |somebody |someone )?(?:for (?:an )?approval|to approve)\s*[:,]?\s*(.*)$`)
	questions = regexp.MustCompile(`(?is)^ask(?: people| somebody| someone)?\s*:\s*(.+)$`)
	messages  = regexp.MustCompile(`(?is)^(?:say|post|tell (?:people|them|everybody|everyone))\s*:\s*(.+)$`)
)

// add puts a step before or after another one.
func (c *changing) add(m []string) error {
	n, err := c.step(m[2])
	if err != nil {
		return err
	}
	steps := c.made(unquoted(strings.TrimSpace(m[3])))
	id, before := n.ID, strings.EqualFold(m[1], "before")
	if !before && len(n.Routes) > 1 {
		return cannot("Several ways lead on from %s: say before which step the new one stands.", c.name(n))
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
				retarget(&f.Nodes[i], func(to string) string {
					if to == id {
						return node.ID
					}
					return to
				})
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
	all := []*flow.Flow{f}
	for _, always := range []flow.Route{{If: flow.IfAlways}, {If: flow.IfOutcome, When: flow.OutcomeSuccess}} {
		first := f.Clone()
		for i := range first.Nodes {
			for k := range first.Nodes[i].Routes {
				r := &first.Nodes[i].Routes[k]
				if was := c.f.Node(first.Nodes[i].ID); r.Default() && (was == nil || len(was.Routes) == 0) {
					r.If, r.When = always.If, always.When
				}
			}
		}
		all = append(all, first)
	}
	approvals := f.Clone() // where the answer is read in an expression
	for i := range approvals.Nodes {
		n := &approvals.Nodes[i]
		if _, asks := n.Spec.(*flow.ApprovalSpec); asks && c.f.Node(n.ID) == nil && len(n.Routes) > 0 {
			n.Routes[0].If, n.Routes[0].When = flow.IfExpr, fmt.Sprintf("approvals.%s == '%s'", n.ID, n.Routes[0].When)
		}
	}
	all = append(all, approvals)
	for _, f := range slices.Clone(all) { // where steps have no names
		f = f.Clone()
		for i := range f.Nodes {
			if c.f.Node(f.Nodes[i].ID) == nil {
				f.Nodes[i].Name = ""
			}
		}
		all = append(all, f)
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
	return strings.TrimRight(sentence(said), ".,:;!?")
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

// retarget changes where a node leads.
func retarget(n *flow.Node, lead func(to string) string) {
	for i := range n.Routes {
		n.Routes[i].To = lead(n.Routes[i].To)
	}
	for i := range n.OnError {
		n.OnError[i].To = lead(n.OnError[i].To)
	}
	branches := n.Branches() // those of the node itself
	for i := range branches {
		branches[i].To = lead(branches[i].To)
	}
	switch s := n.Spec.(type) {
	case *flow.LoopSpec:
		s.Body = lead(s.Body)
	case *flow.ForeachSpec:
		s.Body = lead(s.Body)
	}
}
