package flow

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/engine/naming"
)

// Checks are the checks that need data from outside the document. A nil member skips its check. A check must be fast: it is
// called once per name or text.
type Checks struct {
	// World reports names of the flow that do not exist or do not fit: tools, fields, people. engine/typecheck implements it.
	World func(f *Flow, report Report)
	// Expression checks the syntax of an expression. ids are all node ids of the flow. If ok is false, offset is the byte
	// of the mistake in src.
	Expression func(src string, ids []string) (offset int, message, hint string, ok bool)
	// Template does the same for text with {{ }}.
	Template func(src string, ids []string) (offset int, message, hint string, ok bool)
	// Literal reports whether the "when" of a decision's route is a literal. A literal is compared; any other "when" is checked as an
	// expression.
	Literal func(when string) bool
	// Cron checks the fields of a schedule, and gives the shortest time between two of its fires; Timezone checks an IANA zone.
	Cron     func(fields string) (shortest time.Duration, err error)
	Timezone func(name string) error
	// Priced gives the full name of a model, and whether its price is known; empty is the default model.
	Priced func(model string) (name string, known bool)
	// Ceilings are the highest limits that the installation allows.
	Ceilings Ceilings
	// Schema checks a JSON Schema.
	Schema func(schema map[string]any) error
}

// Report records a problem at its Path. offset is the byte in the text at the path, or -1. The place in the file is
// added.
type Report func(p Problem, offset int)

// Origin describes the file that a flow was read from.
type Origin struct {
	Size      int             // bytes
	Flagged   map[string]bool // paths with an error, on which validation has nothing to add
	Uncertain map[int]bool    // nodes whose edges could not be read in full
	// Place gives a problem its place in the file: that of its Path, or the byte at an offset of the text there.
	Place func(p Problem, offset int) Problem
}

// ValidateRead checks a flow that was read from a file: targets, agents, tools, reachability,
// cycles, expressions. Problems that the reader reported are not repeated.
func ValidateRead(f *Flow, from *Origin, c Checks) Problems { return validate(f, from, c) }

// Validate checks a flow that was not read from a file: problems have a path, but no line.
func Validate(f *Flow, c Checks) Problems {
	f = f.WithDefaults()
	return validate(f, nil, c)
}

func validate(f *Flow, d *Origin, c Checks) Problems {
	v := &validator{f: f, origin: d, checks: c, graph: NewGraph(f)}
	for i := range f.Nodes {
		v.ids = append(v.ids, f.Nodes[i].ID)
	}
	v.scripts()
	v.header()
	v.ceilings()
	v.prices()
	v.rules()
	v.inputs()
	v.triggers()
	v.agents()
	for i := range f.Nodes {
		v.node(i)
	}
	v.reach()
	v.world()
	v.otherPlaces()
	return v.problems.Sorted()
}

// world runs the check of names outside the flow. If edges could not be read or have no target, warnings are left out, because a missing
// path may cause them.
func (v *validator) world() {
	if v.checks.World == nil {
		return
	}
	certain := len(v.dangling) == 0 && (v.origin == nil || len(v.origin.Uncertain) == 0)
	v.checks.World(v.f, func(p Problem, offset int) {
		if certain || p.Severity == SeverityError {
			v.report(at{path: p.Path, node: p.Node}, offset, p.Severity, p.Code, p.Message, p.Hint)
		}
	})
}

// validator collects what one call of Validate finds.
type validator struct {
	f        *Flow
	origin   *Origin // nil for a flow without a file
	checks   Checks
	graph    *Graph
	ids      []string
	problems Problems
	dangling []dangling
}

// dangling is a target that is neither a node nor end: where it is named, and its problem if this is the first place.
type dangling struct {
	to, node string
	problem  int
}

// at is a part of the flow: its path, the words for it, and the node it belongs to.
type at struct {
	path string
	on   string // " on flow node 'gate'", appended to messages
	node string
}

func (a at) in(key string) at {
	a.path = JoinPath(a.path, key)
	return a
}

func (a at) item(key string, i int) at { return a.in(fmt.Sprintf("%s[%d]", key, i)) }

func (v *validator) error(a at, code, message, hint string) {
	v.report(a, -1, SeverityError, code, message, hint)
}

func (v *validator) warn(a at, code, message, hint string) {
	v.report(a, -1, SeverityWarning, code, message, hint)
}

// report adds a problem unless the reader reported one for the same place. offset is a byte inside the text at the path, or -1.
func (v *validator) report(a at, offset int, severity Severity, code, message, hint string) {
	if len(v.problems) >= MaxProblems {
		return
	}
	p := Problem{Severity: severity, Code: code, Message: message, Hint: hint}
	p.Node, p.Path = a.node, a.path
	if v.origin != nil {
		for path := a.path; path != ""; path = ParentPath(path) {
			if v.origin.Flagged[path] {
				return
			}
		}
		p = v.origin.Place(p, offset)
	}
	v.problems = append(v.problems, p)
}

// intact reports whether the reader found no problem inside a part, so that the part can be checked as a whole.
func (v *validator) intact(a at) bool {
	if v.origin == nil {
		return true
	}
	for path := range v.origin.Flagged {
		if strings.HasPrefix(path, a.path+".") || strings.HasPrefix(path, a.path+"[") {
			return false
		}
	}
	return true
}

func (v *validator) nonNegative(a at, name string, n float64) {
	if n < 0 {
		v.error(a, "out-of-range", fmt.Sprintf("'%s' must not be negative%s", name, a.on), "")
	}
}

// required reports text that is empty. A missing key was reported by Parse.
func (v *validator) required(a at, name, text string) bool {
	if strings.TrimSpace(text) == "" {
		v.error(a, "empty", fmt.Sprintf("'%s' must not be empty%s", name, a.on), "")
		return false
	}
	return true
}

// header checks name, run, limits and entry.
func (v *validator) header() {
	f := v.f
	if f.Name != Slug(f.Name) || f.Name == "" {
		a := at{path: "name"}
		hint := "use lower-case letters, digits and hyphens"
		if s := Slug(f.Name); s != "" {
			hint += ", such as " + s
		}
		v.error(a, "bad-name", fmt.Sprintf("'%s' is not a name of a flow", f.Name), hint)
	}
	v.startTemplate(at{path: "run.title", on: " in run"}, f.Run.Title)
	v.startTemplate(at{path: "run.key", on: " in run"}, f.Run.Key)
	if f.Run.Key == "" && (!f.Run.Within.IsZero() || f.Run.OnDuplicate != "") {
		v.warn(at{path: "run"}, "no-key", "run says what happens to duplicates, but has no key", "write for example key: \"{{inputs.order_id}}\"")
	}
	v.nonNegative(at{path: "limits.steps"}, "limits.steps", float64(f.Limits.Steps))
	v.nonNegative(at{path: "limits.items"}, "limits.items", float64(f.Limits.Items))
	v.nonNegative(at{path: "limits.depth"}, "limits.depth", float64(f.Limits.Depth))
	v.nonNegative(at{path: "budget.usd_per_month"}, "budget.usd_per_month", f.Budget.USDPerMonth)
	v.nonNegative(at{path: "flow.max_iterations"}, "max_iterations", float64(f.MaxVisits))
	if len(f.Nodes) == 0 {
		v.error(at{path: "flow.nodes"}, "no-nodes", "a flow needs at least one node", "")
	}
	if len(f.Nodes) > MaxNodes {
		v.error(at{path: "flow.nodes"}, "too-large", fmt.Sprintf("a flow may have %d nodes; this one has %d", MaxNodes, len(f.Nodes)), "move parts into subflows")
	}
	if a := (at{path: "flow.entry"}); v.required(a, "entry", f.Entry) && len(f.Nodes) > 0 {
		if _, ok := v.graph.Index[f.Entry]; !ok {
			v.error(a, "unknown-entry", fmt.Sprintf("entry '%s' is not a node of the flow", f.Entry), naming.Suggest(f.Entry, v.ids))
		}
	}
	v.onLimit()
}

func (v *validator) onLimit() {
	limit, a := v.f.OnLimit, at{path: "flow.on_limit", on: " in on_limit"}
	switch {
	case !v.intact(a):
	case limit.Action == LimitHandoff && limit.To == "":
		v.error(a, "missing-key", "on_limit has action handoff, but no node to hand over to", "write for example on_limit: {action: handoff, to: help}")
	case limit.Action != LimitHandoff && limit.To != "":
		v.error(a.in("to"), "out-of-place", "'to' in on_limit is only for action handoff", "")
	case limit.To != "":
		v.target(a.in("to"), limit.To, "in on_limit")
	}
}

// target reports a target that is neither a node nor end.
func (v *validator) target(a at, to, on string) {
	if to == End || len(v.problems) >= MaxProblems {
		return
	}
	if _, ok := v.graph.Index[to]; ok {
		return
	}
	d := dangling{to: to, node: a.node, problem: len(v.problems)}
	if i := slices.IndexFunc(v.dangling, func(o dangling) bool { return o.to == to }); i >= 0 { // an unknown target gives one problem
		d.problem = v.dangling[i].problem
		v.dangling = append(v.dangling, d)
		return
	}
	v.error(a, "unknown-target", fmt.Sprintf("unknown target '%s' %s", to, on), naming.Suggest(to, append(slices.Clone(v.ids), End)))
	v.dangling = append(v.dangling, d)
}

// otherPlaces adds the further places of an unknown target to its problem.
func (v *validator) otherPlaces() {
	also := map[int][]string{}
	for i, d := range v.dangling {
		if first := slices.IndexFunc(v.dangling, func(o dangling) bool { return o.to == d.to }); first < i && d.node != "" && d.node != v.dangling[first].node {
			also[d.problem] = append(also[d.problem], "'"+d.node+"'")
		}
	}
	for problem, nodes := range also {
		if problem < len(v.problems) {
			v.problems[problem].Message += ", and on " + strings.Join(slices.Compact(nodes), ", ")
		}
	}
}

// explained marks the nodes that are unreachable only because a reachable node has an unknown target, so that correcting the target is
// enough. Each unknown target explains the node with the most similar name, else the first unreachable node, and all nodes after it.
func (v *validator) explained(seen []bool) []bool {
	done := make([]bool, len(seen))
	var names []string
	for _, d := range v.dangling {
		if i, known := v.graph.Index[d.node]; (!known || seen[i]) && !slices.Contains(names, d.to) {
			names = append(names, d.to)
		}
	}
	for _, name := range names {
		heads := v.heads(seen, done)
		if len(heads) == 0 {
			break
		}
		head := heads[0]
		if near := naming.Nearest(name, v.lost(seen, done)); len(near) > 0 {
			head = v.graph.Index[near[0]]
		} else {
			id := v.f.Nodes[head].ID
			v.warn(at{path: fmt.Sprintf("flow.nodes[%d].id", head), node: id}, "unreachable", fmt.Sprintf("nothing leads to flow node '%s'", id),
				fmt.Sprintf("perhaps it is what '%s' should be", name))
		}
		for i, led := range v.graph.Reachable(head) {
			done[i] = done[i] || led
		}
	}
	return done
}

// heads lists the unreachable nodes that no other unreachable node leads to. Of a cycle it lists the first node.
func (v *validator) heads(seen, done []bool) []int {
	var heads []int
	led := make([]bool, len(seen))
	note := func(i int) {
		heads = append(heads, i)
		for j, r := range v.graph.Reachable(i) {
			led[j] = led[j] || r
		}
	}
	inward := make([]bool, len(seen))
	for i := range seen {
		for _, to := range v.graph.Out[i] {
			inward[to] = inward[to] || !seen[i] && !done[i] && to != i
		}
	}
	for _, circles := range []bool{false, true} {
		for i := range seen {
			if !seen[i] && !done[i] && !led[i] && (circles || !inward[i]) {
				note(i)
			}
		}
	}
	return heads
}

// lost names the unreachable nodes that are not explained.
func (v *validator) lost(seen, done []bool) []string {
	var ids []string
	for i := range seen {
		if !seen[i] && !done[i] {
			ids = append(ids, v.f.Nodes[i].ID)
		}
	}
	return ids
}

// reach checks that every node can be reached and that cycles are capped. If edges could not be read, it reports
// no unreachable nodes, because those edges may lead to them.
func (v *validator) reach() {
	entry, ok := v.graph.Index[v.f.Entry]
	if !ok {
		return
	}
	roots := append([]int{entry}, v.beginnings()...)
	if to, ok := v.graph.Index[v.f.OnLimit.To]; ok && v.f.OnLimit.Action == LimitHandoff {
		roots = append(roots, to)
	}
	seen := v.graph.Reachable(v.withSubagents(roots)...)
	v.orphans(seen)
	if v.f.MaxVisits != 0 || v.f.Profile != ProfileNative { // other formats have cycles without a cap; the run has a ceiling
		return
	}
	for _, root := range roots {
		if loop := v.graph.cycle(root); loop != nil {
			v.cycle(loop)
			return
		}
	}
}

// withSubagents adds the nodes that are called as subagents and have no edge to them.
func (v *validator) withSubagents(roots []int) []int {
	roots = slices.Clone(roots)
	for id := range v.f.SubagentNodes() {
		if k, ok := v.graph.Index[id]; ok {
			roots = append(roots, k)
		}
	}
	return roots
}

// orphans reports unreachable nodes. Documents of other formats may have them.
func (v *validator) orphans(seen []bool) {
	if v.origin != nil {
		for i := range v.origin.Uncertain {
			if i < len(seen) && seen[i] {
				return
			}
		}
	}
	explained := v.explained(seen)
	for i, reached := range seen {
		id := v.f.Nodes[i].ID
		if reached || explained[i] || id == "" || v.graph.Index[id] != i {
			continue
		}
		a := at{path: fmt.Sprintf("flow.nodes[%d].id", i), node: id}
		report := v.error
		if v.f.Profile != ProfileNative {
			report = v.warn
		}
		report(a, "unreachable", fmt.Sprintf("flow node '%s' is not reachable from entry '%s'", id, v.f.Entry),
			"add a route to it, or remove it")
	}
}

func (v *validator) cycle(loop []int) {
	names := make([]string, 0, len(loop)+1)
	for _, i := range append(loop, loop[0]) {
		names = append(names, v.f.Nodes[i].ID)
	}
	if len(names) > 12 {
		names = append(append(names[:8:8], "..."), names[len(names)-2:]...)
	}
	last := &v.f.Nodes[loop[len(loop)-1]]
	a := at{path: fmt.Sprintf("flow.nodes[%d]", loop[len(loop)-1]), node: last.ID}
	for _, e := range last.Edges() {
		if e.To == v.f.Nodes[loop[0]].ID {
			a.path = edgePath(a.path, e)
			break
		}
	}
	v.error(a, "cycle-without-cap", "flow has cycles but max_iterations=0",
		strings.Join(names, "->")+"; set max_iterations to the most node visits of a run, such as 100")
}

// edgePath is the path of an edge's target.
func edgePath(node string, e Edge) string {
	switch e.Kind {
	case EdgeRoute:
		return fmt.Sprintf("%s.routes[%d].to", node, e.Index)
	case EdgeError:
		return fmt.Sprintf("%s.on_error[%d].to", node, e.Index)
	case EdgeBranch:
		return fmt.Sprintf("%s.branches[%d].to", node, e.Index)
	default:
		return node + ".body"
	}
}

// beginnings lists the nodes that need no edge to them: entries, and values that are made when they are read.
func (v *validator) beginnings() []int {
	var all []int
	for i := range v.f.Nodes {
		switch s := v.f.Nodes[i].Spec.(type) {
		case *EntrySpec:
			all = append(all, i)
		case *ComputeSpec:
			if s.Pull {
				all = append(all, i)
			}
		}
	}
	return all
}
