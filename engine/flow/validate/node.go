package validate

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"sluice/engine/flow"
	"sluice/engine/naming"
)

const maxAttempts = 100 // of a retry

// node checks one node: the fields of all kinds, then the part of its kind.
func (v *validator) node(i int) {
	n := &v.Flow.Nodes[i]
	a := flow.At{Path: fmt.Sprintf("flow.nodes[%d]", i), On: fmt.Sprintf(" on flow node '%s'", n.ID), Node: n.ID}
	v.nodeID(a.In("id"), i, n.ID)
	if !n.FlowchartType.Known() {
		names := make([]string, 0, 9)
		for _, t := range flow.FlowchartTypes() {
			names = append(names, string(t))
		}
		hint := naming.Suggest(string(n.FlowchartType), names)
		if hint == "" {
			hint = "one of " + strings.Join(names, ", ")
		}
		v.Error(a.In("flowchart_type"), "wrong-value", fmt.Sprintf("unknown flowchart_type '%s'%s", n.FlowchartType, a.On), hint)
	}
	for _, e := range n.Edges() {
		if e.Kind != flow.EdgeBody || e.To != "" && e.To != n.ID { // what cannot be a body is reported by the kind
			v.targets.check(v.Checker, a.In(strings.TrimPrefix(edgePath("", e), ".")), e.To, fmt.Sprintf("on flow node '%s'", n.ID))
		}
	}
	v.routes(a, n)
	v.foreign(a, n)
	v.errorRoutes(a, n.OnError)
	v.retry(a, n.Retry)
	v.Timeout(a.In("timeout"), n)
	v.Spec(a, n)
}

func (v *validator) nodeID(a flow.At, i int, id string) {
	bad := func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || strings.ContainsRune("/·{}[]()'\"`|,<>", r)
	}
	switch {
	case strings.TrimSpace(id) == "":
		v.Error(a, "empty", fmt.Sprintf("flow node %d has an empty id", i+1), "")
	case id == flow.End:
		v.Error(a, "reserved-id", "node id 'end' is reserved: it ends a path", "choose another id, such as finish")
	case v.Graph.Index[id] != i:
		first := v.Graph.Index[id] + 1
		v.Error(a, "duplicate-id", fmt.Sprintf("node id '%s' is used twice", id), fmt.Sprintf("it is node %d already; choose another id", first))
	case strings.ContainsFunc(id, bad):
		v.Error(a, "bad-id", fmt.Sprintf("'%s' is not an id of a node", id), "use letters, digits, _ and -")
	}
}

// routes checks the order and the conditions of a node's routes.
func (v *validator) routes(a flow.At, n *flow.Node) {
	decision := n.Spec != nil && n.Spec.Kind() == flow.KindDecision
	defaultAt := -1
	for i, r := range n.Routes {
		place := a.Item("routes", i)
		switch {
		case !v.Intact(place):
		case r.Default() && defaultAt >= 0:
			v.Warn(place, "second-default", fmt.Sprintf("route to '%s' is never taken%s: an earlier route is the default", r.To, a.On), "remove one of them")
		case r.Default():
			defaultAt = i
		case defaultAt >= 0 && !decision && n.Policy == flow.PolicyFirst:
			v.Warn(place, "after-default", fmt.Sprintf("route to '%s' is never taken%s: it stands after the default", r.To, a.On), "move the default to the end")
		}
		if r.If == flow.IfExpr && !r.Default() && (!decision || !v.literal(r.When)) {
			v.Expression(place.In("when"), r.When)
		}
	}
	handles := slices.ContainsFunc(n.Routes, func(r flow.Route) bool { return r.If == flow.IfHandle }) // one that is not connected ends the path
	if decision && defaultAt < 0 && !handles && v.Intact(a) {
		v.Warn(a, "no-default", fmt.Sprintf("decision '%s' has no default route: the path ends when no route matches", n.ID),
			"add {when: default, to: ...}")
	}
}

func (v *validator) literal(when string) bool {
	if v.Checks.Literal != nil {
		return v.Checks.Literal(when)
	}
	return flow.BareLiteral(when)
}

func (v *validator) errorRoutes(a flow.At, routes []flow.ErrorRoute) {
	last := len(routes) - 1
	for i, r := range routes {
		place := a.Item("on_error", i)
		switch {
		case r.Default && i < last:
			v.Error(place, "default-not-last", "the on_error route with default: true must be the last"+a.On, "move it to the end")
		case !r.Default && r.Match == "" && v.Intact(place):
			v.Warn(place, "no-match", "an on_error route has neither 'match' nor 'default: true'"+a.On, "write default: true to take every error")
		}
		v.Regexp(place.In("match"), r.Match)
	}
}

func (v *validator) retry(a flow.At, r *flow.Retry) {
	if r == nil {
		return
	}
	a = a.In("retry")
	switch {
	case r.MaxAttempts < 1 || r.MaxAttempts > maxAttempts:
		v.Error(a.In("max_attempts"), "out-of-range", fmt.Sprintf("'max_attempts' must be 1 to %d%s", maxAttempts, a.On), "")
	case r.BackoffMS < 0 || r.MaxBackoffMS < r.BackoffMS:
		v.Error(a.In("backoff_ms"), "out-of-range", "'backoff_ms' must be between 0 and 'max_backoff_ms'"+a.On, "")
	case r.Multiplier < 1:
		v.Error(a.In("multiplier"), "out-of-range", "'multiplier' must be at least 1"+a.On, "")
	}
	v.Regexp(a.In("match"), r.Match)
}
