package draftchart

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sluice/engine/flow"
)

// routing makes the routes of one node.
type routing struct {
	*lowering
	node  *flow.Node
	own   string // id of the node's own criterion; empty = it has none
	fails bool   // an edge is for a failure of the node itself
}

// routes gives a node its edges. Of several that hold the highest priority counts, and then all of them; questions to a model are asked one
// after the other until one holds.
func (l *lowering) routes(n *flow.Node, edges []RuntimeEdge, decisions []flow.Clause) {
	edges = slices.Clone(edges)
	slices.SortStableFunc(edges, func(a, b RuntimeEdge) int { return cmp.Compare(b.Priority, a.Priority) })
	r := routing{lowering: l, node: n, fails: slices.ContainsFunc(edges, func(e RuntimeEdge) bool { return e.Condition == onFailure })}
	if len(n.Criteria) > 0 {
		r.own = n.Criteria[0].ID
	}
	plain := outcomeOnly(edges, r.own != "")
	for _, c := range decisions {
		if slices.ContainsFunc(edges, func(e RuntimeEdge) bool { return e.decides(c.ID) }) {
			n.Criteria = append(n.Criteria, flow.Clause{ID: l.ids[c.ID], Text: c.Text})
		}
	}
	judged := len(n.Criteria) > 1 || len(n.Criteria) == 1 && r.own == ""
	for _, e := range edges {
		route := flow.Route{To: l.ids[e.Target], Label: e.Label, Priority: e.Priority}
		switch {
		case plain && e.verdicts[0].met:
			route.If, route.When = flow.IfOutcome, flow.OutcomeSuccess
		case plain:
			route.If, route.When = flow.IfOutcome, flow.OutcomeFailure
		case judged:
			route.When = r.judged(e)
			if route.When == "" {
				route.If = flow.IfAlways
			}
		default:
			route.If, route.When = simple(e)
		}
		r.onError(e)
		if route.When == never {
			continue
		}
		n.Routes = append(n.Routes, route)
		for _, id := range append([]string{e.ID}, e.drawn...) {
			l.show(id, flow.RouteEdge(n.ID, len(n.Routes)-1))
		}
	}
	questions := !slices.ContainsFunc(n.Routes, func(r flow.Route) bool { return r.If != flow.IfLLM })
	if len(n.Routes) > 1 && !questions || len(n.Routes) == 1 && n.Routes[0].If == flow.IfExpr {
		n.Policy = flow.PolicyPriority
	}
}

// show notes that an edge of the document is taken when the flow takes an edge.
func (l *lowering) show(edge, route string) {
	if !slices.Contains(l.shows[edge], route) {
		l.shows[edge] = append(l.shows[edge], route)
	}
}

// decides reports whether the edge is taken only after a decision.
func (e RuntimeEdge) decides(decision string) bool {
	return slices.ContainsFunc(e.verdicts, func(v verdict) bool { return v.decision == decision })
}

// outcomeOnly reports whether the edges are the two sides of one decision, so that the outcome of the node says all.
func outcomeOnly(edges []RuntimeEdge, judged bool) bool {
	return len(edges) > 0 && !slices.ContainsFunc(edges, func(e RuntimeEdge) bool {
		return len(e.verdicts) != 1 || e.verdicts[0].decision != edges[0].verdicts[0].decision || e.asks != "" ||
			e.Condition != onSuccess && (e.Condition != always || judged)
	})
}

// simple is the condition of an edge of a node without decisions.
func simple(e RuntimeEdge) (flow.Condition, string) {
	switch {
	case e.Condition == onSuccess:
		return flow.IfOutcome, flow.OutcomeSuccess
	case e.Condition == onFailure:
		return flow.IfOutcome, flow.OutcomeFailure
	case e.asks != "":
		return flow.IfLLM, e.asks
	case e.Condition == conditional && e.Expr != "":
		return flow.IfExpr, e.Expr
	default:
		return flow.IfAlways, ""
	}
}

// never marks an edge that cannot be taken.
const never = "false"

// judged is the condition of an edge of a node with decisions, as an expression over the verdicts; empty = always. Where the node has a
// criterion of its own and no edge for its failure, not to meet it counts as not to meet the first clause.
func (r routing) judged(e RuntimeEdge) string {
	var terms []string
	term := func(id string, met bool) string { return fmt.Sprintf(`state.verdicts["%s"] == %t`, id, met) }
	verdicts := e.verdicts
	joins := r.own != "" && !r.fails && e.Condition == onSuccess && len(verdicts) > 0 && !verdicts[0].met
	switch {
	case joins:
		terms = append(terms, "("+term(r.own, false)+" or "+term(r.ids[verdicts[0].decision], false)+")")
		verdicts = verdicts[1:]
	case e.Condition == onSuccess && r.own != "":
		terms = append(terms, term(r.own, true))
	case e.Condition == onFailure && r.own != "":
		terms = append(terms, term(r.own, false))
	case e.Condition == onFailure:
		return never
	case e.asks != "":
		terms = append(terms, term(r.ask(e), true))
	case e.Condition == conditional && e.Expr != "":
		terms = append(terms, "("+e.Expr+")")
	}
	for _, v := range verdicts {
		terms = append(terms, term(r.ids[v.decision], v.met))
	}
	return strings.Join(terms, " and ")
}

// ask makes the question about an edge one of the node's criteria.
func (r routing) ask(e RuntimeEdge) string {
	i := slices.IndexFunc(r.node.Criteria, func(c flow.Clause) bool { return c.Text == e.asks })
	if i >= 0 {
		return r.node.Criteria[i].ID
	}
	id := fmt.Sprintf("question-%d", len(r.node.Criteria))
	for slices.ContainsFunc(r.node.Criteria, func(c flow.Clause) bool { return c.ID == id }) {
		id += "-"
	}
	r.node.Criteria = append(r.node.Criteria, flow.Clause{ID: id, Text: e.asks})
	return id
}

// onError lets an edge for failures take technical errors, unless a decision lies on it.
func (r routing) onError(e RuntimeEdge) {
	if e.Condition != onFailure || len(e.verdicts) > 0 || len(r.node.OnError) > 0 {
		return
	}
	r.node.OnError = []flow.ErrorRoute{{Default: true, To: r.ids[e.Target]}}
	for _, id := range append([]string{e.ID}, e.drawn...) {
		r.show(id, flow.ErrorEdge(r.node.ID, 0))
	}
}
