package flow

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"sluice/engine/naming"
)

// reservedChoices are the values of approvals.<id> that no person chose.
var reservedChoices = []string{ChoiceTimeout, "superseded", "cancelled"}

// ChoiceTimeout is the choice of a gate whose deadline passed.
const ChoiceTimeout = "timeout"

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

const maxAttempts = 100 // of a retry

// node checks one node: the fields of all kinds, then the part of its kind.
func (v *validator) node(i int) {
	n := &v.f.Nodes[i]
	a := at{path: fmt.Sprintf("flow.nodes[%d]", i), on: fmt.Sprintf(" on flow node '%s'", n.ID), node: n.ID}
	v.nodeID(a.in("id"), i, n.ID)
	if _, known := canonicalType(n.FlowchartType); !known {
		names := make([]string, 0, 9)
		for _, t := range FlowchartTypes() {
			names = append(names, string(t))
		}
		hint := naming.Suggest(string(n.FlowchartType), names)
		if hint == "" {
			hint = "one of " + strings.Join(names, ", ")
		}
		v.error(a.in("flowchart_type"), "wrong-value", fmt.Sprintf("unknown flowchart_type '%s'%s", n.FlowchartType, a.on), hint)
	}
	for _, e := range n.Edges() {
		if e.Kind != EdgeBody {
			v.target(a.in(strings.TrimPrefix(edgePath("", e), ".")), e.To, fmt.Sprintf("on flow node '%s'", n.ID))
		}
	}
	v.routes(a, n)
	v.foreign(a, n)
	v.errorRoutes(a, n.OnError)
	v.retry(a, n.Retry)
	v.timeout(a.in("timeout"), n)
	v.spec(a, n)
}

// timeout checks that the timeout of a node can be enforced.
func (v *validator) timeout(a at, n *Node) {
	if n.Timeout.IsZero() || n.Spec == nil {
		return
	}
	a.on = fmt.Sprintf(" on flow node '%s'", n.ID)
	if deadline := deadlineOf(n.Spec); deadline != nil && !deadline.After.IsZero() {
		v.warn(a, "out-of-place", "'timeout' is not looked at beside deadline.after"+a.on, "keep one of them")
	}
	if s, own := n.Spec.(timeoutChecker); own {
		s.checkTimeout(v, a, n)
	}
}

// atWork reports a timeout in working days. It is for steps that work until they end, whose timeout must be clock time.
func (v *validator) atWork(a at, n *Node) {
	if n.Timeout.WorkingDays > 0 {
		v.error(a, "out-of-range", "'timeout' cannot be working days"+a.on, "a step is at work until it ends: write for example 10m or 2h")
	}
}

func (v *validator) nodeID(a at, i int, id string) {
	bad := func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || strings.ContainsRune("/·{}[]()'\"`|,<>", r)
	}
	switch {
	case strings.TrimSpace(id) == "":
		v.error(a, "empty", fmt.Sprintf("flow node %d has an empty id", i+1), "")
	case id == End:
		v.error(a, "reserved-id", "node id 'end' is reserved: it ends a path", "choose another id, such as finish")
	case v.graph.Index[id] != i:
		first := v.graph.Index[id] + 1
		v.error(a, "duplicate-id", fmt.Sprintf("node id '%s' is used twice", id), fmt.Sprintf("it is node %d already; choose another id", first))
	case strings.ContainsFunc(id, bad):
		v.error(a, "bad-id", fmt.Sprintf("'%s' is not an id of a node", id), "use letters, digits, _ and -")
	}
}

// routes checks the order and the conditions of a node's routes.
func (v *validator) routes(a at, n *Node) {
	decision := n.Spec != nil && n.Spec.Kind() == KindDecision
	defaultAt := -1
	for i, r := range n.Routes {
		place := a.item("routes", i)
		switch {
		case !v.intact(place):
		case r.Default() && defaultAt >= 0:
			v.warn(place, "second-default", fmt.Sprintf("route to '%s' is never taken%s: an earlier route is the default", r.To, a.on), "remove one of them")
		case r.Default():
			defaultAt = i
		case defaultAt >= 0 && !decision && n.Policy == PolicyFirst:
			v.warn(place, "after-default", fmt.Sprintf("route to '%s' is never taken%s: it stands after the default", r.To, a.on), "move the default to the end")
		}
		if r.If == IfExpr && !r.Default() && (!decision || !v.literal(r.When)) {
			v.expression(place.in("when"), r.When)
		}
	}
	if decision && defaultAt < 0 && v.intact(a) {
		v.warn(a, "no-default", fmt.Sprintf("decision '%s' has no default route: the path ends when no route matches", n.ID),
			"add {when: default, to: ...}")
	}
}

func (v *validator) literal(when string) bool {
	if v.checks.Literal != nil {
		return v.checks.Literal(when)
	}
	return BareLiteral(when)
}

func (v *validator) errorRoutes(a at, routes []ErrorRoute) {
	last := len(routes) - 1
	for i, r := range routes {
		place := a.item("on_error", i)
		switch {
		case r.Default && i < last:
			v.error(place, "default-not-last", "the on_error route with default: true must be the last"+a.on, "move it to the end")
		case !r.Default && r.Match == "" && v.intact(place):
			v.warn(place, "no-match", "an on_error route has neither 'match' nor 'default: true'"+a.on, "write default: true to take every error")
		}
		v.regexp(place.in("match"), r.Match)
	}
}

func (v *validator) regexp(a at, pattern string) {
	if _, err := regexp.Compile(pattern); err != nil {
		v.error(a, "bad-regexp", fmt.Sprintf("'%s' is not a regular expression%s: %s", pattern, a.on, strings.TrimPrefix(err.Error(), "error parsing regexp: ")), "")
	}
}

func (v *validator) retry(a at, r *Retry) {
	if r == nil {
		return
	}
	a = a.in("retry")
	switch {
	case r.MaxAttempts < 1 || r.MaxAttempts > maxAttempts:
		v.error(a.in("max_attempts"), "out-of-range", fmt.Sprintf("'max_attempts' must be 1 to %d%s", maxAttempts, a.on), "")
	case r.BackoffMS < 0 || r.MaxBackoffMS < r.BackoffMS:
		v.error(a.in("backoff_ms"), "out-of-range", "'backoff_ms' must be between 0 and 'max_backoff_ms'"+a.on, "")
	case r.Multiplier < 1:
		v.error(a.in("multiplier"), "out-of-range", "'multiplier' must be at least 1"+a.on, "")
	}
	v.regexp(a.in("match"), r.Match)
}

// spec checks the part of a node that belongs to its kind.
func (v *validator) spec(a at, n *Node) {
	switch {
	case n.Spec != nil:
		n.Spec.check(v, a, n)
	case v.origin == nil:
		v.error(a, "unknown-type", fmt.Sprintf("unknown type '%s'%s", n.Kind, a.on), "")
	}
}

func (v *validator) agentHint(id string) string {
	ids := make([]string, len(v.f.Agents))
	for i := range v.f.Agents {
		ids[i] = v.f.Agents[i].ID
	}
	if hint := naming.Suggest(id, ids); hint != "" {
		return hint
	}
	if len(ids) == 0 {
		return "declare it under agents"
	}
	return "declared agents: " + strings.Join(ids, ", ")
}
