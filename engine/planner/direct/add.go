package direct

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sluice/engine/flow"
)

// asks are the words that begin a step which people answer.
var asks = regexp.MustCompile(`(?is)^ask (?:people |somebody |someone )?(?:for (?:an )?approval|to approve)\s*[:,]?\s*(.*)$`)

// add puts a step before or after another one.
func (c *changing) add(m []string) error {
	n, err := c.step(m[2])
	if err != nil {
		return err
	}
	made := c.made(strings.TrimSpace(m[3]))
	id, before := n.ID, strings.EqualFold(m[1], "before")
	if !before && len(n.Routes) > 1 {
		return cannot("Several ways lead on from %s: say before which step the new one stands.", c.name(n))
	}
	c.also(func(f *flow.Flow) {
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
	})
	c.alternatives()
	c.change.Said = fmt.Sprintf("“%s” is done %s %s.", made.node.Name, strings.ToLower(m[1]), c.name(n))
	return nil
}

// alternatives adds the flow with the conditions that other formats have for a way that is always taken.
func (c *changing) alternatives() {
	for _, always := range []flow.Route{{If: flow.IfAlways}, {If: flow.IfOutcome, When: flow.OutcomeSuccess}} {
		first := c.change.Flows[0].Clone()
		for i := range first.Nodes {
			for k := range first.Nodes[i].Routes {
				r := &first.Nodes[i].Routes[k]
				if was := c.f.Node(first.Nodes[i].ID); r.Default() && (was == nil || len(was.Routes) == 0) {
					r.If, r.When = always.If, always.When
				}
			}
		}
		c.change.Flows = append(c.change.Flows, first)
	}
	approvals := c.change.Flows[0].Clone() // where the answer is read in an expression
	for i := range approvals.Nodes {
		n := &approvals.Nodes[i]
		if _, asks := n.Spec.(*flow.ApprovalSpec); asks && c.f.Node(n.ID) == nil && len(n.Routes) > 0 {
			n.Routes[0].If, n.Routes[0].When = flow.IfExpr, fmt.Sprintf("approvals.%s == '%s'", n.ID, n.Routes[0].When)
		}
	}
	c.change.Flows = append(c.change.Flows, approvals)
	for _, f := range slices.Clone(c.change.Flows) { // where steps have no names
		f = f.Clone()
		for i := range f.Nodes {
			if c.f.Node(f.Nodes[i].ID) == nil {
				f.Nodes[i].Name = ""
			}
		}
		c.change.Flows = append(c.change.Flows, f)
	}
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

// made makes a step of words: an approval, or what an agent does.
func (c *changing) made(said string) made {
	said = unquoted(said)
	if m := asks.FindStringSubmatch(said); m != nil {
		id := c.free("approval")
		message := m[1]
		if message == "" {
			message = "May this go on?"
		}
		return made{node: flow.Node{ID: id, Kind: flow.KindApproval, Spec: &flow.ApprovalSpec{Message: message, Choices: []string{"approve", "reject"}}}}
	}
	name := said
	if all := strings.Fields(said); len(all) > nameWords {
		name = strings.Join(all[:nameWords], " ")
	}
	name = strings.TrimRight(sentence(name), ".,:;")
	id := c.free(flow.Slug(name))
	return made{flow.Node{ID: id, Name: name, Kind: flow.KindAgent, Spec: &flow.AgentSpec{Agent: id}}, &flow.Agent{ID: id, Instructions: said}}
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
