package enginetest

import (
	"sluice/engine/flow"
)

// rules sets what other formats do differently in the flow as a whole.
func (g *generator) rules() {
	if !g.shape.Foreign {
		return
	}
	g.flow.Profile = "generated" // ways may lead nowhere
	if !g.shape.Acyclic {
		g.flow.MaxVisits = 100 // tokens multiply, and so does what a test costs
	}
	g.flow.Rules.PauseAll = g.chance(30)
	if !g.shape.Ordered && g.chance(30) {
		g.flow.Rules.Visits = 2 + g.r.IntN(4)
	}
}

// several makes a node whose routes are taken at the same time. Under the policy all what they lead to runs once for each of
// them, in the order in which they come: that is for flows whose order does not count.
func (g *generator) several(size int, next string, depth int) string {
	policy := flow.PolicyPriority
	if !g.shape.Ordered && g.chance(50) {
		policy = flow.PolicyAll
	}
	ways := 2 + g.r.IntN(2)
	var routes []flow.Route
	g.open++
	next = g.block(max(size/3, 1), next, depth)
	for range ways {
		to := g.block(max(size/(ways+1), 1), next, depth+1)
		r := g.foreignRoute(to)
		if g.chance(60) {
			r.If, r.When = flow.IfAlways, ""
		}
		routes = append(routes, r)
	}
	g.open--
	if g.chance(40) {
		routes = append(routes, flow.Route{To: next})
	}
	id := g.add(flow.KindTool, &flow.ToolSpec{Tool: "t.act", Effects: g.effects()}, "")
	n := g.node(id)
	n.Policy, n.Routes = policy, routes
	if g.chance(30) {
		n.NoMatch = flow.NoMatchBlock
	}
	return id
}

// foreignRoutes gives a node conditions of other formats before the ones that it has.
func (g *generator) foreignRoutes(n *flow.Node) {
	for range 1 + g.r.IntN(2) {
		r := g.foreignRoute(flow.End)
		if r.If == flow.IfAlways {
			continue
		}
		n.Routes = append([]flow.Route{r}, n.Routes...)
	}
	if g.chance(40) {
		n.Criteria = []flow.Clause{{ID: "q1", Text: "Is it good?"}, {ID: "q2", Text: "Is it all?"}}
	}
	if !g.shape.Acyclic && g.open == 0 && g.chance(40) {
		n.NoMatch = flow.NoMatchCaller
		n.Routes = n.Routes[:max(len(n.Routes)-1, 0)]
	}
}

func (g *generator) foreignRoute(to string) flow.Route {
	word := []string{"left", "right", "t.act"}[g.r.IntN(3)]
	r := flow.Route{To: to, Priority: g.r.IntN(3)}
	switch g.r.IntN(10) {
	case 0:
		r.If, r.When = flow.IfOutcome, flow.OutcomeSuccess
	case 1:
		r.If, r.When = flow.IfOutcome, flow.OutcomeFailure
	case 2:
		r.If, r.When = flow.IfNext, word
	case 3:
		r.If, r.When = flow.IfTool, word
	case 4:
		r.If, r.When = flow.IfHandle, word
	case 5:
		r.If, r.When = flow.IfEquals, "5"
	case 6:
		r.When = g.condition("")
	case 7:
		r.If, r.When = flow.IfLLM, "Is it so?"
	case 8:
		r.When = "state.verdicts.q1 and state.next != 'left'"
	default:
		r.If = flow.IfAlways
	}
	return r
}
