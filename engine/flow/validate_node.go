package flow

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// reservedChoices are what approvals.<id> becomes without a person.
var reservedChoices = []string{"timeout", "superseded", "cancelled"}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

const maxAttempts = 100 // of a retry

// node checks one node: what all kinds have, then the part of its kind.
func (v *validator) node(i int) {
	n := &v.f.Nodes[i]
	a := at{path: fmt.Sprintf("flow.nodes[%d]", i), on: fmt.Sprintf(" on flow node '%s'", n.ID), node: n.ID}
	v.nodeID(a.in("id"), i, n.ID)
	if _, known := canonicalType(n.FlowchartType); !known {
		names := make([]string, 0, 9)
		for _, t := range FlowchartTypes() {
			names = append(names, string(t))
		}
		hint := didYouMean(nearest(string(n.FlowchartType), names))
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

// timeout checks that a node can keep to its timeout.
func (v *validator) timeout(a at, n *Node) {
	if n.Timeout.IsZero() {
		return
	}
	a.on = fmt.Sprintf(" on flow node '%s'", n.ID)
	var deadline *Deadline
	switch s := n.Spec.(type) {
	case *AgentSpec, *ToolSpec, *SaySpec, *EmitSpec, *LLMSpec, *ToolexecSpec:
		if n.Timeout.WorkingDays > 0 {
			v.error(a, "out-of-range", "'timeout' cannot be working days"+a.on, "a step is at work until it ends: write for example 10m or 2h")
		}
		return
	case *WaitSpec:
		if s.Event == "" {
			v.warn(a, "out-of-place", "'timeout' means nothing where a node waits for a time"+a.on, "remove it")
		}
		return
	case *ApprovalSpec:
		deadline = s.Deadline
	case *AskSpec:
		deadline = s.Deadline
	}
	if deadline != nil && !deadline.After.IsZero() {
		v.warn(a, "out-of-place", "'timeout' is not looked at beside deadline.after"+a.on, "keep one of them")
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
	case v.graph.index[id] != i:
		first := v.graph.index[id] + 1
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
	return bareLiteral(when)
}

// bareLiteral reports whether a decision's "when" is compared as it stands instead of being evaluated: a number, a
// quoted string, or words without an operator among them. [Checks].Literal is the authority; this stands in for it.
func bareLiteral(when string) bool {
	when = strings.TrimSpace(when)
	if numberOrQuoted.MatchString(when) {
		return true
	}
	words := strings.Fields(when)
	for _, w := range words {
		odd := func(r rune) bool { return r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
		if strings.ContainsFunc(w, odd) || len(words) > 1 && slices.Contains(wordOperators, strings.ToLower(w)) {
			return false
		}
	}
	return len(words) > 0
}

var numberOrQuoted = regexp.MustCompile(`^(?:[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?|'[^']*'|"[^"]*")$`)

var wordOperators = []string{"and", "or", "not", "in", "contains", "matches"}

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
	switch s := n.Spec.(type) {
	case *AgentSpec:
		if v.required(a.in("agent"), "agent", s.Agent) && v.f.AgentByID(s.Agent) == nil {
			v.error(a.in("agent"), "unknown-agent", fmt.Sprintf("unknown agent '%s'%s", s.Agent, a.on), v.agentHint(s.Agent))
		}
		v.templates(a.in("input"), s.Input, false)
		if s.ToolMode != ToolsInternal && s.ToolMode != ToolsExternal {
			v.error(a.in("tool_mode"), "wrong-value", fmt.Sprintf("unknown tool_mode '%s'%s", s.ToolMode, a.on), "external, or nothing")
		}
	case *ToolSpec:
		if v.required(a.in("tool"), "tool", s.Tool) {
			v.tool(a.in("tool"), s.Tool)
		}
		v.templates(a.in("params"), s.Params, true)
		v.literalSecrets(a.in("params"), "", s.Params)
	case *ParallelSpec:
		v.parallel(a, n, s)
	case *ApprovalSpec:
		v.approval(a, n, s)
	case *DecisionSpec:
		v.decision(a, s)
	case *TerminalSpec:
		v.templates(a.in("output"), s.Output, false)
	case *AskSpec:
		v.ask(a, s)
	case *SaySpec:
		if v.required(a.in("message"), "message", s.Message) {
			v.template(a.in("message"), s.Message, false)
		}
	default:
		v.moreSpec(a, n)
	}
}

// moreSpec goes on with the kinds that are not S3's.
func (v *validator) moreSpec(a at, n *Node) {
	switch s := n.Spec.(type) {
	case *WaitSpec:
		v.wait(a, s)
	case *ForeachSpec:
		v.foreach(a, n, s)
	case *SubflowSpec:
		v.subflow(a, s)
	case *SetSpec:
		if len(s.Vars) == 0 {
			v.error(a.in("vars"), "empty", "'vars' must not be empty"+a.on, "")
		}
		for name := range s.Vars {
			if !identifier.MatchString(name) {
				v.error(a.in("vars"), "bad-name", fmt.Sprintf("'%s' is not a name of a variable%s", name, a.on), "use letters, digits and _")
			}
		}
		v.templates(a.in("vars"), s.Vars, false)
	case *EmitSpec:
		if v.required(a.in("event"), "event", s.Event) {
			v.template(a.in("event"), s.Event, false)
		}
		v.templates(a.in("payload"), s.Payload, false)
	case nil:
		if v.doc == nil {
			v.error(a, "unknown-type", fmt.Sprintf("unknown type '%s'%s", n.Kind, a.on), "")
		}
	default:
		v.foreignSpec(a, n)
	}
}

func (v *validator) agentHint(id string) string {
	ids := make([]string, len(v.f.Agents))
	for i := range v.f.Agents {
		ids[i] = v.f.Agents[i].ID
	}
	if hint := didYouMean(nearest(id, ids)); hint != "" {
		return hint
	}
	if len(ids) == 0 {
		return "declare it under agents"
	}
	return "declared agents: " + strings.Join(ids, ", ")
}

func (v *validator) tool(a at, name string) {
	if v.checks.Tool == nil {
		return
	}
	if known, near := v.checks.Tool(name); !known {
		v.error(a, "unknown-tool", fmt.Sprintf("unknown tool '%s'%s", name, a.on), didYouMean(near))
	}
}

func (v *validator) parallel(a at, n *Node, s *ParallelSpec) {
	if len(s.Branches) < 2 {
		v.error(a.in("branches"), "too-few-branches", fmt.Sprintf("a parallel node needs at least 2 branches, not %d%s", len(s.Branches), a.on),
			"with one branch a route does the same")
	}
	j, at := s.Join, a.in("join")
	switch {
	case !v.intact(at):
	case j.Type == "count" && j.Count < 1:
		v.error(at, "out-of-range", "join type count needs 'count' of at least 1"+a.on, "")
	case j.Type == "count" && j.Count > len(s.Branches):
		v.error(at.in("count"), "out-of-range", fmt.Sprintf("join waits for %d branches, but there are %d%s", j.Count, len(s.Branches), a.on), "")
	case j.Type != "count" && j.Count != 0:
		v.warn(at.in("count"), "out-of-place", fmt.Sprintf("'count' means nothing with join type %s%s", j.Type, a.on), "write type: count")
	}
	if j.TimeoutSet && j.Timeout.Clock <= 0 && j.Timeout.WorkingDays <= 0 {
		v.error(at.in("timeout"), "out-of-range", "'timeout' must be more than 0"+a.on, "")
	} else if j.TimeoutSet {
		v.patience(at.in("timeout"), n, s)
	}
}

// patience warns when a written join timeout may end a branch that waits for people.
func (v *validator) patience(a at, n *Node, s *ParallelSpec) {
	var heads []int
	for _, b := range s.Branches {
		if i, ok := v.graph.index[b.To]; ok {
			heads = append(heads, i)
		}
	}
	for i, in := range v.graph.reachable(heads...) {
		switch v.f.Nodes[i].Spec.(type) {
		case *ApprovalSpec, *AskSpec, *WaitSpec:
			if in && v.f.Nodes[i].ID != n.ID {
				v.warn(a, "impatient-join", fmt.Sprintf("'%s' may still wait when the join of '%s' times out after %s", v.f.Nodes[i].ID, n.ID, s.Join.Timeout),
					"without 'timeout' the clock stands while branches wait for people")
				return
			}
		}
	}
}

func (v *validator) wait(a at, s *WaitSpec) {
	set := 0
	for _, given := range []bool{!s.For.IsZero(), s.Until != "", s.Event != ""} {
		if given {
			set++
		}
	}
	if set != 1 && v.intact(a) {
		v.error(a, "wait-for-what", "a wait node needs exactly one of 'for', 'until' and 'event'"+a.on, "")
	}
	v.template(a.in("until"), s.Until, false)
	v.template(a.in("event"), s.Event, false)
}

func (v *validator) foreach(a at, n *Node, s *ForeachSpec) {
	if v.required(a.in("items"), "items", s.Items) {
		v.expression(a.in("items"), s.Items)
	}
	if !identifier.MatchString(s.As) || slices.Contains(contextRoots, s.As) || v.f.Node(s.As) != nil {
		v.error(a.in("as"), "bad-name", fmt.Sprintf("'%s' cannot be the name of the item%s", s.As, a.on),
			"use letters, digits and _, and no id of a node")
	}
	switch body := a.in("body"); {
	case !v.required(body, "body", s.Body):
	case s.Body == End || s.Body == n.ID:
		v.error(body, "bad-body", fmt.Sprintf("'%s' cannot be the body%s", s.Body, a.on), "name the first node that each item goes through")
	default:
		v.target(body, s.Body, fmt.Sprintf("on flow node '%s'", n.ID))
	}
	if s.MaxParallel < 1 {
		v.error(a.in("max_parallel"), "out-of-range", "'max_parallel' must be at least 1"+a.on, "")
	}
}

func (v *validator) subflow(a at, s *SubflowSpec) {
	flowAt := a.in("flow")
	switch {
	case !v.required(flowAt, "flow", s.Flow):
	case s.Flow == v.f.Name:
		v.error(flowAt, "own-subflow", "a flow cannot run itself"+a.on, "")
	case v.checks.Flow != nil:
		if known, near := v.checks.Flow(s.Flow); !known {
			v.error(flowAt, "unknown-flow", fmt.Sprintf("unknown flow '%s'%s", s.Flow, a.on), didYouMean(near))
		}
	}
	v.templates(a.in("inputs"), s.Inputs, false)
}
