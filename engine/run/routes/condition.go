package routes

import (
	"regexp"
	"slices"
	"strings"

	"sluice/engine/expr"
	"sluice/engine/flow"
	"sluice/engine/history"
	"sluice/engine/run/compile"
	"sluice/engine/run/scope"
)

// conditionHolds tells whether a condition of another format holds.
func conditionHolds(rd *scope.Reader, n *compile.Node, t history.Token, r *compile.Route, c *Choice) bool {
	if r.If != flow.IfAlways {
		rd.Note(scope.Read{What: scope.ReadOutput, Name: n.ID, Seq: t.Done})
	}
	switch r.If {
	case flow.IfAlways:
		return true
	case flow.IfOutcome:
		got := outcomeOf(n, t)
		rd.Unknown = rd.Unknown || rd.Trial != nil && len(n.Criteria) > 0
		c.Seen["outcome"] = got
		return got == r.When
	case flow.IfNext:
		c.Seen["state.next"] = t.Next
		return t.Next == r.When || strings.EqualFold(t.Next, r.When) && !n.Names(t.Next)
	case flow.IfTool:
		c.Seen["state.tool"] = t.Tool
		return t.Tool == r.When
	case flow.IfHandle:
		got := handleOf(rd, n, t)
		c.Seen["handle"] = n.Masked(got)
		return got == r.When
	case flow.IfEquals:
		value := rd.StepValue(n, t)
		c.Seen["value"] = scope.Short(value)
		return expr.EqualLiteral(value, r.When)
	case flow.IfLLM:
		met, known := t.Verdicts[r.Edge]
		if rd.Trial != nil {
			rd.Unknown = true
		} else if !known {
			c.Asks = n.OpenRoutes(t)
		}
		c.Seen[r.When] = met
		return met
	}
	return false
}

// outcomeOf says whether the finished step met its criteria.
func outcomeOf(n *compile.Node, t history.Token) string {
	if t.Failed || criterionFailed(n, t) {
		return flow.OutcomeFailure
	}
	return flow.OutcomeSuccess
}

// handleOf is the way out that the finished step chose: what its output says, else a person's choice, else a decision's value.
func handleOf(rd *scope.Reader, n *compile.Node, t history.Token) string {
	if t.Handle != "" {
		return t.Handle
	}
	if n.Question() != nil {
		rd.Note(scope.Read{What: scope.ReadAnswer, Name: n.ID})
		a, _ := scope.ApprovalSeen(rd.State, &t, n.ID)
		return a.Choice
	}
	if n.Kind == flow.KindDecision {
		return expr.Text(rd.DecisionValue(t))
	}
	return ""
}

// criterionFailed reports whether a criterion is not met.
func criterionFailed(n *compile.Node, t history.Token) bool {
	return slices.ContainsFunc(n.Criteria, func(c flow.Clause) bool { return !t.Verdicts[c.ID] })
}

// routeNamesTimeout reports whether a route is written for a gate that nobody answered.
func routeNamesTimeout(r *compile.Route) bool {
	switch {
	case r.If == flow.IfHandle:
		return r.When == history.ChoiceTimeout
	case r.If != flow.IfExpr || r.Default() || r.Err != nil:
		return false
	}
	return namesTimeout.MatchString(r.When)
}

// namesTimeout finds the choice "timeout" as a text in a condition.
var namesTimeout = regexp.MustCompile(`'timeout'|"timeout"`)

// AfterTimeout finds the route that is written for a gate that nobody answered, and whose condition holds.
func AfterTimeout(rd *scope.Reader, n *compile.Node, t history.Token) (w Way, seen scope.Seen, ok bool) {
	c := Choice{Seen: scope.Seen{}}
	sc := rd.Scope(t).Of(n.ID)
	for i := range n.Outgoing {
		r := &n.Outgoing[i]
		if !routeNamesTimeout(r) {
			continue
		}
		if holds, nerr := routeMatches(rd, n, sc, r, &c); nerr == nil && holds {
			return Way{r, r.Words()}, c.Seen, true
		}
	}
	return Way{}, nil, false
}
